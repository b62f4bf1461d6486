package growth

import (
	"math"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// noBound is the cost of what may cost anything.
const noBound = math.MaxUint64

// estimator returns the static cost of the expressions of one list, as the server
// does for the custom resource rules, but with the types of the objects.
type estimator struct {
	checker *check.Checker
	version version.Version
	view    check.View
	bounds  bounds
	// variables are the values of the policy's variables, costs their own.
	variables map[string]value
	costs     map[string]uint64
	// sized are the places whose size counts for the cost of variables.
	sized []place
}

// newEstimator knows no types yet. What was stored before, and params, have been
// validated against their schema.
func newEstimator(checker *check.Checker, v version.Version) *estimator {
	return &estimator{checker: checker, version: v,
		bounds:    bounds{types: map[string]*catalog.Type{}, checked: map[string]bool{"oldObject": true, "params": true}},
		variables: map[string]value{}, costs: map[string]uint64{}}
}

// declare makes the variables of a policy known, each to those after it.
func (e *estimator) declare(list []eval.Variable, rest func()) {
	for _, v := range list {
		rest()
		if v.OK() {
			e.define(v.Name, v.Declaration.Expression, v.Compiled.Scope)
		} else {
			e.add(v.Name, v.Declaration.Expression, estimated{max: noBound})
		}
	}
}

// define makes one variable known, by what it may hold and cost.
func (e *estimator) define(name, expression string, scope eval.Scope) estimated {
	est := e.estimate(expression, scope)
	e.add(name, expression, est)
	return est
}

func (e *estimator) add(name, expression string, est estimated) {
	t := cel.DynType
	if est.output != nil {
		t = check.Carried(est.output, check.Runtime)
	}
	e.variables[name], e.costs[name] = est.result, est.max
	e.sized = append(e.sized, est.sized...)
	e.view.Variables = append(e.view.Variables, check.Variable{Name: name, Type: t, Expression: expression})
}

// estimated is what is known about one expression without running it.
type estimated struct {
	max    uint64 // without the variables that it reads
	result value
	output *types.Type
	// sized are the places whose size counts for the cost.
	sized []place
	// reads are the names of the variables of the policy that it reads.
	reads []string
}

// variablesOf are the variables of the policy that an expression names.
func variablesOf(checked *ast.AST) []string {
	var out []string
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.SelectKind {
			return
		}
		operand, name := e.AsSelect().Operand(), e.AsSelect().FieldName()
		if operand.Kind() == ast.IdentKind && operand.AsIdent() == "variables" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}))
	return out
}

// estimate checks an expression with the types of the objects, or without when
// it does not hold for them, and adds up what its parts may cost at most.
func (e *estimator) estimate(expression string, scope eval.Scope) estimated {
	view := e.view
	view.Scope = scope
	checked := e.check(expression, view)
	if checked == nil {
		view.Object, view.Params = nil, nil
		checked = e.check(expression, view)
	}
	if checked == nil {
		return estimated{max: noBound}
	}
	native := checked.NativeRep()
	countSelections(native)
	r := &resolver{checked: native, variables: e.variables, bounds: e.bounds, values: map[int64]value{}}
	out := estimated{max: noBound, result: r.resolve(native.Expr(), nil), output: native.GetType(native.Expr().ID()), sized: r.sized, reads: variablesOf(native)}
	model := &costModel{resolver: r, version: e.version}
	model.library.SizeEstimator = model
	if env, err := e.checker.Env(view); err == nil {
		if cost, err := env.EstimateCost(checked, model); err == nil {
			out.max = cost.Max
		}
	}
	return out
}

// check returns a checked expression of our own, whose types may be changed; nil
// when there is none.
func (e *estimator) check(expression string, view check.View) *cel.Ast {
	parsed, issues, err := e.checker.Parse(expression, view)
	if err != nil || issues.Err() != nil {
		return nil
	}
	result, err := e.checker.CheckParsed(parsed, view)
	if err != nil {
		return nil
	}
	return result.AST
}

// countSelections lets cel-go count every selection. It leaves out those from
// values of unknown type and from optional ones, which cost as much when they
// run.
func countSelections(checked *ast.AST) {
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.SelectKind || e.AsSelect().IsTestOnly() {
			return
		}
		operand := e.AsSelect().Operand().ID()
		switch t := checked.GetType(operand); {
		case t == nil, t.Kind() == types.DynKind, t.Kind() == types.AnyKind, t.Kind() == types.OpaqueKind:
			checked.SetType(operand, types.NewMapType(types.StringType, types.DynType))
		}
	}))
}

// costModel is a checker.CostEstimator: sizes by the resolver, costs of functions
// by the server's library. It implements checker.CostEstimator.
type costModel struct {
	*resolver
	library library.CostEstimator
	version version.Version
}

func (m *costModel) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	var v value
	if e := node.Expr(); e != nil {
		v = m.values[e.ID()]
	}
	size, known := m.sizeOf(v)
	if !known {
		return nil
	}
	return &checker.SizeEstimate{Max: size}
}

func (m *costModel) EstimateCallCost(function, overload string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	if !m.version.Has(version.CostOfSoughtText) && target != nil && (overload == overloads.StartsWithString || overload == overloads.EndsWithString) {
		size := checker.UnknownSizeEstimate()
		if known := (*target).ComputedSize(); known != nil {
			size = *known
		}
		return &checker.CallEstimate{CostEstimate: size.MultiplyByCostFactor(common.StringTraversalCostFactor)}
	}
	estimate := m.library.EstimateCallCost(function, overload, target, args)
	if function == "jsonpatch.escapeKey" && estimate != nil && estimate.ResultSize != nil {
		// The library forgets that ~ and / become two characters.
		estimate.ResultSize = &checker.SizeEstimate{Min: estimate.ResultSize.Min, Max: add(estimate.ResultSize.Max, estimate.ResultSize.Max)}
	}
	return estimate
}
