package eval

import (
	"fmt"
	"math"

	"github.com/google/cel-go/common/types/ref"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// Limits of the API server, in CEL cost units (semantics §2.1).
const (
	PerCallLimit          int64 = celconfig.PerCallLimit
	Budget                int64 = celconfig.RuntimeCELCostBudget
	MatchConditionsBudget int64 = celconfig.RuntimeCELCostBudgetMatchConditions
)

// OutOfBudget is the text of a list that was aborted because its budget was
// used up.
const OutOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

// ListRun evaluates a list of expressions over one set of inputs; variables are
// computed on first use and remembered, values and errors alike (semantics §9).
// It is not safe for concurrent use.
type ListRun struct {
	evaluator *Evaluator
	inputs    activation
	variables listVariables
	// Variables lists the variables computed so far, in order.
	Variables []*VariableResult

	quietly func(func())

	record *ListRecord // nil unless records are kept

	running   Result  // of the expression under way
	current   *Result // the run that touches variables
	cost      int64   // of the variables since the last reset
	Remaining int64
	// Abort is why the run ended early; all its results are void then.
	Abort string
}

// NewListRun begins a pass with a budget in cost units.
func (e *Evaluator) NewListRun(in Inputs, variables []Variable, budget int64) *ListRun {
	p := &ListRun{evaluator: e, variables: listVariables{defined: variables}, quietly: in.Quietly, Remaining: budget}
	p.inputs = activation{
		object:      in.Values.of(in.Object, in.Types.Object),
		oldObject:   in.Values.of(in.OldObject, in.Types.OldObject),
		params:      value(in.Params, in.Types.Params),
		request:     in.Values.of(in.Request, in.Types.Request),
		namespace:   in.Values.of(in.Namespace, in.Types.Namespace),
		authorizers: in.Authorizers,
	}
	p.inputs.variables = watched{MapValue: noVariables(), list: p}
	p.begin(in, variables)
	return p
}

// Run evaluates one expression and charges the budget (semantics §2.3). When it
// aborts the list, Abort is set and further runs do nothing.
func (p *ListRun) Run(c *Compiled) Result {
	p.running = Result{Compiled: c, Brief: p.evaluator.brief}
	p.run(c, &p.running)
	return p.running
}

func (p *ListRun) run(c *Compiled, r *Result) {
	if p.Abort != "" {
		return
	}
	if p.record != nil {
		p.record.Expressions = append(p.record.Expressions, c)
	}
	if !c.OK() {
		r.Err, r.CELErr = "compilation error: "+c.Err, c.Err
		return
	}
	p.current, p.cost = r, 0
	v, err := p.eval(c, r)
	p.current = nil
	if p.cost > p.Remaining {
		p.Abort = OutOfBudget
		return
	}
	p.Remaining -= p.cost
	if r.Cost > p.Remaining {
		p.Abort = OutOfBudget
		return
	}
	p.Remaining -= r.Cost
	if err != nil {
		r.CELErr = err.Error()
		r.Err = fmt.Sprintf("expression '%v' resulted in error: %v", c.Expression, err)
		return
	}
	r.Value = v
}

// eval runs a program and records its cost in r.
func (p *ListRun) eval(c *Compiled, r *Result) (ref.Val, error) {
	r.Ran = true
	before := p.evaluator.budget.Used()
	outer := p.inputs.asked // a variable is computed while another expression runs
	p.inputs.asked = asked{}
	elapsed := p.evaluator.Measure()
	v, details, err := p.evaluator.run(c, &p.inputs)
	r.Elapsed = elapsed()
	r.asked, p.inputs.asked = p.inputs.asked, outer
	if cost := details.ActualCost(); cost != nil {
		r.Cost = int64(min(*cost, math.MaxInt64))
	}
	r.Exceeded = r.Cost > PerCallLimit
	if p.evaluator.trace {
		r.Trace, r.Untraced = p.observe(c, r.Cost, p.evaluator.budget.Used()-before, v, err)
	}
	return v, err
}
