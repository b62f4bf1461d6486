package bridge

import (
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
spec: {}
`

func ptr[T any](v T) *T { return &v }

func TestChangeRequest(t *testing.T) {
	wrapped := `apiVersion: admission.k8s.io/v1
kind: AdmissionReview
request:
  operation: CREATE
  object:
    # the web front
    apiVersion: v1
    kind: Pod
    metadata:
      name: web # its name
    spec: {}
`
	tests := []struct {
		name string
		text string
		set  RequestChanges
		want string
	}{
		{"a bare object is wrapped, comments stay", bare, RequestChanges{DryRun: ptr(true)},
			strings.Replace(wrapped, "  operation:", "  dryRun: true\n  operation:", 1)},
		{"user and groups", wrapped, RequestChanges{User: ptr("eve"), Groups: ptr([]string{"a", "b"})},
			strings.Replace(wrapped, "  operation:", "  userInfo: {groups: [\"a\",\"b\"], username: \"eve\"}\n  operation:", 1)},
		{"values that are there are replaced", "userInfo:\n  username: x\n  groups:\n  - a\n  - b\nobject: {kind: Pod}\n", RequestChanges{User: ptr("y"), Groups: ptr([]string{})},
			"userInfo:\n  username: \"y\"\n  groups: []\nobject: {kind: Pod}\n"},
		{"update copies the object", wrapped, RequestChanges{Operation: ptr("UPDATE")},
			strings.Replace(strings.Replace(wrapped, "CREATE", `"UPDATE"`, 1), "  object:\n    # the web front\n",
				"  oldObject:\n    apiVersion: v1\n    kind: Pod\n    metadata:\n      name: web # its name\n    spec: {}\n  object:\n    # the web front\n", 1)},
		{"delete moves the object", wrapped, RequestChanges{Operation: ptr("DELETE")},
			strings.Replace(strings.Replace(wrapped, "CREATE", `"DELETE"`, 1), "  object:", "  oldObject:", 1)},
		{"JSON becomes YAML first", `{"operation":"CREATE","object":{"kind":"Pod"}}`, RequestChanges{SubResource: ptr("status")},
			"subResource: \"status\"\nobject:\n  kind: Pod\noperation: CREATE\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := changeRequest(tt.text, tt.set)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestOperationsThereAndBack walks through all operations; the objects must
// always stand where the API server has them.
func TestOperationsThereAndBack(t *testing.T) {
	text := bare
	for _, step := range []struct {
		operation   string
		object, old bool
	}{
		{"UPDATE", true, true}, {"DELETE", false, true}, {"CREATE", true, false},
		{"DELETE", false, true}, {"UPDATE", false, true}, {"CREATE", true, false}, {"UPDATE", true, true},
	} {
		var err error
		if text, err = changeRequest(text, RequestChanges{Operation: &step.operation}); err != nil {
			t.Fatalf("%s: %v", step.operation, err)
		}
		docs, problems := scenario.ParseDocuments(diag.Request, text)
		if len(problems) > 0 {
			t.Fatalf("%s: %v\n%s", step.operation, problems, text)
		}
		request := docs[0].Value["request"].(map[string]any)
		if request["operation"] != step.operation || (request["object"] != nil) != step.object || (request["oldObject"] != nil) != step.old {
			t.Errorf("after %s:\n%s", step.operation, text)
		}
	}
}

func TestTextsThatCannotBeChanged(t *testing.T) {
	for _, text := range []string{"", "a: [", "a: 1\n---\nb: 2\n", "{broken"} {
		if got, err := changeRequest(text, RequestChanges{DryRun: ptr(true)}); err == nil {
			t.Errorf("%q became %q", text, got)
		}
	}
}
