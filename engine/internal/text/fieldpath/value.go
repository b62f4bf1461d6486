package fieldpath

import (
	"slices"
	"strconv"
)

// This file reads and changes unstructured values: maps, lists and scalars as
// JSON has them. Whether a step is a key or an index is decided by what is there.

// Get is the value at the path.
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

// Lookup is the value at a JSON Pointer that leads through maps only: the number
// of a list item may be that of another one after a change.
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

// Set changes the value at the path, in object itself, and makes the maps and
// lists on the way. "-" and the index after the last one append to a list. It
// reports whether there is a place for the value; the root is none.
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
			i = len(parent) - 1 // grown has appended it
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

// grown makes a container for the next key of a path if there is none, and a
// list one longer if the key is the place after its end.
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

// Remove takes the value at the path out of object, and returns the object: the
// same one, unless it is a list that became shorter. What is not there needs no
// removing.
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
