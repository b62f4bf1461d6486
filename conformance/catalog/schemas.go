package catalog

import (
	"fmt"
	"math/rand/v2"
)

// schemaGenerator generates random structural schemas, and objects that usually match.
type schemaGenerator struct{ *rand.Rand }

func newSchemaGenerator(seed uint64) schemaGenerator {
	return schemaGenerator{rand.New(rand.NewPCG(seed, 2))}
}

// oneIn is true once in n times on average.
func (g schemaGenerator) oneIn(n int) bool { return g.IntN(n) == 0 }

func (g schemaGenerator) pick(choices ...any) any { return choices[g.IntN(len(choices))] }

// root generates a whole object's schema.
func (g schemaGenerator) root() map[string]any {
	out := map[string]any{"type": "object", "properties": map[string]any{"spec": g.schema(4), "b": g.schema(2)}}
	if g.oneIn(10) {
		out["x-kubernetes-preserve-unknown-fields"] = true
	}
	return out
}

func (g schemaGenerator) schema(depth int) map[string]any {
	shape := g.IntN(9)
	if depth <= 0 {
		shape = 4 + g.IntN(5)
	}
	var s map[string]any
	switch shape {
	case 0, 1:
		s = g.structSchema(depth)
	case 2:
		s = map[string]any{"type": "object", "additionalProperties": true}
		if !g.oneIn(3) {
			s["additionalProperties"] = g.schema(depth - 1)
		}
		if g.oneIn(4) {
			s["x-kubernetes-map-type"] = "atomic"
		}
	case 3:
		s = g.list(depth)
	case 4:
		s = map[string]any{"type": "string"}
		if g.oneIn(3) {
			s["format"] = g.pick("date-time", "byte", "uuid")
		}
		if g.oneIn(3) {
			s["default"] = "default"
		}
	case 5:
		s = map[string]any{"type": "integer"}
		if g.oneIn(3) {
			s["default"] = int64(7)
		}
	case 6:
		s = map[string]any{"type": g.pick("boolean", "number")}
	case 7:
		s = map[string]any{"x-kubernetes-int-or-string": true}
	case 8:
		s = map[string]any{"x-kubernetes-preserve-unknown-fields": true}
		if g.oneIn(2) {
			s["type"] = "object"
		}
	}
	if g.oneIn(5) {
		s["nullable"] = true
	}
	if s["type"] == "object" && g.oneIn(4) {
		s["default"] = g.pick(map[string]any{}, map[string]any{"undeclared": int64(1)})
	}
	return s
}

func (g schemaGenerator) structSchema(depth int) map[string]any {
	properties := map[string]any{}
	for i := range 1 + g.IntN(4) {
		properties[string(rune('a'+i))] = g.schema(depth - 1)
	}
	s := map[string]any{"type": "object", "properties": properties}
	if g.oneIn(4) {
		s["x-kubernetes-map-type"] = g.pick("atomic", "granular")
	}
	if g.oneIn(5) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	if g.oneIn(6) {
		s["x-kubernetes-embedded-resource"] = true
	}
	return s
}

func (g schemaGenerator) list(depth int) map[string]any {
	s := map[string]any{"type": "array"}
	switch g.IntN(4) {
	case 0:
		s["x-kubernetes-list-type"], s["items"] = "set", map[string]any{"type": "string"}
	case 1:
		s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"] = "map", []any{"name", "kind"}
		s["items"] = map[string]any{"type": "object", "required": []any{"name"}, "properties": map[string]any{
			"name": map[string]any{"type": "string"},
			"kind": map[string]any{"type": "string", "default": "K"},
			"v":    g.schema(depth - 1),
		}}
	case 2:
		s["x-kubernetes-list-type"], s["items"] = "atomic", g.schema(depth-1)
	default:
		s["items"] = g.schema(depth - 1)
	}
	return s
}

// object generates an object for a root schema. Some fields are missing, null, of a wrong type or
// undeclared.
func (g schemaGenerator) object(root map[string]any, missing int) map[string]any {
	out := map[string]any{}
	for name, property := range root["properties"].(map[string]any) {
		if !g.oneIn(missing) {
			out[name] = g.value(property.(map[string]any))
		}
	}
	return out
}

func (g schemaGenerator) value(s map[string]any) any {
	if g.oneIn(14) {
		return nil
	}
	if g.oneIn(25) {
		return g.pick("x", int64(3), 1.5, true, map[string]any{"q": "r"}, []any{"a"})
	}
	switch s["type"] {
	case "object":
		return g.mapValue(s)
	case "array":
		return g.listValue(s)
	case "string":
		return g.pick("a", "b", "c")
	case "integer":
		return g.pick(int64(0), int64(1), int64(2))
	case "number":
		return 1.5
	case "boolean":
		return true
	}
	return g.pick("x", int64(3), map[string]any{"q": "r", "l": []any{int64(1)}}, []any{"a"})
}

func (g schemaGenerator) mapValue(s map[string]any) map[string]any {
	out := map[string]any{}
	if _, ok := s["properties"]; ok {
		out = g.object(s, 3)
	}
	if additional, ok := s["additionalProperties"].(map[string]any); ok {
		for i := range g.IntN(3) {
			out[fmt.Sprint("key", i)] = g.value(additional)
		}
	}
	if s["x-kubernetes-embedded-resource"] == true {
		out["apiVersion"], out["kind"] = "v1", "Pod"
		out["metadata"] = map[string]any{"name": "x", "labels": map[string]any{"a": "b"}, "undeclared": int64(1)}
	}
	if g.oneIn(4) {
		out["undeclared"] = map[string]any{"deep": int64(1), "list": []any{map[string]any{"x": "y"}}}
	}
	return out
}

func (g schemaGenerator) listValue(s map[string]any) []any {
	out := []any{}
	for range g.IntN(3) {
		v := g.value(s["items"].(map[string]any))
		if item, ok := v.(map[string]any); ok && s["x-kubernetes-list-type"] == "map" {
			item["name"] = g.pick("a", "b", "c")
			if item["kind"] == nil {
				delete(item, "kind")
			}
		}
		out = append(out, v)
	}
	return out
}
