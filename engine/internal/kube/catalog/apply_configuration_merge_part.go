package catalog

import (
	"maps"
	"slices"
)

// partMerger only merges the part of an object that a patch touches. The library checks and copies
// everything it gets, and a patch usually touches only a few fields. It implements Merger.
type partMerger struct {
	whole Merger
	root  *Type
	// owned are the types that contain managed fields.
	owned map[*Type]bool
}

// newPartMerger returns a merger for parts of a type, or the full merger if the library may reject
// a valid object.
func newPartMerger(whole Merger, root *Type) Merger {
	if !keyed(root, map[*Type]bool{}) {
		return whole
	}
	m := partMerger{whole, root, map[*Type]bool{}}
	m.owns(root)
	return m
}

func (m partMerger) Merge(live, patch map[string]any) (map[string]any, error) {
	if !m.ownedFits(m.root, live) {
		return m.whole.Merge(live, patch)
	}
	if plain(m.root, withKindOf(live, patch)) {
		return joined(m.root, live, withKindOf(live, patch)), nil
	}
	reached := part(m.root, live, patch)
	for _, name := range []string{"apiVersion", "kind"} {
		if value, ok := live[name]; ok {
			reached[name] = value
		}
	}
	merged, err := m.whole.Merge(reached, patch)
	if err != nil {
		return nil, err
	}
	return overlaid(m.root, live, merged), nil
}

// part returns the object's values for a patch's fields. A struct that the patch only sets in part
// becomes a part too. Maps, lists and atomic structs are kept whole.
func part(t *Type, live, patch map[string]any) map[string]any {
	out := make(map[string]any, len(patch)+2)
	for name, value := range patch {
		is, ok := live[name]
		if !ok {
			continue
		}
		if f, own, other := inside(t, name, is, value); f != nil {
			is = part(f, own, other)
		}
		out[name] = is
	}
	return out
}

// overlaid returns an object with the merged part. It shares everything else.
func overlaid(t *Type, live, merged map[string]any) map[string]any {
	out := maps.Clone(live)
	for name, value := range merged {
		if f, own, other := inside(t, name, live[name], value); f != nil {
			value = overlaid(f, own, other)
		}
		out[name] = value
	}
	return out
}

// inside returns the type of a field that merges field by field, and its values in two objects. It
// returns nil for other fields and if an object lacks it.
func inside(t *Type, name string, a, b any) (of *Type, own, other map[string]any) {
	f := t.Field(name)
	if f == nil || f.Type.Kind != Struct || f.MapType == "atomic" || f.Type.MapType == "atomic" {
		return nil, nil, nil
	}
	own, ok := a.(map[string]any)
	other, both := b.(map[string]any)
	if !ok || !both || own == nil || other == nil {
		return nil, nil, nil
	}
	return f.Type, own, other
}

// plain reports whether a patch only sets scalars, in structs and in string maps such as labels.
// Those merge by name and cannot fail.
func plain(t *Type, patch map[string]any) bool {
	for name, value := range patch {
		f := t.Field(name)
		if f == nil || f.MapType == "atomic" || f.Type.MapType == "atomic" {
			return false
		}
		below, isMap := value.(map[string]any)
		switch f.Type.Kind {
		case Struct:
			if !isMap || len(below) == 0 || !plain(f.Type, below) {
				return false
			}
		case Map:
			if !isMap || len(below) == 0 || f.Type.Elem.Kind != String {
				return false
			}
			for _, item := range below {
				if _, ok := item.(string); !ok {
					return false
				}
			}
		default:
			if !plainScalar(f.Type.Kind, value) {
				return false
			}
		}
	}
	return true
}

// plainScalar reports whether a value fits a scalar type unchanged.
func plainScalar(kind Kind, value any) bool {
	switch value.(type) {
	case string:
		return kind == String
	case bool:
		return kind == Boolean
	case int64:
		return kind == Integer
	}
	return false
}

// joined returns an object with a plain patch applied. It shares everything else.
func joined(t *Type, live, patch map[string]any) map[string]any {
	out := make(map[string]any, len(live)+len(patch))
	maps.Copy(out, live)
	for name, value := range patch {
		below, isMap := value.(map[string]any)
		if !isMap {
			out[name] = value
			continue
		}
		own, _ := live[name].(map[string]any)
		if f := t.Field(name); f.Type.Kind == Struct {
			out[name] = joined(f.Type, own, below)
			continue
		}
		all := make(map[string]any, len(own)+len(below))
		maps.Copy(all, own)
		maps.Copy(all, below)
		out[name] = all
	}
	return out
}

// fieldsV1 is the only type that decodes from anything although its schema requires a map.
const fieldsV1 = "meta/v1.FieldsV1"

// owns reports whether a type's values contain managed fields, and caches the result.
func (m partMerger) owns(t *Type) bool {
	if t == nil || t.ID == fieldsV1 {
		return t != nil
	}
	if known, ok := m.owned[t]; ok {
		return known
	}
	m.owned[t] = false // ends recursion
	found := m.owns(t.Elem)
	if t.Kind == Struct {
		for _, f := range t.Fields() {
			found = m.owns(f.Type) || found
		}
	}
	m.owned[t] = found
	return found
}

// ownedFits reports whether the managed fields in a value are maps.
func (m partMerger) ownedFits(t *Type, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		if t.Kind != Struct {
			return true // no map has such values
		}
		for _, f := range t.Fields() {
			if item := v[f.Name]; item != nil && (f.Type.ID == fieldsV1 || m.owned[f.Type]) && !m.ownedFits(f.Type, item) {
				return false
			}
		}
	case []any:
		for _, item := range v {
			if !m.ownedFits(t.Elem, item) {
				return false
			}
		}
	default:
		return t.ID != fieldsV1
	}
	return true
}

// keyed reports whether all list items below a type have a key in every object of the type. Then
// the library cannot reject an object and need not see all of it.
func keyed(t *Type, seen map[*Type]bool) bool {
	if t == nil || seen[t] {
		return true
	}
	seen[t] = true
	if !keyed(t.Elem, seen) {
		return false
	}
	if t.Kind != Struct {
		return true
	}
	return !slices.ContainsFunc(t.Fields(), func(f *Field) bool { return f.ListType == "map" && !hasKey(f) || !keyed(f.Type, seen) })
}

// hasKey reports whether the normal form of a list's items always has one of the list's keys.
func hasKey(list *Field) bool {
	for _, name := range list.ListMapKeys {
		if key := list.Type.Elem.Field(name); key != nil && (key.schemaDefault() != nil || !key.OmitEmpty && !key.Pointer) {
			return true
		}
	}
	return false
}
