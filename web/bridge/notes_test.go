package bridge

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// many returns a scenario with the given number of denying policies.
func many(policies int) scenario.Scenario {
	var text strings.Builder
	for i := range policies {
		fmt.Fprintf(&text, `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p%02d}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [{expression: "object.data.size() == %d && has(object.data.b)", message: "%d entries"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p%02d}
spec: {policyName: p%02d, validationActions: [Deny]}
`, i, i+2, i+2, i, i)
	}
	return scenario.Scenario{Now: "2026-01-01T00:00:00Z", Policies: text.String(), Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: default}\ndata: {a: b}\n"}
}

// evaluated evaluates a scenario as the page does.
func evaluated(t *testing.T, p EvaluateParams) Evaluated {
	t.Helper()
	p.Parts = []html.Part{html.StepsPart}
	var out Evaluated
	if msg := callWith(t, "evaluate", p, &out); msg != "" {
		t.Fatal(msg)
	}
	return out
}

// TestNotesOfWhatIsSeen: an editor's notes cover the visible expressions.
func TestNotesOfWhatIsSeen(t *testing.T) {
	s := many(5)
	id := evaluated(t, EvaluateParams{Scenario: s}).ID
	third := strings.Index(s.Policies, "object.data.size() == 4")
	for _, test := range []struct {
		name string
		in   []Sight
		want string
	}{
		{"nothing", nil, ""},
		{"all", []Sight{{Text: diag.Policies, End: len(s.Policies)}}, "2 3 4 5 6"},
		{"a part of one expression", []Sight{{diag.Policies, third + 5, third + 6}}, "4"},
		{"up to one", []Sight{{diag.Policies, 0, third}}, "2 3 4"},
		{"the same place of another text", []Sight{{diag.Request, 0, third}}, ""},
		{"two parts", []Sight{{diag.Policies, 0, 400}, {diag.Policies, third, third + 1}}, "2 4"},
	} {
		var got Noted
		if msg := callWith(t, "notes", NotesParams{ID: id, In: test.in}, &got); msg != "" {
			t.Fatal(msg)
		}
		var found []string
		for _, step := range got.Steps {
			for _, v := range step.Validations {
				found = append(found, strings.TrimPrefix(strings.Split(v.Expression, " && ")[0], "object.data.size() == "))
			}
		}
		if with := evaluated(t, EvaluateParams{Scenario: s, In: test.in}).Notes; !reflect.DeepEqual(with, got.Steps) {
			t.Errorf("%s: the notes that come with a result are %v, and not %v", test.name, with, got.Steps)
		}
		if list := strings.Join(found, " "); list != test.want {
			t.Errorf("%s: got the expressions %q, want %q", test.name, list, test.want)
		}
	}
	var gone Noted
	if msg := callWith(t, "notes", NotesParams{ID: id + 1000}, &gone); msg != "" || !gone.Gone {
		t.Errorf("a report that is not kept: %q %+v", msg, gone)
	}
}

// folds returns the keys of folds in HTML, and whether their content is present.
func folds(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(`<details class="(?:parts|detail|folded-diff)"[^>]*data-key="([^"]+)"[^>]*><summary>[^<]*</summary>\s*(</details>)?`).FindAllStringSubmatch(text, -1) {
		out[m[1]] = m[2] == ""
	}
	return out
}

// TestFolds: folded content is rendered on opening, and equals the full rendering.
func TestFolds(t *testing.T) {
	s := many(40)
	closed := evaluated(t, EvaluateParams{Scenario: s})
	steps := closed.HTML.Parts[html.StepsPart]
	list := folds(steps)
	unfolded := 0
	for key, there := range list {
		if strings.Count(key, "-") > 1 {
			if there {
				t.Errorf("the values of parts of %s are rendered, and nobody has opened them", key)
			}
		} else if there {
			unfolded++
		}
	}
	if unfolded != 12 {
		t.Errorf("%d steps show their expressions, want 12", unfolded)
	}
	// A closed step, and the values of parts in it.
	step := ""
	for key, there := range list {
		if !there && strings.Count(key, "-") == 1 && key > step {
			step = key
		}
	}
	parts := step + "-validation-0"
	view, ok := results.find(closed.ID)
	if !ok {
		t.Fatal("the report is not kept")
	}
	view.Lazy = false
	whole, err := view.Parts(context.Background(), html.StepsPart)
	if err != nil {
		t.Fatal(err)
	}
	open := evaluated(t, EvaluateParams{Scenario: s, Open: []string{step, parts}}).HTML.Parts[html.StepsPart]
	if list := folds(open); !list[step] || !list[parts] {
		t.Errorf("what the reader has opened is not rendered with a new result: %v %v", list[step], list[parts])
	}
	for _, test := range []struct {
		key    string
		around []string
	}{{step, nil}, {parts, []string{step}}} {
		var got Unfolded
		if msg := callWith(t, "unfold", UnfoldParams{ID: closed.ID, Key: test.key, Around: test.around}, &got); msg != "" {
			t.Fatal(msg)
		}
		if got.HTML == "" {
			t.Fatalf("nothing comes for %s", test.key)
		}
		if test.key == parts && !strings.Contains(whole[html.StepsPart], got.HTML) {
			t.Errorf("%s is not in the whole:\n%s", test.key, got.HTML)
		}
		if !strings.Contains(got.HTML, "object.data.size()") {
			t.Errorf("%s lacks its expression:\n%s", test.key, got.HTML)
		}
	}
	var none Unfolded
	if msg := callWith(t, "unfold", UnfoldParams{ID: closed.ID, Key: "step-99"}, &none); msg != "" || none.HTML != "" {
		t.Errorf("a fold that does not exist: %q %+v", msg, none)
	}
}

// TestObject: the object to edit by hand is the final one, and its fingerprint changes with it.
func TestObject(t *testing.T) {
	s := many(1)
	of := func(s scenario.Scenario, print bool) string {
		t.Helper()
		e := evaluated(t, EvaluateParams{Scenario: s})
		var got ObjectText
		if msg := callWith(t, "object", ObjectParams{ID: e.ID, Print: print}, &got); msg != "" {
			t.Fatal(msg)
		}
		if e.Editable != (got.Text != "") {
			t.Errorf("editable is %v, and the text %q", e.Editable, got.Text)
		}
		return got.Text
	}
	if text := of(s, false); !strings.Contains(text, "name: c\n") {
		t.Errorf("the object is\n%s", text)
	}
	other := s
	other.Request = strings.Replace(s.Request, "{a: b}", "{a: c}", 1)
	once, again := of(s, true), of(s, true)
	if once != again || once == of(other, true) {
		t.Error("the fingerprint does not follow the object")
	}
	none := s
	none.Request = ""
	if text := of(none, false) + of(none, true); text != "" {
		t.Errorf("without a request there is the object\n%s", text)
	}
}

// TestLargeReportsAreDropped: many reports on small texts are kept, few on large ones.
func TestLargeReportsAreDropped(t *testing.T) {
	for _, test := range []struct{ bytes, want int }{{100, maxKept}, {200 << 10, 2}, {2 << 20, 2}} {
		var k keptResults
		for range 2 * maxKept {
			k.keep(html.NewView(&report.Report{}, map[diag.Text]string{diag.Request: strings.Repeat("x", test.bytes)}), nil)
		}
		if len(k.list) != test.want {
			t.Errorf("of reports on %d bytes %d are kept, want %d", test.bytes, len(k.list), test.want)
		}
	}
}
