package ask

import (
	"slices"

	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// apply makes a request meet settings, as far as it has room for them.
func (r *request) apply(settings []outcomes.Setting, w *outcomes.World) {
	for _, s := range settings {
		if len(s.Path) == 0 {
			continue
		}
		root, path := s.Path[0], s.Path[1:]
		t := w.Object
		switch {
		case root == "request" && len(path) > 0 && path[0] == "userInfo":
			if r.values["userInfo"] == nil {
				r.values["userInfo"] = map[string]any{"username": "jane", "groups": []any{"system:authenticated"}}
			}
			root, path, t = "userInfo", path[1:], nil
		case root == "request" && len(path) == 1 && (path[0] == "namespace" || path[0] == "name"):
			for _, name := range []string{"object", "oldObject"} {
				set(r.values[name], []string{"metadata", path[0]}, s, nil)
			}
			continue
		case root == "namespaceObject" && len(path) == 2 && path[1] == "name":
			set(r.values["object"], []string{"metadata", "namespace"}, s, nil)
			continue
		}
		if r.values[root] == nil || len(path) == 0 || empties(s) && filled(r.smallest, path) {
			continue
		}
		set(r.values[root], path, s, t)
	}
}

// empties reports whether a setting removes the whole content of a field.
func empties(s outcomes.Setting) bool {
	return s.Missing || s.Items != nil && len(s.Items) == 0 || s.Items == nil && s.Value == nil && s.Size == 0
}

// filled reports whether the smallest object has something at a path: the server rejects an object without it.
func filled(v any, path []string) bool {
	if len(path) == 0 {
		return v != nil
	}
	switch v := v.(type) {
	case map[string]any:
		return filled(v[path[0]], path[1:])
	case []any:
		if path[0] == "*" {
			path = path[1:]
		}
		return len(v) > 0 && filled(v[0], path)
	}
	return false
}

// set changes what is at a path of an object. What is on the way and not there is made.
func set(in any, path []string, s outcomes.Setting, t *catalog.Type) {
	switch in := in.(type) {
	case []any:
		for _, item := range in {
			rest := path
			if path[0] == "*" {
				rest = path[1:]
			}
			if len(rest) > 0 {
				set(item, rest, s, below(t, "*"))
			}
		}
	case map[string]any:
		name := path[0]
		of := below(t, name)
		if len(path) > 1 {
			if in[name] == nil {
				if s.Missing {
					return
				}
				in[name] = map[string]any{}
				switch {
				case of != nil && of.Kind == catalog.List:
					in[name] = []any{some(of.Elem, 1)}
				case of == nil && path[1] == "*":
					in[name] = []any{map[string]any{}}
				}
			}
			set(in[name], path[1:], s, of)
			return
		}
		switch {
		case s.Missing:
			delete(in, name)
		case s.Items != nil:
			in[name] = items(in[name], s.Items, of)
		case s.Value != nil:
			in[name] = s.Value
		case s.Size >= 0:
			in[name] = sized(in[name], s.Size, of)
		case in[name] == nil:
			in[name] = some(of, 1)
		}
	}
}

func below(t *catalog.Type, step string) *catalog.Type {
	if t == nil {
		return nil
	}
	return t.At(step)
}

// items are the items of a list, like the first one that there is.
func items(list any, wanted [][]outcomes.Setting, t *catalog.Type) []any {
	out := []any{}
	have, _ := list.([]any)
	for i, settings := range wanted {
		var item any = map[string]any{}
		switch {
		case i < len(have):
			item = untyped.Copy(have[i])
		case len(have) > 0:
			item = untyped.Copy(have[0])
			if m, ok := item.(map[string]any); ok && m["name"] != nil {
				m["name"] = "other"
			}
		case t != nil && t.Kind == catalog.List:
			item = some(t.Elem, 1)
		}
		for _, s := range settings {
			if len(s.Path) == 0 {
				if s.Value != nil {
					item = s.Value // a list of scalars
				}
				continue
			}
			set(item, s.Path, s, below(t, "*"))
		}
		out = append(out, item)
	}
	return out
}

// sized is a value of a number of characters, items or keys.
func sized(v any, n int, t *catalog.Type) any {
	switch {
	case t != nil && t.Kind == catalog.List:
		have, _ := v.([]any)
		out := slices.Clone(have[:min(n, len(have))])
		for len(out) < n {
			if len(have) > 0 {
				out = append(out, untyped.Copy(have[0]))
				continue
			}
			out = append(out, some(t.Elem, 1))
		}
		return out
	case t != nil && t.Kind == catalog.Map, t != nil && t.Kind == catalog.Struct:
		return v
	}
	text := make([]byte, n)
	for i := range text {
		text[i] = 'x'
	}
	return string(text)
}
