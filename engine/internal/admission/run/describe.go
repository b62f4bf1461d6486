package run

import (
	"github.com/preadmit/preadmit/engine/internal/admission/condition"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/report"
)

// DescribeConditions puts the outcome of match conditions into a step. variable
// gives the place of a variable by its name.
func (c *Chain) DescribeConditions(step *report.Step, outcome condition.Outcome, variable func(string) explain.Source) {
	s := step
	s.Conditions, s.ConditionsElapsed = outcome.Evaluations, outcome.Elapsed
	if len(outcome.Evaluations) > 0 {
		s.Variables = append(s.Variables, explain.Variables(outcome.Variables, variable, model.MatchCondition.List)...)
		c.AddBudget(step, report.Budget{Scope: model.MatchCondition.Budget.Scope, Limit: model.MatchCondition.Budget.Limit, Used: outcome.Used, Exceeded: outcome.Exceeded})
	}
	switch {
	case outcome.Excluding != "":
		s.Status, s.Reason = report.Excluded, "match condition "+quote(outcome.Excluding)+" is false"
	case outcome.Ignored != "":
		s.Status, s.Error = report.Excluded, outcome.Ignored
		s.Reason = "a match condition failed; with failurePolicy Ignore that counts as no match"
	case outcome.Err != "" && outcome.Exceeded:
		s.Status, s.Error = report.Errored, outcome.Err
		s.Reason = "the match conditions used up their cost budget, which counts as a failure even if one of them is false; failurePolicy decides"
	case outcome.Err != "":
		s.Status, s.Error = report.Errored, outcome.Err
		s.Reason = "a match condition failed and none is false, so failurePolicy decides"
	}
}

func quote(s string) string { return "\"" + s + "\"" }
