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

	"github.com/preadmit/preadmit/engine/internal/version"
)

// The cost of a call is decided by the CEL library that a Kubernetes version is
// built with.

const stringTraversalFactor = 0.1

func costTracking(v version.Version) cel.ProgramOption {
	return cel.CostTracking(costEstimator(v))
}

// costEstimator has the costs of a version that are not those of CEL
// itself; nil when there are none.
func costEstimator(v version.Version) interpreter.ActualCostEstimator {
	var estimator interpreter.ActualCostEstimator
	if v.Has(version.LibraryCosts) {
		estimator = &library.CostEstimator{}
	}
	if !v.Has(version.CostOfSoughtText) {
		estimator = oldStringCosts{estimator}
	}
	return estimator
}

// oldStringCosts are the costs without version.CostOfSoughtText. It implements interpreter.ActualCostEstimator.
type oldStringCosts struct {
	next interpreter.ActualCostEstimator // nil without library costs
}

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
