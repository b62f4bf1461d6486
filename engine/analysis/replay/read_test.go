package replay

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for _, test := range []struct {
		name, capture string
		want          []string // LINE REQUEST, or LINE bad: PROBLEM
	}{
		{"nothing", "\n \n", nil},
		{"one a line", `{"kind":"A"}` + "\n\n" + `{"kind":"B"}` + "\n", []string{`1 {"kind":"A"}`, `3 {"kind":"B"}`}},
		{"no line feed at the end", `{"kind":"A"}`, []string{`1 {"kind":"A"}`}},
		{"JSON of several lines", "{\n  \"kind\": \"A\"\n}\n{\n  \"kind\": \"B\"\n}\n", []string{"1 {\n  \"kind\": \"A\"\n}", "4 {\n  \"kind\": \"B\"\n}"}},
		{"YAML documents", "kind: A\n---\n# more\nkind: B\n", []string{`1 {"kind":"A"}`, `4 {"kind":"B"}`}},
		{"YAML with leading dashes", "---\nkind: A\n", []string{`2 {"kind":"A"}`}},
		{"a broken line does not take others with it", `{"kind":` + "\n" + `{"kind":"B"}` + "\n", []string{`1 bad: this is not valid JSON`, `2 {"kind":"B"}`}},
		{"a list", `{"apiVersion":"v1","kind":"List","items":[{"kind":"A"},{"kind":"B"}]}`, []string{`1 {"kind":"A"}`, `1 {"kind":"B"}`}},
		{"braces in strings", `{"kind":"A }"}` + "\n" + `{"kind":"B"}`, []string{`1 {"kind":"A }"}`, `2 {"kind":"B"}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for r, err := range Read(strings.NewReader(test.capture)) {
				if err != nil {
					t.Fatal(err)
				}
				line, _ := json.Marshal(r.Line)
				text := r.Request
				if r.Bad != "" {
					text = "bad: " + r.Bad
				}
				got = append(got, string(line)+" "+text)
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestReadRefusesHugeDocuments(t *testing.T) {
	capture := io.MultiReader(strings.NewReader(`{"kind":"A"}`+"\n"), strings.NewReader(strings.Repeat("a", maxLine+1)))
	records, failures := 0, 0
	for _, err := range Read(capture) {
		if err != nil {
			failures++
			if want := "line 2: a document is larger than 4 MiB"; err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			continue
		}
		records++
	}
	if records != 1 || failures != 1 {
		t.Errorf("%d records and %d errors, want one of each", records, failures)
	}
}

type brokenReader struct{}

var errBroken = errors.New("the disk is gone")

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

func TestReadPassesErrorsOn(t *testing.T) {
	for _, err := range Read(brokenReader{}) {
		if !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
	}
}

func TestAuditEvents(t *testing.T) {
	const reference = `"objectRef":{"resource":"deployments","apiGroup":"apps","apiVersion":"v1","namespace":"shop","name":"web"}`
	const object = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"}}`
	event := func(fields string) string {
		return `{"apiVersion":"audit.k8s.io/v1","kind":"Event","auditID":"7","stage":"ResponseComplete",` + fields + `}`
	}
	for _, test := range []struct{ name, event, skip, note string }{
		{"a creation", event(`"level":"Request","verb":"create",` + reference + `,"requestObject":` + object), "", ""},
		{"an update", event(`"level":"Request","verb":"update",` + reference + `,"requestObject":` + object), "", "updates: audit events do not hold the old object; oldObject is null"},
		{"a patch with its response", event(`"level":"RequestResponse","verb":"patch",` + reference + `,"requestObject":{},"responseObject":` + object), "", "patches: the object is taken from the response, with all mutations in it, and the old object is not known"},
		{"a patch without", event(`"level":"Request","verb":"patch",` + reference + `,"requestObject":{}`), "audit events of patches without responseObject: requestObject is only the patch; record level RequestResponse", ""},
		{"a patch that failed", event(`"level":"RequestResponse","verb":"patch",` + reference + `,"responseObject":{"kind":"Status"}`), "audit events of patches without responseObject: requestObject is only the patch; record level RequestResponse", ""},
		{"metadata only", event(`"level":"Metadata","verb":"create",` + reference), "audit events of level Metadata: they hold no requestObject; record level Request, and RequestResponse for patches", ""},
		{"omitted object", event(`"level":"Request","verb":"create",` + reference), "audit events without requestObject: the object was too large, or the audit policy omits it", ""},
		{"a deletion", event(`"level":"Request","verb":"delete",` + reference), "audit events of deletions: they do not hold the object that is deleted", ""},
		{"a read", event(`"level":"Request","verb":"list",` + reference), `audit events with verb "list": admission does not see them, or they hold no object`, ""},
		{"no object", event(`"level":"Request","verb":"create"`), "audit events without objectRef: they concern no object", ""},
		{"an early stage", strings.Replace(event(`"verb":"create"`), "ResponseComplete", "RequestReceived", 1), "audit events of stage RequestReceived: the same request follows as ResponseComplete", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for r, err := range Read(strings.NewReader(test.event)) {
				if err != nil {
					t.Fatal(err)
				}
				if r.Skip != test.skip || r.Note != test.note {
					t.Errorf("skip %q, note %q; want %q, %q", r.Skip, r.Note, test.skip, test.note)
				}
				if r.Skip == "" && !r.Defaulting {
					t.Error("an audit event has the object as it was sent, without defaults")
				}
			}
		})
	}
}

// TestAuditRequest checks the request that an event becomes.
func TestAuditRequest(t *testing.T) {
	const event = `{"apiVersion":"audit.k8s.io/v1","kind":"Event","level":"Request","auditID":"7","stage":"ResponseComplete",
"requestURI":"/apis/apps/v1/namespaces/shop/deployments/web/scale?dryRun=All","verb":"update","user":{"username":"ann"},"impersonatedUser":{"username":"bob","groups":["dev"]},
"objectRef":{"resource":"deployments","apiGroup":"apps","apiVersion":"v1","namespace":"shop","name":"web","subresource":"scale"},
"requestObject":{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web"}}}`
	const want = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"dryRun":true,"kind":{"group":"autoscaling","kind":"Scale","version":"v1"},` +
		`"name":"web","namespace":"shop","object":{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web"}},"oldObject":null,"operation":"UPDATE",` +
		`"requestKind":{"group":"autoscaling","kind":"Scale","version":"v1"},"requestResource":{"group":"apps","resource":"deployments","version":"v1"},"requestSubResource":"scale",` +
		`"resource":{"group":"apps","resource":"deployments","version":"v1"},"subResource":"scale","uid":"7","userInfo":{"groups":["dev"],"username":"bob"}}}`
	n := 0
	for r, err := range Read(strings.NewReader(strings.ReplaceAll(event, "\n", ""))) {
		n++
		if err != nil || r.Request != want {
			t.Errorf("error %v, got\n%s\nwant\n%s", err, r.Request, want)
		}
	}
	if n != 1 {
		t.Errorf("%d records", n)
	}
}
