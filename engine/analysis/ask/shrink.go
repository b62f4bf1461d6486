package ask

import (
	"maps"
	"reflect"
	"slices"

	"github.com/preadmit/preadmit/engine/report"
)

// shrunk leaves out of a request what neither the answer nor the server requires.
func (t *trial) shrunk(r *request) *request {
	for again := true; again && t.open(); {
		again = false
		for _, path := range parts(r) {
			if there(r.smallest, path[1:]) || r.required(path) {
				continue
			}
			next := r.clone()
			next.values, _ = without(r.values, path).(map[string]any)
			if t.fits(next) {
				r, again = next, true
				break // the other paths may be gone
			}
		}
	}
	return r
}

// parts are the places of a request that may be left out, the larger ones first.
func parts(r *request) [][]any {
	var out [][]any
	var walk func(v any, path []any)
	walk = func(v any, path []any) {
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				at := append(slices.Clone(path), key)
				if !kept(at) {
					out = append(out, at)
				}
				walk(v[key], at)
			}
		case []any:
			for i := range v {
				at := append(slices.Clone(path), i)
				out = append(out, at)
				walk(v[i], at)
			}
		}
	}
	walk(r.values, nil)
	slices.SortStableFunc(out, func(a, b []any) int { return len(a) - len(b) })
	return out
}

// required reports whether a place belongs to the smallest value of its type.
func (r *request) required(path []any) bool {
	key, ok := path[len(path)-1].(string)
	if !ok || path[0] != "object" && path[0] != "oldObject" {
		return false
	}
	t := r.typ
	for _, step := range path[1 : len(path)-1] {
		name, _ := step.(string) // of an item it does not matter
		t = t.At(name)
	}
	return t != nil && smallestParts()[t.Name][key] != nil
}

// there reports whether an object has something at a path.
func there(v any, path []any) bool {
	for _, step := range path {
		switch of := v.(type) {
		case map[string]any:
			key, _ := step.(string)
			next, ok := of[key]
			if !ok {
				return false
			}
			v = next
		case []any:
			at, _ := step.(int)
			if at >= len(of) {
				return false
			}
			v = of[at]
		default:
			return false
		}
	}
	return len(path) > 0
}

// kept are parts without which a request cannot be read.
func kept(path []any) bool {
	if len(path) == 1 {
		return path[0] != "userInfo"
	}
	return len(path) == 2 && (path[1] == "apiVersion" || path[1] == "kind" || path[1] == "metadata" || path[1] == "username") || len(path) == 3 && path[1] == "metadata" && (path[2] == "name" || path[2] == "namespace")
}

// without is a value without what is at a path, which is in it.
func without(v any, path []any) any {
	switch v := v.(type) {
	case map[string]any:
		key, _ := path[0].(string)
		out := maps.Clone(v)
		if len(path) == 1 {
			delete(out, key)
		} else {
			out[key] = without(v[key], path[1:])
		}
		return out
	case []any:
		at, _ := path[0].(int)
		out := slices.Clone(v)
		if len(path) == 1 {
			return slices.Delete(out, at, at+1)
		}
		out[at] = without(v[at], path[1:])
		return out
	}
	return v
}

// sameObject reports whether policies and webhooks make the same object. The time is that of the
// evaluation, and not compared.
func sameObject(a, b *report.Report) bool {
	return reflect.DeepEqual(untimed(a.Mutated), untimed(b.Mutated))
}

func untimed(object map[string]any) any {
	if metadata, _ := object["metadata"].(map[string]any); metadata["creationTimestamp"] == nil {
		return object
	}
	return without(object, []any{"metadata", "creationTimestamp"})
}
