package chain

import (
	"github.com/preadmit/preadmit/engine/condition"
	"github.com/preadmit/preadmit/engine/expr"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/trace"
)

// DescribeConditions puts the outcome of match conditions into a step. variable
// gives the place of a variable by its name.
func (c *Chain) DescribeConditions(step int, outcome condition.Outcome, variable func(string) trace.Source) {
	s := c.Step(step)
	s.Conditions = outcome.Evaluations
	if len(outcome.Evaluations) > 0 {
		s.Variables = append(s.Variables, trace.Variables(outcome.Variables, variable, "conditions")...)
		c.AddBudget(report.Budget{Scope: "matchConditions", Limit: expr.MatchConditionsBudget, Used: outcome.Used, Exceeded: outcome.Exceeded, Step: step})
	}
	switch {
	case outcome.Excluding != "":
		s.Status, s.Reason = report.Excluded, "match condition "+quote(outcome.Excluding)+" is false"
	case outcome.Ignored != "":
		s.Status, s.Error = report.Excluded, outcome.Ignored
		s.Reason = "a match condition failed; failurePolicy Ignore makes that a no"
	case outcome.Err != "" && outcome.Exceeded:
		s.Status, s.Error = report.Errored, outcome.Err
		s.Reason = "the match conditions used up their cost budget, which counts as a failure even if one of them is false; failurePolicy decides"
	case outcome.Err != "":
		s.Status, s.Error = report.Errored, outcome.Err
		s.Reason = "a match condition failed and none is false, so failurePolicy decides"
	}
}

func quote(s string) string { return "\"" + s + "\"" }
