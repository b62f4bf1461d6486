package bridge

import (
	"context"
	"slices"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// evaluationTime is how long an evaluation may take in the page. What there is by
// then is shown, long before the page ends the worker. The limits on work come
// first on most machines.
var evaluationTime = 4 * time.Second

// severalTime is how long the evaluations of a call may take together that makes several of
// them: for all versions, after each repair, for each proposal. The page ends the worker after
// 15 seconds, in which the call has to read and write as well.
var severalTime = 2 * evaluationTime

// evaluateOnce is engine.Evaluate within the time of an evaluation.
func evaluateOnce(ctx context.Context, s scenario.Scenario, o engine.Options) (*report.Report, error) {
	return within(ctx, evaluationTime, func(limited context.Context) (*report.Report, error) {
		return engine.Evaluate(limited, s, o)
	})
}

// within lets something evaluate until a time is up. The time is not that of what is rendered
// afterwards, which a context that has ended would keep from it.
func within[T any](ctx context.Context, most time.Duration, evaluates func(limited context.Context) (T, error)) (T, error) {
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return evaluates(limited)
}

// atLimit reports whether a limit of Preadmit, on time or on something else, was reached.
func atLimit(r *report.Report) bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == codes.RunLimit })
}
