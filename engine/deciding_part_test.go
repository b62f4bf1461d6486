package engine

import (
	"context"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestDecisiveInText checks the place in the text of the part that decided,
// which the editor marks, also where an expression fails at run time.
func TestDecisiveInText(t *testing.T) {
	for example, want := range map[string]string{
		"no-such-key": "object.metadata.labels",
		"first-look":  "object.spec.replicas <= variables.limit",
	} {
		s := readExample(t, "../examples/"+example)
		r, err := Evaluate(context.Background(), s, Everything())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range r.Steps {
			r.Steps[i].Evaluations(func(e *report.Evaluation) {
				if e.Decisive != nil && e.Text == diag.Policies {
					got = append(got, s.Policies[e.Decisive.Span.Start:e.Decisive.Span.End])
				}
			})
		}
		if !slices.Contains(got, want) {
			t.Errorf("%s: marked are %q, want %q among them", example, got, want)
		}
	}
}

// TestDecisiveAlternative: of the alternatives of an "or", the one for the value's type decides.
func TestDecisiveAlternative(t *testing.T) {
	const expression = "type(object.a) == int && object.a > 0 || type(object.a) == string && quantity(object.a).isLessThan(quantity('4Gi'))"
	r, err := Evaluate(context.Background(), scenario.Scenario{Expression: expression, Request: "{apiVersion: e.com/v1, kind: A, metadata: {name: a}, a: 5Gi}"}, Everything())
	if err != nil {
		t.Fatal(err)
	}
	if _, got, _ := r.Expression.DecisivePart(); got != "quantity(object.a).isLessThan(quantity('4Gi'))" {
		t.Errorf("decided by %q", got)
	}
}
