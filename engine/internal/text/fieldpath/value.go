package fieldpath

import (
	"slices"
	"strconv"
)

// This file reads and changes unstructured values: maps, lists and scalars as in JSON. The existing
// value decides whether a step is a key or an index.

// Get returns the value at the path.
func (p Path) Get(value any) (found any, ok bool) {
	for _, s := range p {
		switch v := value.(type) {
		case map[string]any:
			if value, ok = v[s.name]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(s.name)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// As returns a value of Get as a T, or T's zero if it is missing or has another type.
func As[T any](value any, _ bool) T {
	t, _ := value.(T)
	return t
}

// Lookup returns the value at a JSON Pointer through maps only, because a list item's index may
// change.
func Lookup(object map[string]any, pointer string) (value any, found bool) {
	value = object
	for _, key := range Pointer(pointer) {
		m, _ := value.(map[string]any)
		if value, found = m[key]; !found {
			return nil, false
		}
	}
	return value, object != nil
}

// Set changes the value at the path in place, and creates missing maps and lists. "-" and the index
// after the last append to a list. It reports whether the value could be set; the root cannot.
func (p Path) Set(object, value any) bool {
	if len(p) == 0 {
		return false
	}
	name := p[0].name
	switch parent := object.(type) {
	case map[string]any:
		if len(p) == 1 {
			parent[name] = value
			return true
		}
		child, changed := grown(parent[name], p[1].name, len(p) == 2, value)
		if changed {
			parent[name] = child
		}
		return p[1:].Set(child, value)
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil && name == "-" {
			i = len(parent) - 1 // grown has already appended it
		} else if err != nil || i < 0 || i >= len(parent) {
			return false
		}
		if len(p) == 1 {
			parent[i] = value
			return true
		}
		child, changed := grown(parent[i], p[1].name, len(p) == 2, value)
		if changed {
			parent[i] = child
		}
		return p[1:].Set(child, value)
	}
	return false
}

// grown creates a container for the path's next key if missing, and extends a list by one if the
// key is the index after its end.
func grown(child any, key string, last bool, value any) (any, bool) {
	index, err := strconv.Atoi(key)
	isIndex := err == nil || key == "-"
	switch c := child.(type) {
	case nil:
		if isIndex && (key == "-" || index == 0) {
			return []any{element(last, value)}, true
		}
		return map[string]any{}, true
	case []any:
		if key == "-" || (err == nil && index == len(c)) {
			return append(slices.Clip(c), element(last, value)), true
		}
	}
	return child, false
}

func element(last bool, value any) any {
	if last {
		return value
	}
	return map[string]any{}
}

// Remove removes the value at the path and returns the object. This is the same object unless it is
// a list that became shorter. A missing value is no error.
func (p Path) Remove(object any) any {
	if len(p) == 0 {
		return object
	}
	name := p[0].name
	switch parent := object.(type) {
	case map[string]any:
		if len(p) == 1 {
			delete(parent, name)
		} else if child, ok := parent[name]; ok {
			parent[name] = p[1:].Remove(child)
		}
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(parent) {
			return object
		}
		if len(p) == 1 {
			return append(parent[:i:i], parent[i+1:]...)
		}
		parent[i] = p[1:].Remove(parent[i])
	}
	return object
}
