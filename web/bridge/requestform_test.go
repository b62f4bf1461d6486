package bridge

import (
	"reflect"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/edit/requesttext"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// A plain object stays unchanged; its request's fields are settings. A separate old object moves
// the settings into an AdmissionReview, with the server's defaults as before.
func TestRequestForm(t *testing.T) {
	pod := "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec: {containers: [{name: a, image: a}]}\n"
	s := scenario.Scenario{Request: pod}
	form := func(set requesttext.Changes) Formed {
		t.Helper()
		var got Formed
		if msg := callWith(t, "request/form", FormParams{Scenario: s, Set: &set}, &got); msg != "" {
			t.Fatal(msg)
		}
		return got
	}
	evaluate := func(s scenario.Scenario) *report.Report {
		t.Helper()
		r, err := engine.Evaluate(t.Context(), s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	s.Options.Request = form(requesttext.Changes{Operation: new("UPDATE")}).Request
	got := form(requesttext.Changes{User: new("eve"), Groups: &[]string{"dev"}, DryRun: new(true)})
	want := &scenario.RequestSettings{Operation: "UPDATE", User: "eve", Groups: []string{"dev"}, DryRun: true}
	if got.Text != pod || got.OldObject != pod || got.Defaulting != nil || !reflect.DeepEqual(got.Request, want) {
		t.Fatalf("got %+v", got)
	}
	s.Options.Request = got.Request
	plain := evaluate(s)
	if q := plain.Request; q.Operation != "UPDATE" || q.User != "eve" || !q.DryRun || plain.OldObject == nil || len(plain.Diagnostics.Errors()) > 0 {
		t.Errorf("evaluated %+v, %v", q, plain.Diagnostics)
	}
	if back := form(requesttext.Changes{Operation: new(""), User: new(""), Groups: &[]string{}, DryRun: new(false)}); back.Request != nil {
		t.Errorf("left %+v", back.Request)
	}

	broken := form(requesttext.Changes{OldObject: new("a: [")})
	if len(broken.Problems) == 0 || broken.Text != pod || broken.Request == nil {
		t.Errorf("got %+v", broken)
	}
	wrapped := form(requesttext.Changes{OldObject: new(pod)})
	if wrapped.Defaulting == nil || !*wrapped.Defaulting || wrapped.Request != nil || !strings.Contains(wrapped.Text, "username: eve") {
		t.Fatalf("got %+v", wrapped)
	}
	s.Request, s.Options = wrapped.Text, scenario.Options{Defaulting: wrapped.Defaulting}
	is := evaluate(s)
	if is.Request.User != "eve" || !reflect.DeepEqual(is.Input, plain.Input) || len(is.Steps) != len(plain.Steps) {
		t.Errorf("the object is %v\nand was %v", is.Input, plain.Input)
	}
	// Now the text has all fields, which are changed there.
	if next := form(requesttext.Changes{User: new("bob")}); next.Request != nil || next.Defaulting != nil || !strings.Contains(next.Text, "username: bob") {
		t.Errorf("got %+v", next)
	}
}
