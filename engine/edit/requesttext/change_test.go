package requesttext

import (
	"reflect"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

const bare = `# the web front
apiVersion: v1
kind: Pod
metadata:
  name: web # its name

  labels: {a: b}
spec: {}
# the end
`

const wrapped = `apiVersion: admission.k8s.io/v1
kind: AdmissionReview
request:
  operation: CREATE
  object:
    # the web front
    apiVersion: v1
    kind: Pod
    metadata:
      name: web # its name

      labels: {a: b}
    spec: {}
    # the end
`

const request = `operation: CREATE # what
userInfo:
  username: x
  groups:
  - a # first
  - b
dryRun: true
object:
    kind: Pod
    metadata: {name: web}
`

const pretty = `{
    "kind": "AdmissionReview",
    "apiVersion": "admission.k8s.io/v1",
    "request": {
        "operation": "CREATE",
        "userInfo": {},
        "object": {
            "kind": "Pod",
            "metadata": { "name": "web" }
        }
    }
}
`

const compact = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"operation":"CREATE","object":{"kind":"Pod","metadata":{"name":"web"}}}}`

const inFlow = `apiVersion: admission.k8s.io/v1
kind: AdmissionReview
request: {operation: CREATE, userInfo: {username: x}, object: {kind: Pod, metadata: {name: web}}}
`

func ptr[T any](v T) *T { return &v }

func TestChange(t *testing.T) {
	tests := []struct {
		name string
		text string
		set  Changes
		want string
	}{
		{"a bare object is wrapped, comments stay", bare, Changes{DryRun: ptr(true)},
			strings.Replace(wrapped, "  operation:", "  dryRun: true\n  operation:", 1)},
		{"a subresource brings its operation", bare, Changes{SubResource: ptr("exec")},
			strings.Replace(strings.Replace(wrapped, "CREATE", "CONNECT", 1), "  operation:", "  subResource: exec\n  operation:", 1)},
		{"user and groups", wrapped, Changes{User: ptr("eve"), Groups: ptr([]string{"a", "b,c"})},
			strings.Replace(wrapped, "  operation:", "  userInfo: {groups: [a, \"b,c\"], username: eve}\n  operation:", 1)},
		{"what follows a value stays", request, Changes{Operation: ptr("CONNECT"), User: ptr("system:serviceaccount:ci:x")},
			strings.NewReplacer("CREATE", "CONNECT", "username: x", "username: system:serviceaccount:ci:x").Replace(request)},
		{"a list of lines stays one", request, Changes{Groups: ptr([]string{"c", "d: e"})},
			strings.Replace(request, "- a # first\n  - b", "- c\n  - 'd: e'", 1)},
		{"empty values are taken out", request, Changes{User: ptr(""), Groups: ptr([]string{}), DryRun: ptr(false)},
			"operation: CREATE # what\nuserInfo:\nobject:\n    kind: Pod\n    metadata: {name: web}\n"},
		{"what is not there stays so", wrapped, Changes{User: ptr(""), SubResource: ptr(""), DryRun: ptr(false)}, wrapped},
		{"update copies the object with its comments", wrapped, Changes{Operation: ptr("UPDATE")},
			strings.Replace(strings.Replace(wrapped, "CREATE", "UPDATE", 1), "  object:\n",
				"  oldObject:\n"+wrapped[strings.Index(wrapped, "    # the web"):]+"  object:\n", 1)},
		{"delete moves the object", wrapped, Changes{Operation: ptr("DELETE")},
			strings.Replace(strings.Replace(wrapped, "CREATE", "DELETE", 1), "  object:", "  oldObject:", 1)},
		{"the namespace of the request and its objects", wrapped, Changes{Namespace: ptr("shop")},
			strings.NewReplacer("request:\n", "request:\n  namespace: shop\n", "    metadata:\n", "    metadata:\n      namespace: shop\n").Replace(wrapped)},
		{"JSON stays JSON", pretty, Changes{Operation: ptr("DELETE"), User: ptr("eve"), SubResource: ptr("status")},
			strings.NewReplacer(`"CREATE"`, `"DELETE"`, `"object"`, `"oldObject"`, `{}`, `{"groups": ["system:authenticated"], "username": "eve"}`,
				"{\n        \"operation\"", "{\n        \"subResource\": \"status\",\n        \"operation\"").Replace(pretty)},
		{"the old object in JSON", pretty, Changes{Operation: ptr("UPDATE")},
			strings.Replace(strings.Replace(pretty, "CREATE", "UPDATE", 1), `        "object": {`,
				"        \"oldObject\": {\n            \"kind\": \"Pod\",\n            \"metadata\": { \"name\": \"web\" }\n        },\n        \"object\": {", 1)},
		{"JSON on one line", compact, Changes{DryRun: ptr(true), Groups: ptr([]string{"g"})},
			strings.Replace(compact, `{"operation"`, `{"dryRun": true, "userInfo": {"groups": ["g"]}, "operation"`, 1)},
		{"braces in YAML", inFlow, Changes{User: ptr(""), Operation: ptr("DELETE")},
			strings.NewReplacer("CREATE", "DELETE", "object:", "oldObject:", "{username: x}", "{}").Replace(inFlow)},
		{"an object in JSON", `{"kind":"Pod"}`, Changes{Operation: ptr("DELETE")},
			"{\n  \"apiVersion\": \"admission.k8s.io/v1\",\n  \"kind\": \"AdmissionReview\",\n  \"request\": {\n    \"operation\": \"DELETE\",\n    \"oldObject\": {\"kind\":\"Pod\"}\n  }\n}\n"},
		{"an old object in YAML", wrapped, Changes{OldObject: ptr("kind: Pod # old\nspec:\n  a: |\n    x\n\n    y\n")},
			strings.Replace(wrapped, "  operation:", "  oldObject:\n    kind: Pod # old\n    spec:\n      a: |\n        x\n\n        y\n  operation:", 1)},
		{"an old object in JSON", pretty, Changes{OldObject: ptr("kind: Pod\n")},
			strings.Replace(pretty, `        "operation"`, "        \"oldObject\": {\n          \"kind\": \"Pod\"\n        },\n        \"operation\"", 1)},
		{"an old object in braces", inFlow, Changes{OldObject: ptr("kind: Pod\nspec: {}\n")},
			strings.Replace(inFlow, "{operation", `{oldObject: {"kind":"Pod","spec":{}}, operation`, 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Change(tt.text, tt.set)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestOperationsThereAndBack walks through the operations in every form of text;
// the objects must always stand where the API server has them.
func TestOperationsThereAndBack(t *testing.T) {
	for name, text := range map[string]string{"bare": bare, "review": wrapped, "request": request, "pretty": pretty, "compact": compact, "braces": inFlow} {
		t.Run(name, func(t *testing.T) {
			for _, step := range []struct {
				operation   string
				object, old bool
			}{
				{"UPDATE", true, true}, {"DELETE", false, true}, {"CREATE", true, false}, {"DELETE", false, true},
				{"UPDATE", true, true}, {"CREATE", true, false}, {"CONNECT", true, false}, {"UPDATE", true, true},
			} {
				var err error
				if text, err = Change(text, Changes{Operation: &step.operation}); err != nil {
					t.Fatalf("%s: %v", step.operation, err)
				}
				r := requestOf(t, text)
				if r["operation"] != step.operation || (r["object"] != nil) != step.object || (r["oldObject"] != nil) != step.old {
					t.Errorf("after %s:\n%s", step.operation, text)
				}
			}
		})
	}
}

// requestOf is the AdmissionRequest in a text.
func requestOf(t *testing.T, text string) map[string]any {
	t.Helper()
	docs, problems := scenario.ParseDocuments(diag.Request, text)
	if len(problems) > 0 || len(docs) != 1 {
		t.Fatalf("%v\n%s", problems, text)
	}
	if r, ok := docs[0].Value["request"].(map[string]any); ok {
		return r
	}
	return docs[0].Value
}

// TestOldObjectRoundTrip writes back what was read: nothing may change. Then it
// changes one word in it: nothing else may change.
func TestOldObjectRoundTrip(t *testing.T) {
	for name, text := range map[string]string{"bare": bare, "review": wrapped, "request": request, "pretty": pretty, "compact": compact, "braces": inFlow} {
		t.Run(name, func(t *testing.T) {
			update, err := Change(text, Changes{Operation: ptr("UPDATE")})
			if err != nil {
				t.Fatal(err)
			}
			old := OldObject(update)
			if !strings.Contains(old, "web") || strings.HasPrefix(old, " ") {
				t.Fatalf("old object\n%s", old)
			}
			same, err := Change(update, Changes{OldObject: &old})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(requestOf(t, same), requestOf(t, update)) || strings.Count(same, "#") != strings.Count(update, "#") {
				t.Errorf("got\n%s\nwant\n%s", same, update)
			}
			if name != "pretty" && same != update { // JSON is indented anew
				t.Errorf("got\n%s\nwant\n%s", same, update)
			}
			changed, err := Change(update, Changes{OldObject: ptr(strings.Replace(old, "web", "front", 1))})
			if err != nil {
				t.Fatal(err)
			}
			if name != "pretty" && strings.Replace(changed, "front", "web", 1) != update {
				t.Errorf("got\n%s", changed)
			}
			gone, err := Change(changed, Changes{OldObject: ptr("")})
			if err != nil || requestOf(t, gone)["oldObject"] != nil || OldObject(gone) != "" {
				t.Errorf("%v in\n%s", err, gone)
			}
		})
	}
}

func TestTextsThatCannotBeChanged(t *testing.T) {
	for _, text := range []string{"", "  \n", "a: [", "a: 1\n---\nb: 2\n", "{broken", "kind: AdmissionReview\n"} {
		if got, err := Change(text, Changes{DryRun: ptr(true)}); err == nil {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got, err := Change(wrapped, Changes{OldObject: ptr("a: [")}); err == nil {
		t.Errorf("became %q", got)
	}
}
