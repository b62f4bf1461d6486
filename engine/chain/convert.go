package chain

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

type converter interface {
	Convert(obj map[string]any, from, to schema.GroupVersionKind) (map[string]any, error)
}

// Convert converts.
func (c *Chain) Convert(obj map[string]any, from, to schema.GroupVersionKind) (map[string]any, error) {
	if k, ok := any(c.Catalog).(converter); ok {
		return k.Convert(obj, from, to)
	}
	return nil, fmt.Errorf("no conversion")
}
