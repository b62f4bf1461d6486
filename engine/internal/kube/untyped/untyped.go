// Package untyped reads and changes objects in unstructured form, as the rest of
// the server sees them. Fields that are missing or have another type are empty.
package untyped

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ZeroUID replaces the random UID that an object has in a real cluster.
const ZeroUID = "00000000-0000-0000-0000-000000000000"

// Namespace is the kind of Namespaces.
var Namespace = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

// Child returns the object in a field, and creates it if missing.
func Child(m map[string]any, field string) map[string]any {
	if c, ok := m[field].(map[string]any); ok {
		return c
	}
	c := map[string]any{}
	m[field] = c
	return c
}

// Sub follows fields to an object; nil if missing.
func Sub(m map[string]any, fields ...string) map[string]any {
	for _, f := range fields {
		m, _ = m[f].(map[string]any)
	}
	return m
}

// Labels are an object's labels.
func Labels(m map[string]any) map[string]string {
	given := Sub(m, "metadata", "labels")
	out := make(map[string]string, len(given))
	for key, value := range given {
		if s, ok := value.(string); ok {
			out[key] = s
		}
	}
	return out
}

// Items returns a list's objects. Changing them changes the list.
func Items(list any) []map[string]any {
	items, _ := list.([]any)
	var out []map[string]any
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// Copy deep-copies maps and lists. Numbers may have any type.
func Copy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		for key, value := range out {
			out[key] = Copy(value)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i, value := range out {
			out[i] = Copy(value)
		}
		return out
	}
	return v
}
