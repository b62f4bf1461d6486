package bridge

import (
	"reflect"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/edit/requesttext"
	"github.com/preadmit/preadmit/engine/scenario"
)

func TestRequestForm(t *testing.T) {
	s := map[string]any{"request": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"}
	var got Formed
	if msg := callWith(t, "request/form", map[string]any{"scenario": s, "set": map[string]any{"operation": "UPDATE"}}, &got); msg != "" {
		t.Fatal(msg)
	}
	if !strings.Contains(got.Text, "operation: UPDATE") || !strings.Contains(got.OldObject, "kind: ConfigMap") {
		t.Errorf("got %+v", got)
	}
	s["request"] = got.Text
	var read, broken Formed
	if msg := callWith(t, "request/form", map[string]any{"scenario": s}, &read); msg != "" || read.OldObject != got.OldObject || read.Text != got.Text {
		t.Errorf("%s: got %+v", msg, read)
	}
	if msg := callWith(t, "request/form", map[string]any{"scenario": s, "set": map[string]any{"oldObject": "a: ["}}, &broken); msg != "" || len(broken.Problems) == 0 || broken.Text != got.Text {
		t.Errorf("%s: got %+v", msg, broken)
	}
}

// An object that is wrapped in a review keeps the server's defaults.
func TestWrappedKeepsDefaults(t *testing.T) {
	pod := "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec: {containers: [{name: a, image: a}]}\n"
	s := scenario.Scenario{Request: pod}
	var got Formed
	if msg := callWith(t, "request/form", FormParams{Scenario: s, Set: &requesttext.Changes{User: new("eve")}}, &got); msg != "" {
		t.Fatal(msg)
	}
	if got.Defaulting == nil || !*got.Defaulting || !strings.Contains(got.Text, "kind: AdmissionReview") {
		t.Fatalf("got %+v", got)
	}
	was, err := engine.Evaluate(t.Context(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Request, s.Options.Defaulting = got.Text, got.Defaulting
	is, err := engine.Evaluate(t.Context(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if is.Request.User != "eve" || !reflect.DeepEqual(is.Input, was.Input) || len(is.Steps) != len(was.Steps) {
		t.Errorf("the object is %v\nand was %v", is.Input, was.Input)
	}
	if derived := strings.Join(is.Request.Derived, " "); !strings.Contains(derived, "options.defaulting") {
		t.Errorf("nothing is said of the defaults: %s", derived)
	}
	// The next change has nothing to wrap, and a setting of the reader stays.
	var next, own Formed
	off := false
	_ = callWith(t, "request/form", FormParams{Scenario: s, Set: &requesttext.Changes{User: new("bob")}}, &next)
	_ = callWith(t, "request/form", FormParams{Scenario: scenario.Scenario{Request: pod, Options: scenario.Options{Defaulting: &off}}, Set: &requesttext.Changes{User: new("bob")}}, &own)
	if next.Defaulting != nil || own.Defaulting != nil || next.Text == "" || own.Text == "" {
		t.Errorf("got %+v and %+v", next, own)
	}
}
