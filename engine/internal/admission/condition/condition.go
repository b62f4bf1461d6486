// Package condition evaluates the matchConditions of policies and webhooks
// (semantics §3).
package condition

import (
	"slices"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/report"
)

// Condition is one compiled match condition.
type Condition struct {
	Source   explain.Source
	Compiled *eval.Compiled
}

// Outcome is what the conditions of one policy or webhook decide.
type Outcome struct {
	Matches bool
	// Excluding names the first condition that is false.
	Excluding string
	// Err is the server's text when the conditions failed and the failure
	// policy does not ignore that.
	Err         string
	Evaluations []report.Evaluation
	Variables   []*eval.VariableResult
	// Used is what the conditions cost together, in CEL cost units; Exceeded says
	// that it was more than expr.MatchConditionsBudget.
	Used     int64
	Exceeded bool
	// Ignored holds the errors that failurePolicy Ignore turned into "does not
	// match".
	Ignored string
	// Elapsed is the time that all of them took together; 0 when the evaluator has no
	// clock.
	Elapsed time.Duration
}

// Evaluate runs all conditions, without short circuit, and decides: the first
// false excludes whatever errors there were; errors without a false go to the
// failure policy; a broken budget is an error even after a false.
func Evaluate(evaluator *eval.Evaluator, list []Condition, variables []eval.Variable, in eval.Inputs, ignore bool) Outcome {
	out := Outcome{Matches: true}
	if len(list) == 0 {
		return out
	}
	elapsed := evaluator.Measure()
	run := evaluator.NewListRun(in, variables, eval.MatchConditionsBudget)
	var few [3]eval.Result // most have no more
	results := few[:0]
	for _, c := range list {
		results = append(results, run.Run(c.Compiled))
	}
	out.Elapsed = elapsed()
	out.Evaluations = make([]report.Evaluation, 0, len(list))
	for i, c := range list {
		out.Evaluations = append(out.Evaluations, explain.Evaluation(c.Source, results[i], model.MatchCondition.List))
	}
	out.Variables = run.Variables
	out.Used = eval.MatchConditionsBudget - run.Remaining
	if run.Abort != "" {
		out.Exceeded = true
		out.fail([]string{run.Abort}, ignore)
		return out
	}
	var errs []string
	for i, r := range results {
		switch {
		case r.Err != "":
			errs = append(errs, r.Err)
		case r.Value == types.False:
			out.Matches, out.Excluding = false, list[i].Source.Name
			return out
		}
	}
	if len(errs) > 0 {
		out.fail(errs, ignore)
	}
	return out
}

func (o *Outcome) fail(errs []string, ignore bool) {
	o.Matches = false
	if text := aggregate(errs); ignore {
		o.Ignored = text
	} else {
		o.Err = text
	}
}

// aggregate joins errors as the server does: duplicates once, one alone
// without brackets.
func aggregate(errs []string) string {
	var distinct []string
	for _, e := range errs {
		if !slices.Contains(distinct, e) {
			distinct = append(distinct, e)
		}
	}
	if len(distinct) == 1 {
		return distinct[0]
	}
	return "[" + strings.Join(distinct, ", ") + "]"
}
