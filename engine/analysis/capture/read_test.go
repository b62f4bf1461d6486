package capture

import (
	"errors"
	"fmt"
	"io"
	"slices"
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
			got := read(t, maxRecord, strings.NewReader(test.capture))
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// read returns the records of a capture as LINE REQUEST or LINE bad: PROBLEM.
func read(t *testing.T, limit int, capture io.Reader) []string {
	t.Helper()
	var out []string
	for r, err := range readUpTo(limit, capture) {
		if err != nil {
			t.Fatal(err)
		}
		text := r.Request
		if r.Bad != "" {
			text = "bad: " + r.Bad
		}
		out = append(out, fmt.Sprintf("%d %s", r.Line, text))
	}
	return out
}

// Two records are read around whatever is put between them, which is a record
// itself unless it is a comment.
func TestNothingSwallowsRecords(t *testing.T) {
	for _, test := range []struct {
		between string
		bad     int
		object  bool // it is read
	}{
		{"# comment", 0, false}, {"", 0, false}, {"---", 0, false}, {"--- # more", 0, false}, {"...", 0, false},
		{"null", 1, false}, {"42", 1, false}, {`"x"`, 1, false}, {"[1,2]", 1, false}, {"key: value", 1, true}, {"key:", 1, true}, {"}", 1, false}, {"]", 1, false}, {"- a", 1, false}, {"\x00", 1, false}, {"\xff", 1, false},
		{"--- {}", 1, false}, {"{", 1, false}, {`{"kind":`, 1, false}, {`{"kind":"A`, 1, false}, {"{a: [}", 1, false}, {"'", 1, false}, {"|", 1, false}, {"&a *a", 1, false}, {"%YAML 9", 1, false}, {"a\nb", 2, false},
		{"{}x", 2, true}, {`{"a":1}}`, 2, true},
		{`2026-01-01T00:00:00Z stdout F {"kind":"C"}`, 1, false},
		{"audit: {\"kind\":\"C\"}\naudit: {\"kind\":\"D\"}", 2, true},
	} {
		for _, capture := range []string{`{"kind":"A"}` + "\n" + test.between + "\n" + `{"kind":"B"}` + "\n", "{\n  \"kind\": \"A\"\n}\r\n" + test.between + "\r\n{\n  \"kind\": \"B\"\n}"} {
			got := read(t, maxRecord, strings.NewReader(capture))
			bad, good := 0, 0
			for _, r := range got {
				switch {
				case strings.Contains(r, " bad: "):
					bad++
				case strings.Contains(r, `"A"`) || strings.Contains(r, `"B"`):
					good++
				case test.object:
					bad++ // it is no request, but the engine says so
				case test.between != "kind: C":
					t.Errorf("%q: %s was read", capture, r)
				}
			}
			if bad != test.bad || good != 2 {
				t.Errorf("%q: %d bad, want %d; %d of 2 requests\n%s", capture, bad, test.bad, good, strings.Join(got, "\n"))
			}
		}
	}
}

// A record that is too large is one that cannot be read; those around it are.
func TestHugeRecords(t *testing.T) {
	const bad = "bad: a record is larger than 1000 bytes"
	const limit = 1000
	huge := strings.Repeat("a", limit)
	exactly := `{"kind":"` + strings.Repeat("a", limit-len(`{"kind":""}`)-1) + `"}`
	for name, test := range map[string]struct {
		capture string
		want    []string
	}{
		"a line":         {`{"kind":"A"}` + "\n" + huge + "x\n" + `{"kind":"B"}`, []string{`1 {"kind":"A"}`, "2 " + bad, `3 {"kind":"B"}`}},
		"a line of JSON": {`{"kind":"` + huge + `"}` + "\n" + `{"kind":"B"}`, []string{"1 " + bad, `2 {"kind":"B"}`}},
		"at the limit":   {exactly + "\n" + `{"kind":"B"}`, []string{"1 " + exactly, `2 {"kind":"B"}`}},
		"past the limit": {strings.Replace(exactly, "a", "aa", 1) + "\n" + `{"kind":"B"}`, []string{"1 " + bad, `2 {"kind":"B"}`}},
		"lines of JSON":  {"{\n\"a\":\n" + strings.Repeat("[\n],\n", limit/4) + "1}\n" + `{"kind":"B"}`, []string{"1 " + bad, fmt.Sprintf(`%d {"kind":"B"}`, 4+limit/4*2)}},
		"YAML":           {"a: |\n" + strings.Repeat("  b\n", limit/4+1) + "---\nkind: B", []string{"1 " + bad, fmt.Sprintf(`%d {"kind":"B"}`, limit/4+4)}},
		"an item":        {`{"kind":"List","items":[{"kind":"A"},{"kind":"` + huge + `"},{"kind":"B"}]}`, []string{`1 {"kind":"A"}`, "1 " + bad, `1 {"kind":"B"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, limit, strings.NewReader(test.capture)); !slices.Equal(got, test.want) {
				for i := range got {
					got[i] = got[i][:min(len(got[i]), 100)]
				}
				t.Errorf("got\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

// A List of any length is read item by item, whether it fits into memory or not.
func TestLists(t *testing.T) {
	const limit = 1000
	for _, test := range []struct {
		name, head, item, between, tail string
		typed                           bool
	}{
		{"JSON on a line", `{"apiVersion":"v1","kind":"List","items":[`, `{"kind":"A","i":%d}`, ",", `]}`, false},
		{"JSON as kubectl prints it", "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n", "        {\n            \"kind\": \"A\",\n            \"i\": %d\n        }", ",\n", "\n    ],\n    \"kind\": \"List\"\n}\n", false},
		{"YAML as kubectl prints it", "apiVersion: v1\nitems:\n", "- kind: A\n  i: %d\n  text: |\n    - a\n  list:\n  - b\n", "", "kind: List\nmetadata:\n  resourceVersion: \"\"\n", false},
		{"indented YAML", "kind: List\nitems:\n", "  - kind: A\n    i: %d\n    list:\n      - b\n", "# comment\n\n", "apiVersion: v1\n", false},
		{"a typed list", `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[`, `{"i":%d}`, ",\n", `]}`, true},
	} {
		for _, n := range []int{0, 1, 1001} { // the last is past the limits on a record and on the documents of a text
			t.Run(fmt.Sprintf("%s, %d", test.name, n), func(t *testing.T) {
				var text strings.Builder
				text.WriteString(test.head)
				for i := range n {
					if i > 0 {
						text.WriteString(test.between)
					}
					fmt.Fprintf(&text, test.item, i)
				}
				text.WriteString(test.tail + "\n---\nkind: B\n")
				got := read(t, limit, strings.NewReader(text.String()))
				if len(got) != n+1 || !strings.HasSuffix(got[n], ` {"kind":"B"}`) {
					t.Fatalf("%d records, want %d; the last is %s", len(got), n+1, got[len(got)-1])
				}
				for i, r := range got[:n] {
					kind := `"kind":"A"`
					if test.typed {
						kind = `"kind":"Pod"`
					}
					if flat := strings.Join(strings.Fields(r[strings.Index(r, " "):]), ""); !strings.Contains(flat, kind) || !strings.Contains(flat, fmt.Sprintf(`"i":%d`, i)) {
						t.Fatalf("item %d is %s", i, r)
					}
				}
			})
		}
	}
	for capture, want := range map[string]string{
		`{"kind":"List","items":[{"kind":"A"},null,[{}],{"kind":"B"}]}`: `1 {"kind":"A"}|1 bad: an item of the list is not an object|1 bad: an item of the list is not an object|1 {"kind":"B"}`,
		`{"kind":"List","items":[{"kind":"A"},{"kind"`:                  `1 {"kind":"A"}|1 bad: this is not valid JSON`,
		`{"kind":"A","items":[{"kind":"B"}]}`:                           `1 {"kind":"A","items":[{"kind":"B"}]}`,
		"kind: A\nitems:\n- kind: B\n":                                  `1 {"items":[{"kind":"B"}],"kind":"A"}`,
		"kind: List\nitems:\n- kind: A\n- [\n":                          `3 {"kind":"A"}|4 bad: this is not valid YAML`,
	} {
		if got := strings.Join(read(t, limit, strings.NewReader(capture)), "|"); got != want {
			t.Errorf("%q:\n got %s\nwant %s", capture, got, want)
		}
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
		{"an update", event(`"level":"Request","verb":"update",` + reference + `,"requestObject":` + object), "", "updates: audit events do not have the old object; oldObject is null"},
		{"a patch with its response", event(`"level":"RequestResponse","verb":"patch",` + reference + `,"requestObject":{},"responseObject":` + object), "", "patches: the object is taken from the response, with all mutations in it, and the old object is not known"},
		{"a patch without", event(`"level":"Request","verb":"patch",` + reference + `,"requestObject":{}`), "audit events of patches without responseObject: requestObject is only the patch; record level RequestResponse", ""},
		{"a patch that failed", event(`"level":"RequestResponse","verb":"patch",` + reference + `,"responseObject":{"kind":"Status"}`), "audit events of patches without responseObject: requestObject is only the patch; record level RequestResponse", ""},
		{"metadata only", event(`"level":"Metadata","verb":"create",` + reference), "audit events of level Metadata: they have no requestObject; record level Request, and RequestResponse for patches", ""},
		{"omitted object", event(`"level":"Request","verb":"create",` + reference), "audit events without requestObject: the object was too large, or the audit policy omits it", ""},
		{"a deletion", event(`"level":"Request","verb":"delete",` + reference), "audit events of deletions: they do not have the deleted object", ""},
		{"a read", event(`"level":"Request","verb":"list",` + reference), `audit events with verb "list": admission does not see them, or they have no object`, ""},
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
