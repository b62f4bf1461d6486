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

// evaluationTime limits an evaluation on the page. A partial result is shown, long before the page
// would terminate the worker. On most machines the limits on work apply first.
var evaluationTime = 4 * time.Second

// severalTime limits a call with several evaluations: on all versions, after each repair, for each
// proposal. The page terminates the worker after 15 seconds, which include reading and writing.
var severalTime = 2 * evaluationTime

func evaluateOnce(ctx context.Context, s scenario.Scenario, o engine.Options) (*report.Report, error) {
	return within(ctx, evaluationTime, func(limited context.Context) (*report.Report, error) {
		return engine.Evaluate(limited, s, o)
	})
}

// within runs an evaluation with a time limit. The limit does not cover later rendering, which an
// expired context would prevent.
func within[T any](ctx context.Context, most time.Duration, evaluates func(limited context.Context) (T, error)) (T, error) {
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	return evaluates(limited)
}

// atLimit reports whether one of Preadmit's limits, on time or anything else, was reached.
func atLimit(r *report.Report) bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == codes.RunLimit })
}
