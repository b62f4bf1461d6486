package eval

import (
	"fmt"
	"math"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/preadmit/preadmit/engine/internal/cel/values"
)

// Limits of the API server, in CEL cost units (semantics §2.1).
const (
	PerCallLimit          int64 = celconfig.PerCallLimit
	Budget                int64 = celconfig.RuntimeCELCostBudget
	MatchConditionsBudget int64 = celconfig.RuntimeCELCostBudgetMatchConditions
	// MaxMessageBytes is the longest message that a messageExpression may give.
	MaxMessageBytes = celconfig.MaxEvaluatedMessageExpressionSizeBytes
)

// OutOfBudget is the text of a list that was aborted because its budget was
// used up.
const OutOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

// Inputs are the values of the variables. Objects are unstructured; nil means
// null.
type Inputs struct {
	Object, OldObject, Params, Request, Namespace map[string]any
	// Types are the Go types of those that the server does not turn into maps.
	Types InputTypes
	// Authorizers are those of the variables, bound when not nil (semantics §7.4: not
	// for audit annotations and messages).
	Authorizers Authorizers
	// Values, when it is not nil, has the CEL values of the objects, the request and the namespace if
	// an expression before has seen the same ones.
	Values *Values
	// Quietly runs a function whose checks of the authorizer are repetitions,
	// not to be recorded; nil where nothing records.
	Quietly func(func())
}

// Authorizers make the values of authorizer and authorizer.requestResource when an
// expression asks for them: few do.
type Authorizers interface {
	Authorizer() ref.Val
	RequestResource() ref.Val
}

// InputTypes are the Go types of the variables; nil for a variable that is a map.
type InputTypes struct{ Object, OldObject, Params, Request, Namespace GoType }

// Result is one run of one expression.
type Result struct {
	*Compiled
	// Value is nil when there is an error.
	Value ref.Val
	// Err is the server's text with its prefix, CELErr what CEL itself said.
	Err, CELErr string
	// Cost is that of the expression without its variables.
	Cost int64
	// Elapsed is the time that the run took, with the variables that it computed; 0
	// when the evaluator has no clock.
	Elapsed time.Duration
	// Brief says that nobody looks at the value, unless it is a boolean.
	Brief bool
	// Ran is false for what did not compile, or came after an abort.
	Ran bool
	// Exceeded says that the limit of a single call was broken.
	Exceeded bool
	// Variables are those first computed during this run, in order.
	Variables []*VariableResult
	// Used names every variable that this run read.
	Used []string
	// Trace has the parts of the expression; nil unless the run of its list traces.
	Trace *values.Trace
	// Untraced says why a run that traces has no Trace of this run.
	Untraced Untraced
	// asked are the variables that this run looked at, without those that its
	// variables looked at.
	asked asked
}

// VariableResult is the one computation of a variable in the run of a list.
type VariableResult struct {
	Variable
	Result
	Reads int
}

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

// activation resolves the variables of semantics §1.2. The authorizer is
// unknown, not null, where it is not bound.
type activation struct {
	object, oldObject, params, request, namespace ref.Val
	authorizers                                   Authorizers
	// authorizer and requestResource are theirs, once an expression has asked.
	authorizer, requestResource ref.Val
	variables                   ref.Val
	asked                       asked
}

var _ interpreter.Activation = (*activation)(nil)

// ResolveName implements interpreter.Activation.
func (a *activation) ResolveName(name string) (any, bool) {
	switch name {
	case plugincel.ObjectVarName:
		return a.object, true
	case plugincel.OldObjectVarName:
		a.asked.oldObject = true
		return a.oldObject, true
	case plugincel.ParamsVarName:
		return a.params, true
	case plugincel.RequestVarName:
		a.asked.request = true
		return a.request, true
	case plugincel.NamespaceVarName:
		a.asked.namespace = true
		return a.namespace, true
	case plugincel.AuthorizerVarName:
		if a.authorizers != nil && a.authorizer == nil {
			a.authorizer = a.authorizers.Authorizer()
		}
		return a.authorizer, a.authorizer != nil
	case plugincel.RequestResourceAuthorizerVarName:
		if a.authorizers != nil && a.requestResource == nil {
			a.requestResource = a.authorizers.RequestResource()
		}
		return a.requestResource, a.requestResource != nil
	case plugincel.VariableVarName:
		return a.variables, true
	}
	return nil, false
}

// Parent implements interpreter.Activation.
func (a *activation) Parent() cel.Activation { return nil }
