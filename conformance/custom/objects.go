package custom

import (
	"encoding/json"
	"fmt"
	"maps"
)

// value generates a value for a schema, which often matches.
func (g *generator) value(s object) any {
	if g.chance(g.wild) {
		return one[any](g, nil, "text", 7, -1, 1.5, true, []any{}, object{}, []any{1, "a"}, object{"a": 1, "unknown": "b"}, "", 2.0, 3000000000)
	}
	if s["nullable"] == true && g.chance(20) {
		return nil
	}
	if enum, ok := s["enum"].([]any); ok && !g.chance(g.wild) {
		return one(g, enum...)
	}
	switch s["type"] {
	case "string":
		return g.string(s)
	case "integer":
		return one[any](g, 0, 1, 2, 2, 3, 4, 4, 6, 9)
	case "number":
		return one[any](g, 0, 1, 2, 2.5, 4, 6.25)
	case "boolean":
		return g.chance(50)
	case "array":
		return g.items(s)
	case "object":
		return g.fields(s)
	}
	if s["x-kubernetes-int-or-string"] == true {
		return one[any](g, 5, "10%", "abc", 200)
	}
	return one[any](g, "any", 1, object{"a": []any{1}}, []any{"x"})
}

var byFormat = map[any][]any{
	"date-time": {"2026-01-02T03:04:05Z", "2026-01-02"}, "date": {"2026-01-02", "02.01.2026"}, "duration": {"1h30m", "3 weeks", "soon"},
	"ipv4": {"10.0.0.1", "010.000.000.001", "10.0.0.256"}, "ipv6": {"::1", "fe80::1", "10.0.0.1"}, "cidr": {"10.0.0.0/8", "10.0.0.0"}, "email": {"a@example.com", "a"},
	"uuid": {"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "abc"}, "hostname": {"example.com", "-x"}, "uri": {"https://example.com/a", "a b"}, "byte": {"YWJj", "%"},
	"k8s-short-name": {"abc", "A.b"}, "k8s-long-name": {"a.b", "A_b"}, "mac": {"01:23:45:67:89:ab", "xyz"}, "ssn": {"123-45-6789", "1"},
}

func (g *generator) string(s object) any {
	if list := byFormat[s["format"]]; list != nil && g.chance(90) {
		return one(g, list...)
	}
	return one[any](g, "a", "abc", "red", "abc1", "x1", "bad", "ab", "a.b.c", "Äö", "5", "", "longer-than-eight")
}

func (g *generator) items(s object) any {
	items, ok := s["items"].(object)
	if !ok {
		return []any{}
	}
	n := g.IntN(4)
	list := make([]any, 0, n)
	seen := map[string]bool{}
	for range n {
		v := g.value(items)
		if m, ok := v.(object); ok && s["x-kubernetes-list-type"] == "map" && g.chance(90) {
			m["name"] = one(g, "a", "b", "c", "d")
		}
		key := fmt.Sprint(v)
		if m, ok := v.(object); ok {
			key = fmt.Sprint(m["name"])
		}
		if seen[key] && s["x-kubernetes-list-type"] != nil && !g.chance(5+g.wild) {
			continue
		}
		seen[key] = true
		list = append(list, v)
	}
	return list
}

func (g *generator) fields(s object) any {
	out := object{}
	if values, ok := s["additionalProperties"].(object); ok {
		for _, name := range []string{"a", "b", "a.b/c", "long-key"} {
			if g.chance(35) {
				out[name] = g.value(values)
			}
		}
		return out
	}
	if s["x-kubernetes-embedded-resource"] == true {
		out["apiVersion"], out["kind"] = "v1", "ConfigMap"
		out["metadata"] = object{"name": one(g, "a", "a", "Not Valid"), "labels": object{"x": one(g, "y", "y", "!")}}
		if g.chance(10) {
			delete(out, one(g, "kind", "apiVersion", "metadata"))
		}
		if g.create && g.chance(5) {
			out["metadata"] = object{"name": 5, "unknown": "x"}
		}
		out["data"] = object{"a": "b"}
	}
	properties, _ := s["properties"].(object)
	required, _ := s["required"].([]any)
	for _, name := range sorted(properties) {
		chance := 60
		for _, r := range required {
			if r == name {
				chance = 97
			}
		}
		if g.chance(chance) {
			out[name] = g.value(properties[name].(object))
		}
	}
	if g.chance(4) {
		out["unknown"] = one[any](g, "x", object{"a": 1})
	}
	return out
}

func (g *generator) widget(root object) object {
	o := object{"apiVersion": "example.com/v1", "kind": "Widget"}
	properties := root["properties"].(object)
	if spec := g.value(properties["spec"].(object)); g.chance(97) {
		o["spec"] = spec
	}
	if status, ok := properties["status"].(object); ok && g.chance(60) {
		o["status"] = g.value(status)
	}
	metadata := object{"name": one(g, "w", "w", "w", "bad", "longer-name")}
	if g.chance(5) {
		metadata["finalizers"] = []any{one(g, "example.com/a", "short", "Bad Name/")}
	}
	if g.chance(5) {
		metadata["labels"] = object{"a": one(g, "b", "not ok")}
	}
	if g.create && g.chance(2) {
		metadata[one(g, "generateName", "labels", "unknown", "generation")] = one[any](g, 5, "x", []any{})
	}
	o["metadata"] = metadata
	return o
}

// changed returns a copy of a value with some parts regenerated.
func (g *generator) changed(value any, s object, percent int) any {
	if g.chance(percent) {
		return g.value(s)
	}
	switch v := value.(type) {
	case object:
		out := maps.Clone(v)
		properties, _ := s["properties"].(object)
		values, _ := s["additionalProperties"].(object)
		for _, name := range sorted(v) {
			child, ok := properties[name].(object)
			if !ok {
				child = values
			}
			if child == nil {
				continue
			}
			out[name] = g.changed(v[name], child, percent)
			if g.chance(percent / 3) {
				delete(out, name)
			}
		}
		return out
	case []any:
		items, ok := s["items"].(object)
		if !ok {
			return v
		}
		out := make([]any, 0, len(v)+1)
		for _, item := range v {
			out = append(out, g.changed(item, items, percent))
		}
		if g.chance(percent) {
			out = append(out, g.value(items))
		}
		if g.chance(percent) && len(out) > 1 {
			out[0], out[1] = out[1], out[0]
		}
		return out
	}
	return value
}

// request is an AdmissionReview for an object of the definition.
func (g *generator) request(definition object) string {
	spec := definition["spec"].(object)
	version := spec["versions"].([]any)[0].(object)
	root := version["schema"].(object)["openAPIV3Schema"].(object)
	subresources, _ := version["subresources"].(object)
	namespaced := spec["scope"] == "Namespaced"
	kind := object{"group": "example.com", "version": "v1", "kind": "Widget"}
	resource := object{"group": "example.com", "version": "v1", "resource": "widgets"}
	q := object{"uid": "1", "dryRun": true, "kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource, "operation": "CREATE",
		"userInfo": object{"username": "jane", "groups": []any{"system:authenticated"}}}
	if namespaced {
		q["namespace"] = "default"
	}
	stamp := func(o object) object {
		m := o["metadata"].(object)
		if namespaced {
			m["namespace"] = "default"
		}
		return o
	}
	g.wild = one(g, 0, 1, 2, 5)
	if g.create = g.chance(45); g.create {
		o := stamp(g.widget(root))
		q["object"], q["name"] = o, o["metadata"].(object)["name"]
		return review(q)
	}
	q["operation"] = "UPDATE"
	old := stamp(g.widget(root))
	system := object{"name": "w", "uid": "00000000-0000-0000-0000-000000000000", "resourceVersion": "1", "generation": 1, "creationTimestamp": "2026-01-01T00:00:00Z"}
	if namespaced {
		system["namespace"] = "default"
	}
	old["metadata"] = system
	fresh := maps.Clone(old)
	percent := one(g, 0, 4, 10, 25)
	for _, name := range []string{"spec", "status"} {
		if s, ok := root["properties"].(object)[name].(object); ok && old[name] != nil {
			fresh[name] = g.changed(old[name], s, percent)
		}
	}
	if percent == 0 {
		m := maps.Clone(system)
		m["labels"] = object{"a": one(g, "b", "b", "b", "b", "not ok")}
		fresh["metadata"] = m
	}
	q["name"], q["object"], q["oldObject"] = "w", fresh, old
	if subresources["status"] != nil && g.chance(40) {
		q["subResource"], q["requestSubResource"] = "status", "status"
	}
	return review(q)
}

// scaling generates a definition with scale and a stored object, both as cluster documents, and an
// update of the object's scale.
func (g *generator) scaling(definition object) (cluster, request string) {
	spec := definition["spec"].(object)
	version := spec["versions"].([]any)[0].(object)
	root := version["schema"].(object)["openAPIV3Schema"].(object)
	properties := root["properties"].(object)["spec"].(object)
	if properties["properties"] == nil {
		properties["properties"] = object{}
	}
	delete(properties, "additionalProperties")
	delete(properties, "maxProperties")
	replicas := object{"type": "integer", "format": "int32"}
	if g.chance(60) {
		replicas["maximum"] = 6
	}
	if g.chance(40) {
		replicas["x-kubernetes-validations"] = []any{object{"rule": one(g, "self >= oldSelf", "self < 5", "self != 3 || oldSelf != 2"), "message": "not so many"}}
	}
	properties["properties"].(object)["replicas"] = replicas
	version["subresources"] = object{"status": object{}, "scale": object{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}}
	g.wild = 0
	old := g.widget(root)
	if _, ok := old["spec"].(object); !ok {
		old["spec"] = object{}
	}
	before, after := one(g, 0, 1, 2, 4), one(g, 0, 1, 2, 3, 4, 5, 7)
	old["spec"].(object)["replicas"] = before
	metadata := object{"name": "w", "resourceVersion": "1"}
	q := object{"uid": "1", "dryRun": true, "operation": "UPDATE", "name": "w", "subResource": "scale", "requestSubResource": "scale",
		"kind": object{"group": "autoscaling", "version": "v1", "kind": "Scale"}, "resource": object{"group": "example.com", "version": "v1", "resource": "widgets"},
		"userInfo": object{"username": "jane", "groups": []any{"system:authenticated"}}}
	q["requestKind"], q["requestResource"] = q["kind"], q["resource"]
	if spec["scope"] == "Namespaced" {
		metadata["namespace"], q["namespace"] = "default", "default"
	}
	old["metadata"] = metadata
	scale := func(n int) object {
		return object{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": metadata, "spec": object{"replicas": n}, "status": object{"replicas": 0}}
	}
	q["object"], q["oldObject"] = scale(after), scale(before)
	return text(definition) + "\n---\n" + text(old), review(q)
}

func review(q object) string {
	return text(object{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": q})
}

func text(o any) string {
	raw, err := json.Marshal(o)
	if err != nil {
		panic(err) // it was made of JSON
	}
	return string(raw)
}
