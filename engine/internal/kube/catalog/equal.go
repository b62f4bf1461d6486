package catalog

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SemanticEqual compares two objects of a kind, in normal form, as the server does to find out
// whether a patch changed anything (apimachinery's equality.Semantic). Empty and nil lists and maps
// are equal, and quantities compare by amount. In custom resources null is a value, and a present
// field differs from a missing one.
func (c *Catalog) SemanticEqual(gvk schema.GroupVersionKind, a, b map[string]any) bool {
	if _, custom := c.crds.versions[gvk]; custom {
		return equalValues(a, b)
	}
	t, ok := c.TypeOf(gvk)
	if !ok {
		return equalValues(a, b)
	}
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return equalTyped(t, a, b)
}

// SemanticEqual is Catalog.SemanticEqual for two values of a built-in type.
func (t *Type) SemanticEqual(a, b any) bool { return equalTyped(t, a, b) }

// equalValues compares values without a type, from custom resources.
func equalValues(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && equalMaps(a, b, func(string) *Type { return nil })
	case []any:
		b, ok := b.([]any)
		return ok && equalLists(nil, a, b)
	}
	return reflect.DeepEqual(a, b)
}

func equalTyped(t *Type, a, b any) bool {
	if t == nil {
		return equalValues(a, b)
	}
	switch t.Kind {
	case Struct:
		a, okA := a.(map[string]any)
		b, okB := b.(map[string]any)
		if !okA || !okB {
			return okA == okB
		}
		return oneMap(a, b) || equalStructs(t, a, b)
	case Map:
		a, okA := asMap(a)
		b, okB := asMap(b)
		return okA && okB && equalMaps(a, b, func(string) *Type { return t.Elem })
	case List:
		a, okA := asList(a)
		b, okB := asList(b)
		return okA && okB && equalLists(t.Elem, a, b)
	case Custom:
		if t.Name == "resource.Quantity" {
			return equalQuantities(a, b)
		}
	}
	return reflect.DeepEqual(a, b)
}

// equalStructs compares the fields that either has. A missing field is nil.
func equalStructs(t *Type, a, b map[string]any) bool {
	for key, value := range a {
		if !equalTyped(typeOfField(t, key), value, b[key]) {
			return false
		}
	}
	for key, value := range b {
		if _, both := a[key]; !both && !equalTyped(typeOfField(t, key), nil, value) {
			return false
		}
	}
	return true
}

func typeOfField(t *Type, name string) *Type {
	if f := t.Field(name); f != nil {
		return f.Type
	}
	return nil // apiVersion and kind
}

func equalMaps(a, b map[string]any, elem func(string) *Type) bool {
	if len(a) != len(b) {
		return false
	}
	if oneMap(a, b) {
		return true
	}
	for key, value := range a {
		other, ok := b[key]
		if !ok || !equalTyped(elem(key), value, other) {
			return false
		}
	}
	return true
}

// oneMap reports whether two maps are identical, as in objects that share equal parts.
func oneMap(a, b map[string]any) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}

func equalLists(elem *Type, a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) > 0 && &a[0] == &b[0] {
		return true
	}
	for i := range a {
		if !equalTyped(elem, a[i], b[i]) {
			return false
		}
	}
	return true
}

func asMap(v any) (map[string]any, bool) {
	m, ok := v.(map[string]any)
	return m, ok || v == nil
}

func asList(v any) ([]any, bool) {
	l, ok := v.([]any)
	return l, ok || v == nil
}

func equalQuantities(a, b any) bool {
	x, okX := a.(string)
	y, okY := b.(string)
	if !okX || !okY || x == y {
		return reflect.DeepEqual(a, b)
	}
	p, errP := resource.ParseQuantity(x)
	q, errQ := resource.ParseQuantity(y)
	return errP == nil && errQ == nil && p.Cmp(q) == 0
}
