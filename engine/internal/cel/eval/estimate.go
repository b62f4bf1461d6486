package eval

import (
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// ruleEstimator estimates the costs of expressions over a type of a schema.
func ruleEstimator(self *apiservercel.DeclType, v version.Version) *library.CostEstimator {
	return &library.CostEstimator{SizeEstimator: &ruleSizes{self, !v.Has(version.LocalVariableSizes)}}
}

// ruleSizes knows how long the lists, maps and strings of a type can be. It implements checker.CostEstimator.
type ruleSizes struct {
	self *apiservercel.DeclType
	// anyVariable is without version.LocalVariableSizes: a variable that a macro makes is
	// the beginning of a path, and no other beginning than self was thought of.
	anyVariable bool
}

// EstimateSize implements checker.CostEstimator. Paths begin with the variable.
func (s *ruleSizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	path := element.Path()
	if fields, ok := fieldsOf(element.Expr()); ok && s.anyVariable && len(path) == len(fields) {
		path = append([]string{""}, fields...)
	}
	if len(path) == 0 {
		return nil
	}
	at := s.self
	for _, step := range path[1:] {
		switch step {
		case "@items", "@values":
			at = at.ElemType
		case "@keys":
			at = at.KeyType
		default:
			field, ok := at.Fields[step]
			if !ok {
				return nil
			}
			at = field.Type
		}
		if at == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(at.MaxElements)}
}

func (s *ruleSizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// fieldsOf are the names of a.b.c behind its variable. Where a variable stands for something
// that has no path, as that of optMap, these are all that the path of the expression has.
func fieldsOf(e ast.Expr) ([]string, bool) {
	if e == nil {
		return nil, false // the items of a list are an element without an expression
	}
	switch e.Kind() {
	case ast.IdentKind:
		name := e.AsIdent()
		return nil, name != parser.AccumulatorName && name != parser.HiddenAccumulatorName // which never had a path
	case ast.SelectKind:
		fields, ok := fieldsOf(e.AsSelect().Operand())
		return append(fields, e.AsSelect().FieldName()), ok
	}
	return nil, false
}

func (s *RuleScope) estimating() checker.CostEstimator {
	var estimator checker.CostEstimator = s.estimator
	if !s.version.Has(version.LibraryEquality) {
		estimator = oldEquality{s.estimator}
	}
	if !s.version.Has(version.CostOfSoughtText) {
		return oldMatchesEstimate{estimator}
	}
	return estimator
}

// oldEquality is without version.LibraryEquality: it is CEL that says what == costs.
// It implements interpreter.ActualCostEstimator and checker.CostEstimator.
type oldEquality struct{ *library.CostEstimator }

func (o oldEquality) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	if function == operators.Equals {
		return nil
	}
	return o.CostEstimator.CallCost(function, overload, args, result)
}

func (o oldEquality) EstimateCallCost(function, overloadID string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	if function == operators.Equals {
		return nil
	}
	return o.CostEstimator.EstimateCallCost(function, overloadID, target, args)
}

// oldMatchesEstimate is the estimate without version.CostOfSoughtText: the global form of matches costs
// what its arguments do and 1. It implements checker.CostEstimator.
type oldMatchesEstimate struct{ checker.CostEstimator }

func (o oldMatchesEstimate) EstimateCallCost(function, overloadID string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	if overloadID == overloads.Matches {
		return &checker.CallEstimate{CostEstimate: checker.FixedCostEstimate(1)}
	}
	return o.CostEstimator.EstimateCallCost(function, overloadID, target, args)
}
