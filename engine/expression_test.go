package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestFreeExpressionRepairs: a free expression gets the repairs of a policy's.
func TestFreeExpressionRepairs(t *testing.T) {
	for expression, want := range map[string]string{
		"len(object.spec.x) > 1":    "Write size(object.spec.x) > 1",
		"object.a === 'a'":          "Write object.a == 'a'",
		"true and false":            "Write true && false",
		"object.a.length() > 1":     "Write object.a.size() > 1",
		"math.greatest(1,2,3) > 2":  "Write [1,2,3].max() > 2",
		"cel.bind(x, 1, x + 1) > 1": "Write (1 + 1) > 1",
	} {
		r, err := Evaluate(context.Background(), scenario.Scenario{Expression: expression, ExpressionContext: scenario.ValidationContext}, Everything())
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Diagnostics) == 0 || len(r.Diagnostics[0].Fixes) == 0 || r.Diagnostics[0].Fixes[0].Title != want {
			t.Errorf("%s: %+v, want %q", expression, r.Diagnostics, want)
		}
	}
}

// TestExpressionWithoutRequest: that there is no request is no mistake of the expression.
func TestExpressionWithoutRequest(t *testing.T) {
	for _, at := range []string{scenario.ValidationContext, scenario.ConditionContext, scenario.WebhookContext, scenario.MessageContext, scenario.MutationContext} {
		for _, expression := range []string{"object.spec.x", "oldObject.metadata.name", "request.operation == 'CREATE'"} {
			r, err := Evaluate(context.Background(), scenario.Scenario{Expression: expression, ExpressionContext: at}, Everything())
			if err != nil {
				t.Fatal(err)
			}
			name, _, _ := strings.Cut(expression, ".")
			if len(r.Diagnostics) != 1 || r.Diagnostics[0].Summary != "there is no request, so "+name+" has no value" || len(r.Diagnostics[0].Fixes) > 0 || r.Diagnostics[0].Text != diag.Expression {
				t.Errorf("%s in %s: %+v", expression, at, r.Diagnostics)
			}
		}
	}
}
