package proposal

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// applyConfiguration writes the expression that merges the change into the
// object, or says why there is none (semantics §6.5): merging removes nothing,
// and what the API replaces as a whole may not be mentioned. notes are about
// what comes out a little different.
func applyConfiguration(t *catalog.Type, before, after map[string]any) (expression string, reasons, notes []string) {
	g := &applying{}
	c, _ := g.object(t, before, after, "Object", nil)
	if len(g.reasons) > 0 {
		return "", g.reasons, nil
	}
	return c.String(), nil, g.notes
}

// applying collects what cannot be merged.
type applying struct{ reasons, notes []string }

func (g *applying) cannot(format string, args ...any) {
	if reason := fmt.Sprintf(format, args...); !slices.Contains(g.reasons, reason) {
		g.reasons = append(g.reasons, reason)
	}
}

// object writes what changed between two structs or maps; false when nothing
// did. name is the Object type at this place, path the field path for people.
func (g *applying) object(t *catalog.Type, before, after map[string]any, name string, path fieldpath.Path) (code, bool) {
	asStruct := isStruct(t, after)
	out := code{open: "{", close: "}"}
	if asStruct {
		out.open = name + "{"
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[key]; !ok {
			g.cannot("%s is removed; merging removes nothing", path.Child(key))
		}
	}
	var values []any
	for _, key := range ordered(after) {
		old, had := before[key]
		child := name
		if asStruct {
			child += "." + key
		}
		c, changed := g.value(fieldOf(t, key), typeOf(t, key), old, after[key], had, child, path.Child(key))
		if !changed {
			continue
		}
		label := quote(key) + ": "
		if asStruct {
			label = key + ": "
		} else if m, isMap := after[key].(map[string]any); isList(after[key]) || isMap && !isStruct(typeOf(t, key), m) {
			g.cannot("%s is %s in a map; the server does not convert such literals", path.Child(key), shape(after[key]))
		}
		out.parts = append(out.parts, part{label, c})
		values = append(values, after[key])
	}
	if !asStruct {
		out = sameTypes(out, values)
	}
	return out, len(out.parts) > 0
}

// value writes what changed in one value.
func (g *applying) value(f *catalog.Field, t *catalog.Type, before, after any, had bool, name string, path fieldpath.Path) (code, bool) {
	if had && reflect.DeepEqual(before, after) {
		return code{}, false
	}
	if f != nil && check.IsAtomic(f) {
		g.cannot("%s is atomic: the API replaces it as a whole, and an ApplyConfiguration may not set it", path)
		return code{}, true
	}
	switch a := after.(type) {
	case map[string]any:
		b, _ := before.(map[string]any)
		if len(b) == 0 {
			b = nil
		}
		c, changed := g.object(t, b, a, name, path)
		return c, changed || !had
	case []any:
		b, _ := before.([]any)
		return g.list(f, t, b, a, name, path), true
	case nil:
		g.cannot("%s becomes null; merging removes nothing", path)
	}
	return scalar(after), true
}

// list writes the items of an associative list that are new or changed. Lists
// without schema are replaced as a whole.
func (g *applying) list(f *catalog.Field, t *catalog.Type, before, after []any, name string, path fieldpath.Path) code {
	out := code{open: "[", close: "]"}
	keys := mergeKeys(f)
	removed := false
	for _, item := range before {
		if f != nil && find(after, item, keys) == nil {
			removed = true
			g.cannot("%s is removed; merging removes nothing", itemPath(path, item, keys))
		}
	}
	var values []any
	for i, item := range after {
		var old any
		if f != nil {
			old = find(before, item, keys)
		}
		if old != nil && reflect.DeepEqual(old, item) {
			continue
		}
		if old == nil && slices.ContainsFunc(after[i:], func(later any) bool { return find(before, later, keys) != nil }) {
			g.notes = append(g.notes, fmt.Sprintf("%s must come before others; merging adds new items mostly at the end.", itemPath(path, item, keys)))
		}
		out.parts = append(out.parts, part{code: g.item(t, old, item, keys, name, itemPath(path, item, keys))})
		values = append(values, item)
	}
	if len(values) == 0 && !removed {
		g.cannot("%s gets another order; merging keeps the old one", path)
	}
	return sameTypes(out, values)
}

// item writes one item of a list: its keys, and what is new.
func (g *applying) item(t *catalog.Type, before, after any, keys []string, name string, path fieldpath.Path) code {
	a, ok := after.(map[string]any)
	if !ok {
		if isList(after) {
			g.cannot("%s is a list in a list; the server does not convert such literals", path)
		}
		return scalar(after)
	}
	if !isStruct(elemOf(t), a) {
		g.cannot("%s is a map in a list; the server does not convert such literals", path)
	}
	b, _ := before.(map[string]any)
	c, _ := g.object(elemOf(t), without(b, keys), a, name, path)
	for _, key := range keys {
		if b[key] != nil && a[key] == nil {
			g.cannot("%s: an item needs its key %s", path, key)
		}
	}
	return c
}

// without leaves out the keys, so that they count as changed and are written.
func without(m map[string]any, keys []string) map[string]any {
	out := maps.Clone(m)
	for _, key := range keys {
		delete(out, key)
	}
	return out
}

// find looks up an item by the keys of the list, or by its value in a set.
func find(list []any, item any, keys []string) any {
	for _, candidate := range list {
		if len(keys) == 0 {
			if reflect.DeepEqual(candidate, item) {
				return candidate
			}
			continue
		}
		if reflect.DeepEqual(keyOf(candidate, keys), keyOf(item, keys)) {
			return candidate
		}
	}
	return nil
}

func keyOf(item any, keys []string) []any {
	m, _ := item.(map[string]any)
	var out []any
	for _, key := range keys {
		out = append(out, m[key])
	}
	return out
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}

func shape(v any) string {
	if isList(v) {
		return "a list"
	}
	return "a map"
}

// itemPath names an item for people: spec.containers[name=app].
func itemPath(path fieldpath.Path, item any, keys []string) fieldpath.Path {
	m, isMap := item.(map[string]any)
	if len(keys) == 0 {
		if !isMap {
			return path.Key(fmt.Sprint(item))
		}
		for _, key := range identities {
			if m[key] != nil {
				return path.Key(fmt.Sprintf("%s=%v", key, m[key]))
			}
		}
		return path.Key(short(item))
	}
	var parts []string
	for _, key := range keys {
		parts = append(parts, fmt.Sprintf("%s=%v", key, m[key]))
	}
	return path.Key(strings.Join(parts, ","))
}

func short(v any) string {
	raw, err := json.Marshal(v)
	if err != nil || len(raw) > 40 {
		return "…"
	}
	return string(raw)
}
