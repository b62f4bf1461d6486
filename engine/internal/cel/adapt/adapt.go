// Package adapt converts Go values to CEL values, in simple cases without
// cel-go's own function. That function compares with thirty types in turn,
// and it is so large that a browser spends more time on optimising it than
// on an evaluation.
package adapt

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Quick returns what another adapter gives.
type Quick struct{ types.Adapter }

// NativeToValue implements types.Adapter.
func (q Quick) NativeToValue(value any) ref.Val {
	switch v := value.(type) {
	case string:
		return types.String(v)
	case bool:
		return types.Bool(v)
	case int64:
		return types.Int(v)
	case float64:
		return types.Double(v)
	case *types.Bool, *types.Bytes, *types.Double, *types.Int, *types.String, *types.Uint:
		// They count as CEL values by their methods, but are made those that they point to.
	case ref.Val:
		return v
	}
	return q.Adapter.NativeToValue(value)
}

// Default is cel-go's adapter of an environment without types of its own.
var Default types.Adapter = Quick{types.DefaultTypeAdapter}

// Option gives an environment the quick form of the adapter that it has by then: it comes last.
func Option(env *cel.Env) (*cel.Env, error) {
	return cel.CustomTypeAdapter(Quick{env.CELTypeAdapter()})(env)
}
