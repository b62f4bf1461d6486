package apply

import (
	"encoding/json"
	"reflect"
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
