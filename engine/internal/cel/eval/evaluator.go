package eval

import (
	"context"
	"time"

	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// Options say what an Evaluator keeps of the expressions that it runs.
type Options struct {
	// Trace keeps the value and cost of every part of an expression. That costs a
	// second evaluation, of at most maxTraced cost units in all.
	Trace bool
	// Record is handed a record of every pass when it begins; its Expressions are
	// filled while the pass runs. nil records nothing.
	Record func(*ListRecord)
	// Brief says that nobody looks at values: see Result.Brief.
	Brief bool
	// Budget is what the run may take; nil is without limits.
	Budget *worklimit.Budget
	// Clock is asked for the time before and after an expression; nil measures nothing.
	Clock func() time.Time
}

// Evaluator is what the passes of one request share. It is for one goroutine.
type Evaluator struct {
	// ctx ends loops inside expressions. It is kept because an Evaluator lives
	// no longer than the call that it was made for.
	ctx    context.Context
	trace  bool
	brief  bool
	record func(*ListRecord)
	// traceable is what runs for traces may still cost.
	traceable int64
	budget    *worklimit.Budget
	clock     func() time.Time
	replayer  *Replayer // of what is run again
}

// Traces reports whether somebody looks at the parts of expressions.
func (e *Evaluator) Traces() bool { return e.trace }

// NewEvaluator begins the evaluation of a request.
func NewEvaluator(ctx context.Context, o Options) *Evaluator {
	return &Evaluator{ctx: ctx, trace: o.Trace, brief: o.Brief, record: o.Record, traceable: maxTraced, budget: o.Budget, clock: o.Clock}
}

// Context is the context of the request.
func (e *Evaluator) Context() context.Context { return e.ctx }

// Brief says that nobody looks at more than the verdict and the costs.
func (e *Evaluator) Brief() bool { return e != nil && e.brief }

// Budget is what the run may take; nil is without limits, as it is without an
// evaluator.
func (e *Evaluator) Budget() *worklimit.Budget {
	if e == nil {
		return nil
	}
	return e.budget
}

// Measure begins to measure a time, and yields the function that ends it: 0 without a
// clock.
func (e *Evaluator) Measure() func() time.Duration {
	if e.clock == nil {
		return unmeasured
	}
	start := e.clock()
	return func() time.Duration { return e.clock().Sub(start) }
}

func unmeasured() time.Duration { return 0 }

// Untraced is an evaluator for a repetition, of which only the results count.
func (e *Evaluator) Untraced() *Evaluator { return NewEvaluator(e.ctx, Options{Budget: e.budget}) }

// Within is an evaluator that goes on after the call that it was made for: with another context
// and budget.
func (e *Evaluator) Within(ctx context.Context, b *worklimit.Budget) *Evaluator {
	out := *e
	out.ctx, out.budget = ctx, b
	return &out
}

// Unrecorded is an evaluator for expressions that belong to no step of the
// request. It shares the rest of what may be traced.
func (e *Evaluator) Unrecorded() *Evaluator {
	out := *e
	out.record = nil
	return &out
}
