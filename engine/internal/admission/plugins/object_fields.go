package plugins

import (
	"maps"
	"slices"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

func annotation(object map[string]any, name string) (string, bool) {
	value, ok := untyped.Sub(object, "metadata", "annotations")[name].(string)
	return value, ok
}

func list(m map[string]any, key string) []any {
	l, _ := m[key].([]any)
	return l
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// sorted are the keys of a map in their order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
