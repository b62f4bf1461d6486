package expressions

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Literal writes a part of an object that YAML has as the literal of an
// ApplyConfiguration; empty where a value has none, as null.
func Literal(object map[string]any) string {
	text, ok := literalOf(object, "Object")
	if !ok {
		return ""
	}
	return text
}

// literalOf writes a value at a place that is named as its type is: Object.spec.
func literalOf(value any, place string) (string, bool) {
	switch v := value.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		isMap := slices.Contains(mapFields, place[strings.LastIndexByte(place, '.')+1:]) || slices.ContainsFunc(keys, func(key string) bool { return !nameOfField.MatchString(key) })
		var parts []string
		for _, key := range keys {
			text, ok := literalOf(v[key], place+"."+key)
			if !ok {
				return "", false
			}
			if isMap {
				key = jsonText(key)
			}
			parts = append(parts, key+": "+text)
		}
		if isMap {
			place = ""
		}
		return place + "{" + strings.Join(parts, ", ") + "}", true
	case []any:
		var items []string
		for _, item := range v {
			text, ok := literalOf(item, place)
			if !ok {
				return "", false
			}
			items = append(items, text)
		}
		return "[" + strings.Join(items, ", ") + "]", true
	case nil:
		return "", false
	}
	raw, err := json.Marshal(value)
	return string(raw), err == nil
}
