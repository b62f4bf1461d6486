package eval

import (
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/overloads"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// ruleEstimator estimates the costs of expressions over a type of a schema.
func ruleEstimator(self *apiservercel.DeclType) *library.CostEstimator {
	return &library.CostEstimator{SizeEstimator: &ruleSizes{self}}
}

// ruleSizes knows how long the lists, maps and strings of a type can be.
type ruleSizes struct{ self *apiservercel.DeclType }

// EstimateSize implements checker.CostEstimator. Paths begin with the variable.
func (s *ruleSizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	path := element.Path()
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

// EstimateCallCost implements checker.CostEstimator.
func (s *ruleSizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// estimating gives the estimates of a version.
func (s *RuleScope) estimating() checker.CostEstimator {
	if !s.version.Has(version.CostOfSoughtText) {
		return oldMatchesEstimate{s.estimator}
	}
	return s.estimator
}

// oldMatchesEstimate is the estimate without version.CostOfSoughtText: the global form of matches costs
// what its arguments do and 1.
type oldMatchesEstimate struct{ checker.CostEstimator }

// EstimateCallCost implements checker.CostEstimator.
func (o oldMatchesEstimate) EstimateCallCost(function, overloadID string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	if overloadID == overloads.Matches {
		return &checker.CallEstimate{CostEstimate: checker.FixedCostEstimate(1)}
	}
	return o.CostEstimator.EstimateCallCost(function, overloadID, target, args)
}
