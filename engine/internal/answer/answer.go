// Package answer runs a request and completes its report with findings and tried repairs.
package answer

import (
	"context"

	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/answer/foresight"
	"github.com/preadmit/preadmit/engine/internal/answer/outcome"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/report"
)

// Of runs a request and completes its report by its options. With first, it postpones what the answer
// does not need, and left says that [Later] has work to do. A canceled context leaves no report.
func Of(ctx context.Context, e *evaluate.Evaluation, first bool) (r *report.Report, left bool, err error) {
	if r, err = outcome.Evaluate(ctx, e); err != nil {
		return nil, false, err
	}
	o := e.Options
	left = e.Ended == nil && !o.Brief && (e.HadRequest && o.Safety || o.Foresee)
	if left && !first {
		outcome.CheckSafety(e)
	}
	if o.TryRepairs && e.Ended == nil {
		TryRepairs(ctx, e)
	}
	if left && !first {
		foresight.Add(ctx, e, false)
	}
	if worklimit.Canceled(ctx) {
		return nil, false, context.Cause(ctx)
	}
	return r, left, nil
}

// Later does what [Of] postponed, and reports whether the diagnostics have changed. The report says what a
// deadline of the context left out. It fails for a canceled context.
func Later(ctx context.Context, e *evaluate.Evaluation) (diagnostics bool, err error) {
	before := len(e.Report.Diagnostics)
	e.Budget = e.Budget.Later(ctx)
	e.Evaluator = e.Evaluator.Within(ctx, e.Budget)
	outcome.CheckSafety(e)
	foresight.Add(ctx, e, true)
	if worklimit.Canceled(ctx) {
		return false, context.Cause(ctx)
	}
	return len(e.Report.Diagnostics) != before, nil
}
