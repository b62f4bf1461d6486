package html

import (
	"testing"

	"github.com/preadmit/preadmit/engine/report"
)

// TestMostExpensive: each mutation has its own budget, without other mutations' costs. Validations'
// budget pays for their messages.
func TestMostExpensive(t *testing.T) {
	run := func(name, expression string, list report.List, cost int64) report.Evaluation {
		return report.Evaluation{Name: name, Expression: expression, List: list, Cost: cost, Evaluated: true}
	}
	message := run("", "'m'", report.MessagesList, 70)
	step := report.Step{
		Mutations: []report.Mutation{
			{Evaluation: run("mutation 1", "a", report.MutationList, 10)},
			{Evaluation: run("mutation 2", "c", report.MutationList, 90)},
		},
		Conditions:  []report.Evaluation{run("x", "d", report.ConditionsList, 5)},
		Validations: []report.Validation{{Evaluation: run("validation 1", "e", report.ValidationsList, 20), MessageExpression: &message}},
	}
	step.Mutations[0].Variables = []report.Evaluation{run("v", "b", report.MutationList, 30)}
	for _, test := range []struct {
		budget report.Budget
		want   string
	}{
		{report.Budget{Scope: report.MutationScope, Name: "mutation 1", Used: 40}, "b (cost 30)"},
		{report.Budget{Scope: report.MutationScope, Name: "mutation 2", Used: 90}, "c (cost 90)"},
		{report.Budget{Scope: report.MatchConditionsScope, Used: 5}, "d (cost 5)"},
		{report.Budget{Scope: report.ValidationsScope, Used: 90}, "'m' (cost 70)"},
		{report.Budget{Scope: report.CallScope, Used: 90}, "c (cost 90)"},
	} {
		if got := mostExpensive([]report.Step{step}, test.budget); got != test.want {
			t.Errorf("%s %s: got %q, want %q", test.budget.Scope, test.budget.Name, got, test.want)
		}
	}
}
