package foresee

import (
	"slices"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// State says which of the fields that are read an object has: the index of one of their
// values. Fields that are not in it are missing, unless the smallest object has them.
type State map[*Read]int

// fill sets the fields below a read, of those that are in the state. Fields that other has, too,
// are left to it. The value is changed and returned.
func fill(value any, t *catalog.Type, r *Read, s State, other *Read) any {
	switch v := value.(type) {
	case map[string]any:
		for _, c := range r.Children {
			fillField(v, t, c, s, other.Child(c.Name))
		}
		complete(v, t)
		return v
	case []any:
		return fillItems(v, t, r, s, other)
	}
	return value
}

// demanded are fields that the server demands where another field has a value, by the type that they are in.
var demanded = map[string]struct {
	field        string
	value        any
	needs, least string
}{
	"rbac/v1.Subject":     {"kind", "ServiceAccount", "namespace", "default"},
	"core/v1.ServiceSpec": {"type", "ExternalName", "externalName", "example.com"},
}

func complete(object map[string]any, t *catalog.Type) {
	if t == nil {
		return
	}
	if d, ok := demanded[t.ID]; ok && object[d.field] == d.value && object[d.needs] == nil {
		object[d.needs] = d.least
	}
}

func fillField(object map[string]any, t *catalog.Type, c *Read, s State, other *Read) {
	ft, known := fieldType(t, c.Name)
	index, present := s[c]
	before, exists := object[c.Name]
	switch {
	case !known, other != nil && len(other.Children) == 0, !present && !exists:
		return
	case c.Name == Item:
		if t.Kind == catalog.Map && len(object) == 0 && present {
			object["x"] = scalarOrEmpty(t.Elem, c, index)
		}
		return
	case present && (!exists || len(c.Values) > 0 && ft != nil && scalar(ft)):
		before = scalarOrEmpty(ft, c, index)
	}
	object[c.Name] = filled(fill(before, ft, c, s, other), ft, c, present)
}

// filled is a value that is present: the server drops empty maps and lists, so one without
// anything that is read has something else in it.
func filled(value any, t *catalog.Type, r *Read, present bool) any {
	if !present || t == nil || t.Elem == nil {
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			v[otherKey(t.Elem, r)] = scalarOrEmpty(t.Elem, &Read{}, 0)
		}
	case []any:
		if len(v) == 0 {
			return append(v, scalarOrEmpty(t.Elem, &Read{}, 0))
		}
	}
	return value
}

// otherKey is a key of a map that no expression reads. In a map of quantities it is a resource.
func otherKey(elem *catalog.Type, r *Read) string {
	if isQuantity(elem) {
		for _, name := range []string{"memory", "cpu", "ephemeral-storage"} {
			if r.Child(name) == nil {
				return name
			}
		}
	}
	return "x"
}

// fillItems fills each item of a list. An empty one gets an item if items are read.
func fillItems(list []any, t *catalog.Type, r *Read, s State, other *Read) any {
	var elem *catalog.Type
	if t != nil {
		elem = t.Elem
	}
	for _, c := range r.Children {
		index, present := s[c]
		if c.Name != Item { // a constant that is looked for in the list
			if present && elem != nil && elem.Kind == catalog.String && !slices.Contains(list, any(c.Name)) {
				list = append(list, c.Name)
			}
			continue
		}
		if len(list) == 0 && present {
			list = append(list, scalarOrEmpty(elem, c, index))
		}
		for i := range list {
			if present && elem != nil && scalar(elem) && len(c.Values) > 0 {
				list[i] = scalarOf(elem, c.Values, index)
			}
			list[i] = fill(list[i], elem, c, s, other.Child(Item))
		}
	}
	return list
}

// fieldType is the type of a field or key; false for a field that the type does not have.
func fieldType(t *catalog.Type, name string) (*catalog.Type, bool) {
	switch {
	case t == nil || t.Kind == catalog.Any:
		return nil, true
	case t.Kind == catalog.Struct:
		f := t.Field(name)
		if f == nil {
			return nil, t.Open
		}
		return f.Type, true
	case t.Kind == catalog.Map:
		return t.Elem, true
	}
	return nil, false
}

// scalarOrEmpty is a new value: for what has fields of its own the least one.
func scalarOrEmpty(t *catalog.Type, r *Read, index int) any {
	if t == nil { // no schema: the reads say what it is
		switch {
		case r.Child(Item) != nil:
			return []any{}
		case len(r.Children) > 0:
			return map[string]any{}
		case len(r.Values) > 0:
			return r.Values[index%len(r.Values)]
		}
		return "x"
	}
	if scalar(t) && t.Kind != catalog.Any {
		return scalarOf(t, r.Values, index)
	}
	if t.Kind == catalog.Any {
		return scalarOrEmpty(nil, r, index)
	}
	return least(t, 1)
}
