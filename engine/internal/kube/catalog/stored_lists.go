package catalog

import (
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// FromStorage returns a built-in object as read back from storage. Protobuf drops lists and maps
// without items, so they become null where the type always shows them. Definitions and APIServices
// are stored as JSON (LegacyCodec in cmd/kube-apiserver/app and controlplane/apiserver).
func (c *Catalog) FromStorage(gvk schema.GroupVersionKind, object map[string]any) map[string]any {
	if gvk.Group == "apiextensions.k8s.io" || gvk.Group == "apiregistration.k8s.io" {
		return object
	}
	if t, ok := c.TypeOf(gvk); ok {
		if out, ok := withoutEmpty(t, object).(map[string]any); ok {
			return out
		}
	}
	return object
}

// withoutEmpty replaces lists and maps without items by null. It changes copies only.
func withoutEmpty(t *Type, value any) any {
	switch value := value.(type) {
	case map[string]any:
		var part func(name string) *Type
		switch t.Kind {
		case Map:
			if len(value) == 0 {
				return nil
			}
			part = func(string) *Type { return t.Elem }
		case Struct:
			fields := t.Fields()
			part = func(name string) *Type {
				if i := slices.IndexFunc(fields, func(f *Field) bool { return f.Name == name }); i >= 0 {
					return fields[i].Type
				}
				return nil
			}
		default:
			return value
		}
		out, copied := value, false
		for name, is := range value {
			below := part(name)
			if below == nil {
				continue
			}
			if now := withoutEmpty(below, is); !sameValue(is, now) {
				if !copied {
					out, copied = maps.Clone(value), true
				}
				out[name] = now
			}
		}
		return out
	case []any:
		if t.Kind != List {
			return value
		}
		if len(value) == 0 {
			return nil
		}
		out, copied := value, false
		for i, is := range value {
			if now := withoutEmpty(t.Elem, is); !sameValue(is, now) {
				if !copied {
					out, copied = slices.Clone(value), true
				}
				out[i] = now
			}
		}
		return out
	}
	return value
}

// sameValue reports whether a value was left unchanged.
func sameValue(before, after any) bool {
	switch before := before.(type) {
	case map[string]any:
		now, ok := after.(map[string]any)
		return ok && (len(before) == 0 || reflect.ValueOf(before).Pointer() == reflect.ValueOf(now).Pointer())
	case []any:
		now, ok := after.([]any)
		return ok && (len(before) == 0 || &before[0] == &now[0])
	}
	return true
}
