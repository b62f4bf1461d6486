package values

// This file evaluates a compiled expression once more and keeps the value and
// the cost of each of its parts.
//
// cel-go can watch either values or costs, not both: its observers wrap nodes
// and skip what is wrapped. So the program is planned here, with cel-go's
// planner and cost tracker, and a decorator of our own that comes last. The
// nodes inside are those of the ordinary program, in the ordinary order;
// results and costs are the same, which Trace lets the caller check.

import (
	"context"
	"fmt"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// Planner plans programs of one environment.
type Planner struct {
	interpreter.Interpreter
	factory interpreter.AttributeFactory
	adapter types.Adapter
}

// NewPlanner collects the functions of an environment.
func NewPlanner(env *cel.Env) (*Planner, error) {
	dispatcher := interpreter.NewDispatcher()
	for _, f := range env.Functions() {
		bindings, err := f.Bindings()
		if err != nil {
			return nil, err
		}
		if err := dispatcher.Add(bindings...); err != nil {
			return nil, err
		}
	}
	p := &Planner{adapter: env.CELTypeAdapter()}
	p.factory = interpreter.NewAttributeFactory(env.Container, env.CELTypeAdapter(), env.CELTypeProvider())
	p.Interpreter = interpreter.NewInterpreter(dispatcher, env.Container, env.CELTypeProvider(), env.CELTypeAdapter(), p.factory)
	return p, nil
}

// Program is an expression whose parts are watched. It is safe for concurrent
// use; evaluations wait for each other.
type Program struct {
	tree    *Tree
	planner *Planner
	// costs is the tracker of the ordinary program before its first use.
	costs     *interpreter.CostTracker
	root      *interpreter.ObservableInterpretable
	constants []ref.Val          // by node: what is known without evaluation
	tested    map[int]*attribute // by node of has(): what is selected from

	mu      sync.Mutex
	run     *run // the evaluation under way; nil between evaluations
	scratch *run // what the evaluations use one after the other
}

// Plan plans a program. costs is the cost tracker of the ordinary program, with
// all its options and its limit; it is cloned for each evaluation.
func (pl *Planner) Plan(compiled *cel.Ast, tree *Tree, costs *interpreter.CostTracker) (*Program, error) {
	p := &Program{
		tree: tree, planner: pl, costs: costs, scratch: newRun(tree.Nodes),
		constants: make([]ref.Val, len(tree.Nodes)), tested: map[int]*attribute{},
	}
	d := &decorator{program: p, attributes: map[interpreter.Interpretable]*attribute{}}
	planned, err := pl.NewInterpretable(compiled.NativeRep(),
		interpreter.CustomDecoratorV2(OrderedMaps),
		interpreter.CustomDecoratorV2(d.unwrap),
		interpreter.CustomDecoratorV2(optionalOr),
		interpreter.InterruptableEval(),
		interpreter.Optimize(),
		interpreter.CompileRegexConstants(interpreter.MatchesRegexOptimization),
		interpreter.CostObserver(interpreter.CostTrackerFactory(p.newCosts)),
		interpreter.CustomDecoratorV2(d.wrap),
	)
	if err != nil {
		return nil, err
	}
	root, ok := planned.(*interpreter.ObservableInterpretable)
	if !ok {
		return nil, fmt.Errorf("planned %T", planned)
	}
	p.root = root
	return p, nil
}

// newCosts is called at the beginning of each evaluation.
func (p *Program) newCosts() (*interpreter.CostTracker, error) {
	costs, err := p.costs.Clone()
	p.run.costs = costs
	return costs, err
}

// Trace is what one evaluation gave.
type Trace struct {
	Tree *Tree
	// Records are in the order of Tree.Nodes.
	Records []Record
	// Constants are the values, by node, of what needs no evaluation.
	Constants []ref.Val
	// Value, Err and Cost are those of the whole expression.
	Value ref.Val
	Err   error
	Cost  uint64
}

// Run evaluates. checkEvery is the number of iterations after which loops look
// at the context.
func (p *Program) Run(ctx context.Context, vars interpreter.Activation, checkEvery uint) *Trace {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scratch.reset()
	p.run = p.scratch
	value, err := p.eval(ctx, vars, checkEvery)
	t := &Trace{Tree: p.tree, Records: p.run.records, Constants: p.constants, Value: value, Err: err}
	if p.run.costs != nil {
		t.Cost = p.run.costs.ActualCost()
	}
	p.run.finish(p.planner.adapter, t.Cost)
	p.run = nil
	return t
}

func (p *Program) eval(ctx context.Context, vars interpreter.Activation, checkEvery uint) (value ref.Val, err error) {
	// Exceeding the cost limit panics in cel-go, and so may a faulty function.
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interpreter.EvalCancelledError:
			err = r
		default:
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	frame, err := interpreter.NewExecutionFrame(vars)
	if err != nil {
		return nil, err
	}
	defer frame.Close()
	if err := frame.SetContext(ctx, checkEvery); err != nil {
		return nil, err
	}
	value = p.root.ObserveExec(frame, func(any) {})
	if e, ok := value.(*types.Err); ok {
		return nil, e
	}
	return value, nil
}
