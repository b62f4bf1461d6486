package custom

import (
	"encoding/json"
	"fmt"
)

// definitionUpdate is an AdmissionReview that replaces a definition. The previous one may be valid
// only for older servers.
func (g *generator) definitionUpdate(definition object) string {
	old := copied(definition)
	g.oldVersions(old)
	spec := old["spec"].(object)
	if g.chance(15) {
		g.setConversion(spec)
	}
	if g.chance(4) {
		spec["preserveUnknownFields"] = true
	}
	if g.chance(6) {
		g.approve(old)
	}
	conditions := []any{}
	if g.chance(75) {
		conditions = append(conditions, object{"type": "Established", "status": one(g, "True", "True", "False"), "reason": "InitialNamesAccepted", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"})
	}
	m := old["metadata"].(object)
	m["uid"], m["resourceVersion"], m["generation"], m["creationTimestamp"] = "00000000-0000-0000-0000-000000000001", "1", 1, "2026-01-01T00:00:00Z"
	stored := []any{}
	for _, v := range spec["versions"].([]any) {
		if v.(object)["storage"] == true || g.chance(40) {
			stored = append(stored, v.(object)["name"])
		}
	}
	old["status"] = object{"acceptedNames": copied(spec["names"].(object)), "conditions": conditions, "storedVersions": stored}
	fresh := copied(old)
	if g.chance(20) {
		delete(fresh, "status")
	}
	for range g.IntN(3) {
		g.change(fresh)
	}
	kind := object{"group": "apiextensions.k8s.io", "version": "v1", "kind": "CustomResourceDefinition"}
	resource := object{"group": "apiextensions.k8s.io", "version": "v1", "resource": "customresourcedefinitions"}
	return review(object{"uid": "1", "dryRun": true, "kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource, "operation": "UPDATE",
		"name": m["name"], "object": fresh, "oldObject": old, "userInfo": object{"username": "jane", "groups": []any{"system:authenticated"}}})
}

func copied(o object) object {
	var out object
	if err := json.Unmarshal([]byte(text(o)), &out); err != nil {
		panic(err) // it was made of JSON
	}
	return out
}

// oldVersions adds versions to a definition, and sometimes parts that are no longer allowed.
func (g *generator) oldVersions(d object) {
	spec := d["spec"].(object)
	versions := spec["versions"].([]any)
	if g.chance(40) {
		second := copied(versions[0].(object))
		second["name"], second["storage"] = "v2", false
		if g.chance(60) {
			second["schema"].(object)["openAPIV3Schema"].(object)["properties"].(object)["spec"] = g.structure(2, 3)
		}
		spec["versions"] = append(versions, second)
	}
	if g.chance(10) {
		many := []any{}
		for _, name := range []string{"kind", "a", "b", "c", "size", "max", "mode", "owner", "in", "x_y"} {
			many = append(many, object{"jsonPath": ".spec." + name})
		}
		versions[0].(object)["selectableFields"] = many
	}
	if g.chance(15) {
		g.dear(spec)
	}
}

// dear adds rules that cost too much.
func (g *generator) dear(spec object) {
	root := spec["versions"].([]any)[0].(object)["schema"].(object)["openAPIV3Schema"].(object)
	rule := one(g, "self.all(x, self.exists_one(y, y == x))", "self.all(x, self.all(y, x != y + 'a'))")
	root["properties"].(object)["spec"].(object)["properties"].(object)["dear"] = object{"type": "array", "maxItems": one(g, 100, 1000, 5000), "items": object{"type": "string", "maxLength": one(g, 10, 1000)},
		"x-kubernetes-validations": []any{object{"rule": rule}}}
}

func (g *generator) setConversion(spec object) {
	switch g.IntN(3) {
	case 0:
		spec["conversion"] = object{"strategy": "None"}
	default:
		spec["conversion"] = object{"strategy": "Webhook", "webhook": object{"conversionReviewVersions": one(g, []any{"v1"}, []any{"v1beta1", "v1"}, []any{"v2"}, []any{"v2", "v2"}, []any{}),
			"clientConfig": object{"url": "https://example.com/convert"}}}
	}
}

// approve moves a definition into a Kubernetes group.
func (g *generator) approve(d object) {
	spec := d["spec"].(object)
	spec["group"] = "things.k8s.io"
	m := d["metadata"].(object)
	m["name"] = "widgets.things.k8s.io"
	if g.chance(70) {
		m["annotations"] = object{"api-approved.kubernetes.io": one(g, "https://github.com/kubernetes/enhancements/pull/1", "unapproved, a test", "yes")}
	}
}

// change makes one change to a definition.
func (g *generator) change(d object) {
	spec := d["spec"].(object)
	versions := spec["versions"].([]any)
	first := versions[0].(object)
	root := first["schema"].(object)["openAPIV3Schema"].(object)
	properties := root["properties"].(object)
	switch g.IntN(17) {
	case 0:
		spec["scope"] = one(g, "Cluster", "Namespaced", "Galaxy")
	case 1:
		spec["names"].(object)[one(g, "kind", "listKind", "singular")] = one(g, "Gadget", "Widget", "gadget")
	case 2:
		spec["names"].(object)["plural"] = "gadgets"
	case 3:
		spec["group"] = "example.org"
	case 4:
		spec["names"].(object)["shortNames"] = []any{one(g, "wd", "W d")}
	case 5: // another version replaces the first
		first["name"] = one(g, "v3", "v1beta1")
	case 6: // a new storage version
		next := copied(first)
		next["name"], next["storage"], first["storage"] = "v4", true, false
		if g.chance(50) {
			next["schema"].(object)["openAPIV3Schema"].(object)["description"] = "other"
		}
		spec["versions"] = append(versions, next)
	case 7:
		if len(versions) > 1 {
			versions[1].(object)["storage"] = true
			spec["versions"] = versions[1:]
		}
	case 8:
		first["served"] = false
	case 9:
		properties[one(g, "spec", "status")] = g.structure(2, 3)
	case 10: // something other than the rules
		root["description"] = "other"
	case 11:
		g.setConversion(spec)
	case 12:
		g.dear(spec)
	case 13:
		spec["preserveUnknownFields"] = g.chance(50)
	case 14:
		g.spoil(first, root)
	case 15:
		d["metadata"].(object)["labels"] = object{"a": one(g, "b", "not ok")}
	case 16:
		d["metadata"].(object)["annotations"] = object{"api-approved.kubernetes.io": fmt.Sprint(one(g, "yes", "unapproved", "https://example.com/a"))}
	}
}
