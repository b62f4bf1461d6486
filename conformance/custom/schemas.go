// Package custom compares the engine's handling of CustomResourceDefinitions and their objects with
// the API server's own code, on generated definitions, objects and updates.
// conformance/customresources runs the server's code.
package custom

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

type object = map[string]any

// generator generates definitions and requests from a seed.
type generator struct {
	*rand.Rand
	// wild is the percentage of values that violate their schema.
	wild int
	// create says that objects are generated for a create, which may be unreadable.
	create bool
	// rules counts the generated rules; the server limits their cost.
	rules int
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func one[T any](g *generator, values ...T) T { return values[g.IntN(len(values))] }

// names are property names; some need escaping in CEL.
var names = []string{"a", "b", "c", "size", "max", "mode", "owner", "with-dash", "dot.ted", "in", "namespace", "x_y"}

// schema is a schema of a random type.
func (g *generator) schema(depth int) object {
	kind := g.IntN(14)
	if depth <= 0 {
		kind = g.IntN(7)
	}
	var s object
	switch kind {
	case 0, 1, 2:
		s = g.text()
	case 3, 4:
		s = g.whole()
	case 5:
		s = g.scalar()
	case 6:
		s = object{"type": "boolean"}
	case 7, 8, 9:
		s = g.structure(depth, 4)
	case 10:
		s = g.mapping(depth)
	case 11, 12:
		s = g.list(depth)
	default:
		s = g.special()
	}
	if g.chance(6) {
		s["nullable"] = true
	}
	if g.chance(5) {
		g.compound(s)
	}
	g.addRules(s)
	if g.chance(15) && s["x-kubernetes-embedded-resource"] == nil {
		calm := &generator{Rand: g.Rand}
		if g.chance(5) {
			calm.wild = 20
		}
		s["default"] = calm.value(s)
	}
	return s
}

func (g *generator) text() object {
	s := object{"type": "string"}
	if g.chance(60) {
		s["maxLength"] = one(g, 3, 8, 20, 64)
	}
	switch g.IntN(8) {
	case 0:
		s["minLength"] = g.IntN(3)
	case 1:
		s["pattern"] = one(g, "^[a-z]+$", "^x", "[0-9]$", "^[a-z0-9-]{1,8}$")
	case 2:
		s["enum"] = []any{"red", "green", "blue"}[:1+g.IntN(3)]
	case 3:
		s["format"] = one(g, "date-time", "date", "duration", "ipv4", "ipv6", "cidr", "email", "uuid", "hostname", "uri", "byte", "int32", "phone", "k8s-short-name", "k8s-long-name", "ip", "mac", "password", "ssn", "binary")
	}
	return s
}

func (g *generator) whole() object {
	s := object{"type": "integer"}
	if g.chance(30) {
		s["format"] = one(g, "int32", "int64", "int64", "int128")
	}
	g.bounds(s)
	if g.chance(10) {
		s["enum"] = []any{1, 2, 3}
	}
	return s
}

func (g *generator) scalar() object {
	s := object{"type": "number"}
	if g.chance(20) {
		s["format"] = one(g, "float", "double")
	}
	g.bounds(s)
	return s
}

func (g *generator) bounds(s object) {
	if g.chance(30) {
		s["minimum"] = g.IntN(3)
		if g.chance(20) {
			s["exclusiveMinimum"] = true
		}
	}
	if g.chance(30) {
		s["maximum"] = 3 + g.IntN(5)
		if g.chance(20) {
			s["exclusiveMaximum"] = true
		}
	}
	if g.chance(8) {
		s["multipleOf"] = one(g, 2, 3)
	}
}

// structure is an object with properties.
func (g *generator) structure(depth, most int) object {
	properties := object{}
	for range 1 + g.IntN(most) {
		properties[one(g, names...)] = g.schema(depth - 1)
	}
	s := object{"type": "object", "properties": properties}
	if g.chance(40) {
		s["required"] = g.some(sorted(properties))
	}
	if g.chance(5) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	if g.chance(10) {
		s["x-kubernetes-map-type"] = one(g, "atomic", "granular")
	}
	if g.chance(5) {
		s["minProperties"] = g.IntN(3)
	}
	if g.chance(5) {
		s["maxProperties"] = 1 + g.IntN(3)
	}
	return s
}

func (g *generator) mapping(depth int) object {
	s := object{"type": "object", "additionalProperties": g.schema(depth - 1)}
	if g.chance(70) {
		s["maxProperties"] = 1 + g.IntN(4)
	}
	if g.chance(10) {
		s["minProperties"] = g.IntN(2)
	}
	if g.chance(10) {
		s["x-kubernetes-map-type"] = one(g, "atomic", "granular")
	}
	return s
}

func (g *generator) list(depth int) object {
	s := object{"type": "array"}
	if g.chance(80) {
		s["maxItems"] = 1 + g.IntN(6)
	}
	if g.chance(15) {
		s["minItems"] = g.IntN(3)
	}
	switch g.IntN(5) {
	case 0:
		s["x-kubernetes-list-type"] = "set"
		s["items"] = one(g, g.text, g.whole)()
		if g.chance(15) {
			s["items"] = object{"type": "object", "x-kubernetes-map-type": "atomic", "properties": object{"a": object{"type": "string"}}}
		}
		return s
	case 1, 2:
		item := g.structure(depth, 3)
		properties := item["properties"].(object)
		keys := []any{"name"}
		properties["name"] = object{"type": "string", "maxLength": 5}
		if g.chance(25) {
			keys = append(keys, "port")
			properties["port"] = object{"type": "integer", "default": 80}
		}
		required := []any{}
		if list, ok := item["required"].([]any); ok {
			required = list
		}
		if !slices.Contains(required, any("name")) && g.chance(95) {
			required = append(required, "name")
		}
		if len(required) > 0 {
			item["required"] = required
		}
		s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"], s["items"] = "map", keys, item
		g.addRules(item)
		return s
	case 3:
		s["x-kubernetes-list-type"] = "atomic"
	}
	s["items"] = g.schema(depth - 1)
	return s
}

// special generates a schema with a Kubernetes extension.
func (g *generator) special() object {
	switch g.IntN(4) {
	case 0:
		s := object{"x-kubernetes-int-or-string": true}
		if g.chance(50) {
			s["anyOf"] = []any{object{"type": "integer"}, object{"type": "string"}}
		}
		if g.chance(40) {
			s["pattern"] = "^[0-9]+%?$"
		}
		if g.chance(40) {
			s["maximum"] = 100
		}
		return s
	case 1:
		return object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	case 2:
		return object{"x-kubernetes-preserve-unknown-fields": true}
	}
	s := object{"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}
	if g.chance(40) {
		s = object{"type": "object", "x-kubernetes-embedded-resource": true, "properties": object{"spec": g.structure(1, 2)}}
	}
	return s
}

// compound adds conditions that combine others.
func (g *generator) compound(s object) {
	var parts []any
	switch s["type"] {
	case "string":
		parts = []any{object{"maxLength": 4}, object{"pattern": "^[a-z]"}, object{"minLength": 2}}
	case "integer", "number":
		parts = []any{object{"minimum": 2}, object{"maximum": 5}, object{"multipleOf": 2}}
	case "object":
		properties, ok := s["properties"].(object)
		if !ok {
			return
		}
		for _, name := range sorted(properties) {
			parts = append(parts, object{"required": []any{name}})
		}
	default:
		return
	}
	if len(parts) == 0 {
		return
	}
	switch g.IntN(4) {
	case 0:
		s["oneOf"] = parts
	case 1:
		s["anyOf"] = parts
	case 2:
		s["allOf"] = parts
	default:
		s["not"] = parts[0]
	}
}

func sorted(m object) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func (g *generator) some(list []string) []any {
	out := []any{}
	for _, s := range list {
		if g.chance(50) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		out = append(out, list[0])
	}
	return out
}

// definition is a CustomResourceDefinition.
func (g *generator) definition() object {
	spec := g.structure(3, 5)
	g.addRules(spec)
	properties := object{"spec": spec}
	if g.chance(50) {
		properties["status"] = g.structure(2, 3)
	}
	root := object{"type": "object", "properties": properties}
	if g.chance(30) {
		root["required"] = []any{"spec"}
	}
	if g.chance(20) {
		root["x-kubernetes-validations"] = []any{object{"rule": one(g, "self.metadata.name.size() < 6", "has(self.spec)", "self.metadata.name != 'bad'", "self.kind == 'Widget'")}}
	}
	if g.chance(3) {
		root["x-kubernetes-preserve-unknown-fields"] = true
	}
	version := object{"name": "v1", "served": true, "storage": true, "schema": object{"openAPIV3Schema": root}}
	subresources := object{}
	if g.chance(40) {
		subresources["status"] = object{}
	}
	if g.chance(20) {
		spec["properties"].(object)["replicas"] = object{"type": "integer"}
		scale := object{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
		if g.chance(30) {
			scale["labelSelectorPath"] = ".status.selector"
		}
		subresources["scale"] = scale
		subresources["status"] = object{}
	}
	if len(subresources) > 0 {
		version["subresources"] = subresources
	}
	if g.chance(10) {
		g.spoil(version, root)
	}
	scope := "Namespaced"
	if g.chance(20) {
		scope = "Cluster"
	}
	return object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": "widgets.example.com"},
		"spec": object{"group": "example.com", "scope": scope, "names": object{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}, "versions": []any{version}}}
}

// spoil makes a definition probably invalid.
func (g *generator) spoil(version, root object) {
	spec := root["properties"].(object)["spec"].(object)
	switch g.IntN(9) {
	case 0:
		spec["properties"].(object)["typeless"] = object{}
	case 1:
		spec["properties"].(object)["metadata"] = object{"type": "string", "pattern": "("}
	case 2:
		spec["additionalProperties"] = object{"type": "string"}
	case 3:
		root["properties"].(object)["metadata"] = object{"type": "object", "properties": object{one(g, "name", "labels", "annotations"): object{"type": "string", "maxLength": 3}}}
	case 4:
		spec["properties"].(object)["list"] = object{"type": "array"}
	case 5:
		spec["properties"].(object)["items"] = object{"type": "array", "x-kubernetes-list-type": "map", "items": object{"type": "object", "properties": object{"a": object{"type": "string"}}}, "x-kubernetes-list-map-keys": []any{one(g, "a", "b")}}
	case 6:
		version["storage"] = false
	case 7:
		root["x-kubernetes-validations"] = []any{object{"rule": fmt.Sprintf("self.spec.%s == 1", one(g, "a", "b", "nothing"))}}
	case 8:
		spec["properties"].(object)["unique"] = object{"type": "array", "uniqueItems": true, "items": object{"type": "string"}}
	}
}
