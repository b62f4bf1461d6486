package eval

import (
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	"k8s.io/apiserver/pkg/cel/library"
)

// The cost of a call is decided by the CEL library that a Kubernetes version is
// built with. Two costs changed between the cel-go of 1.36 (v0.26) and that of
// 1.37 (v0.29): startsWith and endsWith counted the text that is searched and
// now count what is searched for; the global form of matches cost 1 and now
// costs as much as the method.

const (
	// libraryCostsSince is the minor version from which the functions of the
	// Kubernetes libraries have a cost of their own (semantics §12).
	libraryCostsSince = 32
	// newStringCostsSince is the minor version with the costs of today's cel-go.
	newStringCostsSince = 37

	stringTraversalFactor = 0.1
)

// costTracking gives the costs of a minor version.
func costTracking(minor uint) cel.ProgramOption {
	return cel.CostTracking(costEstimator(minor))
}

// costEstimator has the costs of a minor version that are not those of CEL
// itself; nil when there are none.
func costEstimator(minor uint) interpreter.ActualCostEstimator {
	var estimator interpreter.ActualCostEstimator
	if minor >= libraryCostsSince {
		estimator = &library.CostEstimator{}
	}
	if minor < newStringCostsSince {
		estimator = oldStringCosts{estimator}
	}
	return estimator
}

// oldStringCosts are the costs up to 1.36.
type oldStringCosts struct {
	next interpreter.ActualCostEstimator // nil without library costs
}

// CallCost implements interpreter.ActualCostEstimator.
func (o oldStringCosts) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	var cost uint64
	switch overload {
	case overloads.StartsWithString, overloads.EndsWithString:
		cost = uint64(math.Ceil(float64(size(args[0])) * stringTraversalFactor))
	case overloads.Matches:
		cost = 1
	default:
		if o.next == nil {
			return nil
		}
		return o.next.CallCost(function, overload, args, result)
	}
	return &cost
}

// size is the size by which cel-go counts.
func size(v ref.Val) int64 {
	if s, ok := v.(traits.Sizer); ok {
		if n, ok := s.Size().(types.Int); ok {
			return int64(n)
		}
	}
	return 1
}
