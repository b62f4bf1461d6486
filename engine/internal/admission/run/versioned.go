package run

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// Versioned returns an object as the given kind sees it (matchPolicy
// Equivalent may match another version than the request's). A patch may have
// made a custom object one of another kind; here it is that of the request again.
func (c *Chain) Versioned(object map[string]any, kind schema.GroupVersionKind) (map[string]any, error) {
	if object == nil {
		return nil, nil
	}
	if kind == c.Attributes.Kind {
		return catalog.WithKind(object, kind), nil
	}
	return c.Catalog.Convert(object, c.Attributes.Kind, kind)
}
