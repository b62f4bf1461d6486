package bridge

import (
	"reflect"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/requesttext"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// A plain object stays unchanged; its request's fields and old object are settings.
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
	if got.Text != pod || got.OldObject != pod || !reflect.DeepEqual(got.Request, want) {
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
	before := strings.Replace(pod, "image: a", "image: b", 1)
	got = form(requesttext.Changes{OldObject: &before})
	if got.Text != pod || got.OldObject != before || got.Request.OldObject != before || got.Request.User != "eve" {
		t.Fatalf("got %+v", got)
	}
	s.Options.Request = got.Request
	is := evaluate(s)
	if reflect.DeepEqual(is.OldObject, plain.OldObject) || !reflect.DeepEqual(is.Input, plain.Input) || len(is.Diagnostics.Errors()) > 0 {
		t.Errorf("the old object is %v\nand was %v; %v", is.OldObject, plain.OldObject, is.Diagnostics)
	}
	if back := form(requesttext.Changes{OldObject: &pod}); back.Request.OldObject != "" || back.OldObject != pod {
		t.Errorf("the object itself is kept as a setting: %+v", back)
	}
	s.Options.Request.OldObject = strings.Replace(before, "containers", "kontainers", 1)
	if found := evaluate(s).Diagnostics; len(found) != 1 || found[0].Text != diag.Settings || found[0].Path != "options.request.oldObject.spec.kontainers" {
		t.Errorf("an unknown field of the old object: %+v", found)
	}
	for _, text := range []string{"a: [", "a: 1\n---\nb: 2\n"} {
		s.Options.Request.OldObject = text
		if found := evaluate(s).Diagnostics.Errors(); len(found) != 1 || found[0].Text != diag.Settings {
			t.Errorf("%q: %+v", text, found)
		}
	}
	// The object that is deleted is the text.
	s.Options.Request.Operation = "DELETE"
	if got := form(requesttext.Changes{OldObject: &before}); got.Text != before {
		t.Errorf("got %+v", got)
	}
	// A conflict's repair forces an apply, which another operation ends. An apply is a setting of a review as well.
	s.Options.Request = &scenario.RequestSettings{OldObject: before, Apply: &scenario.ApplySettings{FieldManager: "me"}}
	if got := form(requesttext.Changes{Force: true}); got.OldObject != before || !got.Request.Apply.Force || got.Request.Apply.FieldManager != "me" {
		t.Errorf("got %+v", got)
	}
	if got := form(requesttext.Changes{Operation: new("UPDATE")}); got.Request.Apply != nil {
		t.Errorf("got %+v", got)
	}
	s.Request = "kind: AdmissionReview\napiVersion: admission.k8s.io/v1\nrequest: {operation: CREATE}\n"
	if got := form(requesttext.Changes{Force: true}); got.Request == nil || !got.Request.Apply.Force || got.Request.OldObject != "" {
		t.Errorf("got %+v", got)
	}
}
