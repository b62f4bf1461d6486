package catalog

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// NewStatus is the status that a new object of a built-in kind shows, given what is
// set in it: a Go type writes fields without omitempty even when they are empty. Nil
// for none. It belongs to the caller. What is set depends on the kind alone, and so
// does the answer, which is kept: it does not depend on the rest of the object.
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
