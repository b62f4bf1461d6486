package answer

import (
	"context"
	"errors"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/answer/outcome"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/repair/trial"
	"github.com/preadmit/preadmit/engine/options"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// triesShare is what all trials together may take, in hundredths of what one evaluation may.
const triesShare = 10

// TryRepairs tries the repairs of a run's report, and drops those that lead to another problem.
func TryRepairs(ctx context.Context, e *evaluate.Evaluation) { tryRepairs(ctx, e, nil) }

// tryRepairs leaves out the problems that skip names; nil for none. The others are foreseen, and a repair after which a
// validation denies everything, or nothing, is no better.
func tryRepairs(ctx context.Context, e *evaluate.Evaluation, skip func(diag.Diagnostic) bool) {
	limits := e.Options.Limits
	if limits.Work >= 0 {
		limits.Work = max(compile.Limit(limits.Work, options.DefaultLimits().Work)*triesShare/100, 1)
	}
	t := trial.Trial{Scenario: e.Scenario, Documents: e.Compiled.Documents, Report: e.Report, Catalog: e.Catalog, Budget: compile.Budget(ctx, limits), Skip: skip}
	store, o := e.Store.Aside(skip != nil), options.Options{Defaulting: e.Options.Defaulting, AdmissionOnly: e.Options.AdmissionOnly}
	t.Compile = func(s scenario.Scenario) (_ trial.Run, err error) {
		defer guard.Error(&err)
		c, err := store.Compile(t.Budget, s)
		return func(s scenario.Scenario, traces eval.Options) (*report.Report, error) {
			run := evaluate.Begin(ctx, c, o, traces)
			run.Scenario = s
			after, err := outcome.Evaluate(ctx, run)
			if err == nil && (run.Ended != nil || run.Compiled.Cut) {
				err = errors.New("the trial was not ended")
			}
			return after, err
		}, err
	}
	t.Withhold()
}
