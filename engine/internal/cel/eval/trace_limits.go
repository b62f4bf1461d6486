package eval

import (
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/preadmit/preadmit/engine/internal/cel/values"
)

// maxTraced is how much all expressions that are run a second time may cost
// together, in CEL cost units. What comes after stays without explanation: the
// answer must not wait for it.
const maxTraced = 2 * PerCallLimit

// explained is how many hundredths of the budget may be used before expressions
// are no longer run a second time: the rest is for the answer.
const explained = 40

// checkCost is what a check of the authorizer costs; it takes next to no time.
const checkCost = 350_000

// Work is the part of a cost that takes time: checks of the authorizer cost much
// and are done at once.
func Work(expression string, cost int64) int64 {
	return max(cost-checkCost*int64(strings.Count(expression, ".check(")), 0)
}

// spend reports whether another run that costs so much may be traced.
func (e *Evaluator) spend(cost int64) bool {
	if cost > e.traceable {
		return false
	}
	e.traceable -= cost
	return true
}

// Untraced says why a run that should have been traced has no trace.
type Untraced string

const (
	// TooExpensive: the expressions of the request cost so much that running
	// them a second time would keep the answer waiting.
	TooExpensive Untraced = "too expensive"
	// OtherOrder: a second evaluation went another way. Maps are gone through in the
	// order of their keys, so nothing that is known makes a difference.
	OtherOrder Untraced = "other order"
)

// maxAttempts is how often an expression is run again until it goes the way of
// the first run.
const maxAttempts = 4

// observe runs an expression again to see its parts. The first run, whose cost,
// value and error are given, stays the one that counts: a trace that disagrees
// with it would explain something that did not happen, and is dropped.
func (p *ListRun) observe(c *Compiled, cost, work int64, value ref.Val, err error) (*values.Trace, Untraced) {
	vars := p.inputs
	vars.variables = remembered{p.inputs.variables.(watched)}
	quietly := p.quietly
	if quietly == nil {
		quietly = func(run func()) { run() }
	}
	return p.evaluator.observe(c, &vars, quietly, cost, work, value, err)
}

// observe is Pass.observe for any variables. quietly runs what must not be recorded.
// work is what the first run took of the budget.
func (e *Evaluator) observe(c *Compiled, vars interpreter.Activation, quietly func(func()), cost, work int64, value ref.Val, err error) (*values.Trace, Untraced) {
	program := c.observed()
	if program == nil {
		return nil, ""
	}
	var t *values.Trace
	for range maxAttempts {
		// Watching each part takes some three times as long as the evaluation.
		if e.budget.Spent(explained) || !e.budget.Has(3*work, explained) || !e.spend(Work(c.Expression, cost)) {
			return nil, TooExpensive
		}
		e.budget.Work(int(3 * work))
		quietly(func() { t = program.Run(e.ctx, vars, celconfig.CheckFrequency) })
		if int64(t.Cost) == cost && agree(value, err, t) {
			return t, ""
		}
	}
	return nil, OtherOrder
}

// agree compares a run with its trace: plain values; lists and objects, whose
// comparison takes time, only by the cost they came at.
func agree(value ref.Val, err error, t *values.Trace) bool {
	if err != nil || t.Err != nil {
		return err != nil && t.Err != nil
	}
	switch value.(type) {
	case types.Bool, types.Int, types.String:
		return value.Equal(t.Value) == types.True
	}
	return true
}

// observed plans the second program when it is first needed; nil when that
// fails, which leaves the expression without explanation.
func (c *Compiled) observed() *values.Program {
	c.observing.Do(func() {
		s := c.env
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.planner == nil {
			planner, err := values.NewPlanner(s.env)
			if err != nil {
				return
			}
			s.planner = planner
		}
		costs, err := c.costs.Clone()
		if err != nil {
			return
		}
		costs.Estimator = c.unmetered
		program, err := s.planner.Plan(c.AST, c.Tree(), costs)
		if err == nil {
			c.observedProgram = program
		}
	})
	return c.observedProgram
}

// Tree is the expression as it was written, with the place of every part; nil
// when it did not compile.
func (c *Compiled) Tree() *values.Tree {
	if c.AST == nil {
		return nil
	}
	return values.Parse(c.Expression, c.AST.NativeRep())
}
