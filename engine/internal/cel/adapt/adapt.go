// Package adapt makes CEL values of Go values without cel-go's own function for that where
// there is nothing to it. That function tells thirty types apart one after the other, the CEL values
// themselves among the last, and it is so large that a browser spends more on optimising it
// than an evaluation takes.
package adapt

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Quick gives what another adapter gives.
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
