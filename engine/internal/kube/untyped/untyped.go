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

// At follows fields to a value; T's zero if it is missing or has another type.
func At[T any](value any, fields ...string) T {
	for _, f := range fields {
		m, _ := value.(map[string]any)
		value = m[f]
	}
	t, _ := value.(T)
	return t
}

// Sub follows fields to an object; nil if missing.
func Sub(m map[string]any, fields ...string) map[string]any {
	return At[map[string]any](m, fields...)
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

// Items follows fields to a list and returns its objects. Changing them changes the list.
func Items(value any, fields ...string) []map[string]any { return of[map[string]any](value, fields) }

// Strings follows fields to a list and returns its strings.
func Strings(value any, fields ...string) []string { return of[string](value, fields) }

func of[T any](value any, fields []string) []T {
	var out []T
	for _, item := range At[[]any](value, fields...) {
		if t, ok := item.(T); ok {
			out = append(out, t)
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
