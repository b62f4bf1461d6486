package engine

import (
	"context"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/budget"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Rest is what an evaluation has left for later. It is for one goroutine.
type Rest struct{ run *evaluation }

// AnswerFirst is [Engine.AnswerFirst] of an Engine that lives as long as the program.
func AnswerFirst(ctx context.Context, s scenario.Scenario, o Options) (*report.Report, *Rest, error) {
	return standard().AnswerFirst(ctx, s, o)
}

// AnswerFirst is [Engine.Evaluate] for callers that show the answer before all that there is to
// say about it: the checks of [Options.Safety] and [Options.Foresee] are left for [Rest.Complete], which completes the
// report that this returns. There is no Rest where nothing is left, and none without a report.
func (e *Engine) AnswerFirst(ctx context.Context, s scenario.Scenario, o Options) (r *report.Report, rest *Rest, err error) {
	defer failure(&r, s.Kubernetes)
	run, r, err := e.begin(ctx, s, o)
	if run == nil {
		return r, nil, err
	}
	run.answerFirst = true
	if r, err = run.evaluate(ctx); err != nil || !run.later {
		return r, nil, err
	}
	return r, &Rest{run}, nil
}

// Complete adds to the report what was left: its findings, with what belongs to them among the
// steps' notes, the diagnostics and what is not simulated. It reports whether the diagnostics are others now.
// Called again it does nothing. What a deadline of the context leaves out the report says. The error
// is for a context that was canceled, or an [*InternalError].
func (r *Rest) Complete(ctx context.Context) (diagnostics bool, err error) {
	defer guard.Error(&err)
	e := r.run
	if e == nil {
		return false, nil
	}
	r.run = nil
	before := len(e.report.Diagnostics)
	e.budget = e.budget.Later(ctx)
	e.evaluator = e.evaluator.Within(ctx, e.budget)
	e.checkSafety()
	e.foresee(ctx)
	if budget.Canceled(ctx) {
		return false, context.Cause(ctx)
	}
	return len(e.report.Diagnostics) != before, nil
}

// checkSafety runs the request again with something changed, and adds what it finds to the report,
// which is complete otherwise.
func (e *evaluation) checkSafety() {
	if !e.hadRequest || !e.options.Safety {
		return
	}
	before := len(e.report.Diagnostics)
	e.optional("The safety checks", safetyShare, func() {
		e.safety().Check()
		e.checkPlaceholders()
	})
	e.optional("The object's Pods", workloadShare, e.makePods)
	if added := e.report.Diagnostics[before:]; len(added) > 0 {
		markSure(added)
		diag.Locate(added, e.texts())
		inOrder(e.report.Diagnostics)
	}
}
