package eval

import (
	"context"
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/preadmit/preadmit/engine/internal/cel/values"
)

// ListRecord is what the run of a list was given, and what it ran, in order.
type ListRecord struct {
	Inputs      Inputs
	Variables   []Variable
	Expressions []*Compiled
}

// begin records what the list was given.
func (p *ListRun) begin(in Inputs, variables []Variable) {
	if record := p.evaluator.record; record != nil {
		p.record = &ListRecord{Inputs: in, Variables: variables}
		record(p.record)
	}
}

// Replayer runs recorded passes again on other inputs. Costs are those of the
// first run for the same inputs.
type Replayer struct {
	tick     func(work int)
	programs map[*Compiled]replayed
}

// replayed is a program that ticks, and what sees its calls.
type replayed struct {
	program cel.Program
	meter   *meter
}

// NewReplayer returns a replayer that calls tick with every call of a function
// or operator inside an expression: code that shares a thread with others can
// yield there. work is what the call takes besides its cost, in units of work.
func NewReplayer(tick func(work int)) *Replayer {
	return &Replayer{tick: tick, programs: map[*Compiled]replayed{}}
}

// Evaluator runs expressions as the replayer does: without limits, and with its ticks.
func (r *Replayer) Evaluator(ctx context.Context) *Evaluator {
	e := NewEvaluator(ctx, Options{})
	e.replayer = r
	return e
}

// run runs an expression, for the replayer if there is one.
func (e *Evaluator) run(c *Compiled, vars interpreter.Activation) (ref.Val, *cel.EvalDetails, error) {
	if e.replayer != nil {
		return e.replayer.evaluate(e.ctx, c, vars)
	}
	return c.evaluate(e.ctx, e.budget, c.program, vars)
}

// Run runs expressions of a record as one list without a budget. It returns
// their results and those of the variables that they use. The context ends a
// loop that is under way.
func (r *Replayer) Run(ctx context.Context, record *ListRecord, list []*Compiled, in Inputs) ([]Result, []*VariableResult) {
	results := make([]Result, len(list))
	again := r.Evaluator(ctx).NewListRun(in, record.Variables, math.MaxInt64)
	run := func() {
		for i, c := range list {
			results[i] = again.Run(c)
		}
	}
	if in.Quietly != nil {
		in.Quietly(run) // its checks of the authorizer are repetitions
	} else {
		run()
	}
	return results, again.Variables
}

// evaluate runs an expression with a program that ticks.
func (r *Replayer) evaluate(ctx context.Context, c *Compiled, vars interpreter.Activation) (ref.Val, *cel.EvalDetails, error) {
	p := r.program(c)
	return p.meter.watch(ctx, p.program, vars)
}

// program is the expression planned once more, with a cost function that ticks.
func (r *Replayer) program(c *Compiled) replayed {
	if p, ok := r.programs[c]; ok {
		return p
	}
	p := replayed{meter: &meter{compiled: &Compiled{}, scans: c.meter.scans}} // it charges nothing
	costs := c.rule
	if costs == nil {
		costs = costEstimator(c.env.version)
	}
	var err error
	p.program, err = c.env.env.Program(c.AST, cel.InterruptCheckFrequency(celconfig.CheckFrequency), cel.CustomDecoratorV2(values.OrderedMaps), cel.CostTracking(ticking{costs, r.tick, p.meter}))
	if err != nil {
		p.program = c.program // planned before from the same, so this does not happen; it only cannot yield
	}
	r.programs[c] = p
	return p
}

// ticking is a cost function that reports each call. It implements interpreter.ActualCostEstimator.
type ticking struct {
	next interpreter.ActualCostEstimator // nil for the costs of CEL alone
	tick func(work int)
	// meter knows the stack of the cost tracker.
	meter *meter
}

func (t ticking) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	t.tick(PatternWork(function, args) + t.meter.stackWork())
	if t.next == nil {
		return nil
	}
	return t.next.CallCost(function, overload, args, result)
}
