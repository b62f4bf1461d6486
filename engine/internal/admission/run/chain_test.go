package run

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

// The limits are those of semantics §7.5.
func TestWarnings(t *testing.T) {
	long := strings.Repeat("ü", 300)
	var c Chain
	c.Warn("a")
	c.Warn("b")
	c.Warn("a")
	if got := c.Warnings(); !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Errorf("duplicates: %v", got)
	}
	c.Warn(long)
	if got := c.Warnings()[2]; got != long {
		t.Errorf("a long warning alone is cut to %d runes", len([]rune(got)))
	}
	for i := range 20 {
		c.Warn(strings.Repeat(string(rune('a'+i)), 300))
	}
	total := 0
	for _, w := range c.Warnings() {
		n := len([]rune(w))
		if n > cutWarningRunes {
			t.Errorf("%d runes after the total was exceeded", n)
		}
		total += n
	}
	// The last one is written whole: the server looks at the sum before it.
	if total < maxWarningRunes || total >= maxWarningRunes+cutWarningRunes {
		t.Errorf("%d runes in all", total)
	}
}

// What a header cannot hold does not reach the client; when it becomes
// possible because the text is cut, it does.
func TestWarningsInHeaders(t *testing.T) {
	var c Chain
	hidden := strings.Repeat("h", cutWarningRunes) + "\n"
	for _, text := range []string{"", "two\nlines", "tab\t", "\u0085", `"quoted" \`, "\xff", hidden} {
		c.Warn(text)
	}
	if got, want := c.Warnings(), []string{`"quoted" \`}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	c.Warn(strings.Repeat("x", maxWarningRunes))
	if got := c.Warnings(); len(got) != 4 || got[1] != "\ufffd" && got[1] != hidden[:cutWarningRunes] {
		t.Errorf("after the cut: %q", got)
	}
}

func TestAnnotateKeepsTheFirst(t *testing.T) {
	var c Chain
	c.Annotate("a.example.com/k", "1")
	c.Annotate("a.example.com/k", "2")
	if got := c.AuditAnnotations()["a.example.com/k"]; got != "1" {
		t.Errorf("got %q", got)
	}
}

// The server rejects keys that are not qualified names.
func TestAnnotateDropsBadKeys(t *testing.T) {
	var c Chain
	for _, key := range []string{"k", "a.example.com/", "a.example.com/b/c", "a.example.com/with space", "a.example.com/" + strings.Repeat("k", 64), "a.example.com/-k"} {
		c.Annotate(key, "1")
	}
	if got := c.AuditAnnotations(); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestForbiddenNames(t *testing.T) {
	for _, test := range []struct {
		name, objectName, generateName, want string
	}{
		{"web", "other", "", `pods "web" is forbidden: no`},
		{"", "web", "web-", `pods "web" is forbidden: no`},
		{"", "", "web-", `pods "web-" is forbidden: no`},
		{"", "", "", `pods "Unknown" is forbidden: no`},
	} {
		c := Chain{Attributes: Attributes{Request: match.Request{
			Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Name: test.name,
			Object: map[string]any{"metadata": map[string]any{"name": test.objectName, "generateName": test.generateName}},
		}}}
		if got := c.Forbidden(errors.New("no")).ErrStatus; got.Message != test.want || got.Code != 403 {
			t.Errorf("%+v: %d %s", test, got.Code, got.Message)
		}
	}
}

// Semantics §6.7.
func TestReinvocation(t *testing.T) {
	builtin, err := catalog.For(version.MustParse("1.36"))
	if err != nil {
		t.Fatal(err)
	}
	object := map[string]any{"spec": map[string]any{"n": int64(1)}}
	c := &Chain{Catalog: builtin, Attributes: Attributes{Request: match.Request{Object: object}}}
	var r Reinvocation
	r.Begin(c)
	r.Invoked("a")
	r.End(c)
	c.Pass = 1
	r.Begin(c)
	if r.Due("a") {
		t.Error("nothing changed after a")
	}
	r.Invoked("a")
	c.Attributes.Object = map[string]any{"spec": map[string]any{"n": int64(2)}}
	r.Begin(c)
	if !r.Due("a") {
		t.Error("another writer changed the object after a")
	}
	r.Require()
	if r.Due("b") {
		t.Error("b was never invoked")
	}
	r.Invoked("b")
	r.Require()
	if !r.Due("a") || !r.Due("b") {
		t.Error("what is due stays due")
	}

	// A patch of another that only took the fractions of a second from managedFields.
	var precise Reinvocation
	c.Pass, c.Precise = 0, true
	precise.Begin(c)
	precise.Invoked("a")
	precise.End(c)
	c.Pass, c.Precise = 1, false
	if precise.Begin(c); !precise.Due("a") {
		t.Error("the times lost their fractions after a")
	}
}

// The server's library crashes when a list of operations that was made, not
// decoded, goes below null.
func TestApplyPatchCrashes(t *testing.T) {
	raw := func(s string) *json.RawMessage { m := json.RawMessage(s); return &m }
	c := &Chain{Report: &report.Report{}, Evaluator: eval.NewEvaluator(context.Background(), eval.Options{})}
	step := c.AddStep(report.Step{})
	patch := jsonpatch.Patch{
		{"op": raw(`"add"`), "path": raw(`"/a"`), "value": raw("null")},
		{"op": raw(`"add"`), "path": raw(`"/a/b"`), "value": raw("1")},
	}
	var status *apierrors.StatusError
	if _, err := c.ApplyPatch(step, patch, []byte("{}")); !errors.As(err, &status) || c.Panic != "assignment to entry in nil map" {
		t.Errorf("%v, panic %q", err, c.Panic)
	}
	if notes := step.Notes; len(notes) != 1 || notes[0].Code != "server-panic" {
		t.Errorf("notes: %v", notes)
	}
}

// TestTestsForNothing: up to 1.34 a test operation without a value crashes the
// server when there is nothing at its path.
func TestTestsForNothing(t *testing.T) {
	for _, test := range []struct {
		patch string
		old   string // what the panic of 1.34 says
	}{
		{`[{"op": "test", "path": "/none"}]`, "runtime error: invalid memory address or nil pointer dereference"},
		{`[{"op": "remove", "path": "/a"}, {"op": "test", "path": "/a"}]`, "runtime error: invalid memory address or nil pointer dereference"},
		{`[{"op": "test", "path": "/a"}]`, ""},
		{`[{"op": "remove", "path": "/none"}, {"op": "test", "path": "/none"}]`, ""},
		{`[{"op": "test", "path": "/a", "value": 1}]`, ""},
		{`[{"op": "test", "path": "/none", "value": null}]`, ""}, // a value that is null is given
	} {
		patch, err := jsonpatch.DecodePatch([]byte(test.patch))
		if err != nil {
			t.Fatal(err)
		}
		for kubernetes, want := range map[string]string{"1.34": test.old, "1.35": ""} {
			c := &Chain{Report: &report.Report{}, Evaluator: eval.NewEvaluator(context.Background(), eval.Options{}), Version: version.MustParse(kubernetes)}
			// An error of the patch itself is the same on both.
			if _, _ = c.ApplyPatch(c.AddStep(report.Step{}), patch, []byte(`{"a": 1}`)); c.Panic != want {
				t.Errorf("%s on %s: panic %q, want %q", test.patch, kubernetes, c.Panic, want)
			}
		}
	}
}

// TestReplaceByScalar: up to 1.34 nothing happens, later it is an error.
func TestReplaceByScalar(t *testing.T) {
	patch, err := jsonpatch.DecodePatch([]byte(`[{"op": "replace", "path": "", "value": 1}]`))
	if err != nil {
		t.Fatal(err)
	}
	for kubernetes, want := range map[string]string{"1.34": `{"a":1}`, "1.35": ""} {
		c := &Chain{Report: &report.Report{}, Evaluator: eval.NewEvaluator(context.Background(), eval.Options{}), Version: version.MustParse(kubernetes)}
		after, err := c.ApplyPatch(c.AddStep(report.Step{}), patch, []byte(`{"a":1}`))
		if string(after) != want || (err == nil) != (want != "") {
			t.Errorf("on %s: %s, %v", kubernetes, after, err)
		}
	}
}

// What the client or the audit log does not get is noted at the step.
func TestNotesOnWhatIsDropped(t *testing.T) {
	c := Chain{Report: &report.Report{}, Evaluator: eval.NewEvaluator(context.Background(), eval.Options{})}
	c.AddStep(report.Step{})
	step := c.AddStep(report.Step{})
	c.Enter(step)
	for _, text := range []string{"fine", "fine", "", "two\nlines", strings.Repeat("x", maxWarningRunes), strings.Repeat("y", maxWarningRunes)} {
		c.Warn(text)
	}
	for i := range 20 {
		c.Warn(strings.Repeat(string(rune('a'+i)), cutWarningRunes))
	}
	c.Annotate("no-prefix", "1")
	for _, value := range []string{"1", "1", "2"} {
		c.Annotate("a.example.com/k", value)
	}
	var got []string
	for _, n := range step.Notes {
		got = append(got, n.Code)
	}
	want := []string{"warning-dropped", "warning-dropped", "warning-cut", "warning-cut", "warning-dropped", "annotation-dropped", "annotation-dropped"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if other := c.Steps()[0]; len(other.Notes) > 0 {
		t.Errorf("another step has %v", other.Notes)
	}
}
