package plugins

import (
	"maps"
	"slices"
)

// metadataOf is an object's metadata, empty if it is not there.
func metadataOf(object map[string]any) map[string]any {
	meta, _ := object["metadata"].(map[string]any)
	return meta
}

// annotation returns an annotation of an object and whether it is there.
func annotation(object map[string]any, name string) (string, bool) {
	value, ok := sub(metadataOf(object), "annotations")[name].(string)
	return value, ok
}

// labelsOf are an object's labels.
func labelsOf(object map[string]any) map[string]string {
	out := map[string]string{}
	for key, value := range sub(metadataOf(object), "labels") {
		if s, ok := value.(string); ok {
			out[key] = s
		}
	}
	return out
}

// child is a field's object, made if it is not there.
func child(m map[string]any, key string) map[string]any {
	if c, ok := m[key].(map[string]any); ok {
		return c
	}
	c := map[string]any{}
	m[key] = c
	return c
}

// sub follows fields to an object; nil if it is not there.
func sub(m map[string]any, fields ...string) map[string]any {
	for _, f := range fields {
		m, _ = m[f].(map[string]any)
	}
	return m
}

func list(m map[string]any, key string) []any {
	l, _ := m[key].([]any)
	return l
}

// items are the objects of a list.
func items(m map[string]any, key string) []map[string]any {
	var out []map[string]any
	for _, item := range list(m, key) {
		if o, ok := item.(map[string]any); ok {
			out = append(out, o)
		}
	}
	return out
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// sorted are the keys of a map in their order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
