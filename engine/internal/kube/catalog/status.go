package catalog

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// NewStatus returns the status that a new built-in object shows, given its set fields: a Go type
// writes fields without omitempty even if empty. It returns nil for none. The caller owns the
// result. What is set depends only on the kind, so results are cached by kind.
func (c *Catalog) NewStatus(kind schema.GroupVersionKind, set any) any {
	if known, ok := c.statuses.Load(kind); ok {
		return runtime.DeepCopyJSONValue(known)
	}
	alone := map[string]any{}
	if set != nil {
		alone["status"] = set
	}
	normal, _ := c.Normalise(kind, alone)
	if c.builtinKind(kind) {
		c.statuses.Store(kind, normal["status"])
	}
	return runtime.DeepCopyJSONValue(normal["status"])
}
