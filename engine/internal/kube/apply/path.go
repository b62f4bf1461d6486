package apply

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// Resolve finds a field in a value by the path that the field manager writes, such as
// .spec.ports[port=80,protocol="TCP"].name. It returns the path with the items' indexes as far as the value
// has it, and whether it has all of it. The names in such a path may contain dots.
func Resolve(value any, text string) (path fieldpath.Path, found bool) {
	for text != "" {
		var rest string
		next, ok := value, false
		switch v := value.(type) {
		case map[string]any:
			var name string
			if name, rest, ok = cutName(v, text); ok {
				next, path = v[name], path.Child(name)
			}
		case []any:
			var i int
			if i, rest, ok = cutItem(v, text); ok {
				next, path = v[i], path.Index(i)
			}
		}
		if !ok {
			return path, false
		}
		value, text = next, rest
	}
	return path, true
}

// cutName takes the longest of a map's names off a path.
func cutName(of map[string]any, text string) (name, rest string, found bool) {
	after, ok := strings.CutPrefix(text, ".")
	for key := range of {
		if end, ok := strings.CutPrefix(after, key); ok && len(key) >= len(name) && (end == "" || end[0] == '.' || end[0] == '[') {
			name, rest, found = key, end, true
		}
	}
	return name, rest, ok && found
}

// cutItem takes an item off a path: its index, its keys or its value.
func cutItem(list []any, text string) (index int, rest string, found bool) {
	after, ok := strings.CutPrefix(text, "[")
	if !ok {
		return 0, "", false
	}
	want := map[string]any{}
	for ok && after != "" && after[0] != ']' {
		after = strings.TrimPrefix(after, ",")
		end := strings.IndexAny(after, "=]")
		if end < 0 {
			return 0, "", false
		}
		key := after[:end]
		if after[end] == ']' {
			i, err := strconv.Atoi(key)
			return i, after[end+1:], err == nil && i < len(list)
		}
		var value any
		decoder := json.NewDecoder(strings.NewReader(after[end+1:]))
		if err := decoder.Decode(&value); err != nil {
			return 0, "", false
		}
		want[key], after = value, after[end+1+int(decoder.InputOffset()):]
	}
	for i, item := range list {
		if after != "" && has(item, want) {
			return i, after[1:], true
		}
	}
	return 0, "", false
}

// has reports whether an item has the keys, or is the value whose key is empty. An item may leave out a
// key that has a default.
func has(item any, want map[string]any) bool {
	if value, ok := want[""]; ok && len(want) == 1 {
		return reflect.DeepEqual(asJSON(item), value)
	}
	fields, ok := item.(map[string]any)
	for key, value := range want {
		if got, given := fields[key]; given && !reflect.DeepEqual(asJSON(got), value) {
			return false
		}
	}
	return ok
}

// asJSON is a value as the JSON decoder reads it.
func asJSON(v any) any {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v
}

// InConfig is the path in the applied configuration of what the merged object has at a path, as far as the
// configuration has it: the items of a list have other indexes there.
func InConfig(config, merged any, path fieldpath.Path) (out fieldpath.Path) {
	for _, step := range path {
		next, ok := fieldpath.Path{step}.Get(merged)
		if !ok {
			return out
		}
		if list, of := config.([]any); of {
			i := slices.IndexFunc(list, func(item any) bool { return within(item, next) })
			if i < 0 {
				return out
			}
			config, out = list[i], out.Index(i)
		} else if config, ok = (fieldpath.Path{step}).Get(config); ok {
			out = append(slices.Clip(out), step)
		} else {
			return out
		}
		merged = next
	}
	return out
}

// within reports whether a merged value has what a value of the configuration has.
func within(config, merged any) bool {
	fields, ok := config.(map[string]any)
	in, both := merged.(map[string]any)
	if !ok || !both {
		_, list := config.([]any)
		return list || reflect.DeepEqual(asJSON(config), asJSON(merged))
	}
	for key, value := range fields {
		if !within(value, in[key]) {
			return false
		}
	}
	return true
}
