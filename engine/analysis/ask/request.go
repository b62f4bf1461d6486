package ask

import (
	"cmp"
	_ "embed" // the bases
	"encoding/json"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

//go:embed bases.yaml
var basesText string

//go:embed parts.yaml
var partsText []byte

// smallestParts are the smallest values of types that occur in built-in kinds.
var smallestParts = sync.OnceValue(func() map[string]map[string]any {
	var out map[string]map[string]any
	if err := yaml.Unmarshal(partsText, &out); err != nil {
		panic(err) // it is part of the program, and tested
	}
	return out
})

// bases are the smallest objects of built-in kinds.
var bases = sync.OnceValue(func() map[schema.GroupVersionKind]map[string]any {
	out := map[schema.GroupVersionKind]map[string]any{}
	for _, text := range strings.Split(basesText, "\n---\n") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			panic(err) // it is part of the program, and tested
		}
		apiVersion, _ := object["apiVersion"].(string)
		kind, _ := object["kind"].(string)
		out[schema.FromAPIVersionAndKind(apiVersion, kind)] = object
	}
	return out
})

// request is a request that may be changed.
type request struct {
	operation string
	resource  catalog.Resource
	sub       string
	kind      schema.GroupVersionKind
	// values are object and oldObject, as the operation has them, and the user.
	values map[string]any
	// smallest is the object that it began with, typ its type.
	smallest map[string]any
	typ      *catalog.Type
}

// newRequest is the smallest request of a world.
func newRequest(w *outcomes.World, cat *catalog.Catalog) *request {
	if w.Resource == nil {
		return nil
	}
	gvk, ok := cat.KindFor(w.Resource.GVR, w.Sub)
	if !ok {
		return nil
	}
	r := &request{operation: w.Operation, resource: *w.Resource, sub: w.Sub, kind: gvk, values: map[string]any{}, typ: w.Object}
	object := r.base(cat)
	r.smallest, _ = untyped.Copy(object).(map[string]any)
	switch w.Operation {
	case "CREATE", "CONNECT":
		r.values["object"] = object
	case "UPDATE":
		r.values["object"], r.values["oldObject"] = object, untyped.Copy(object)
	case "DELETE":
		r.values["oldObject"] = object
	}
	return r
}

// base is the smallest object.
func (r *request) base(cat *catalog.Catalog) map[string]any {
	object, _ := untyped.Copy(bases()[r.kind]).(map[string]any)
	if object == nil {
		object = map[string]any{}
		if t, ok := cat.TypeOf(r.kind); ok {
			fill(object, t, 0)
		}
	}
	object["apiVersion"], object["kind"] = r.kind.GroupVersion().String(), r.kind.Kind
	if r.operation == "CONNECT" {
		return object
	}
	metadata, _ := object["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{"name": "example"}
	}
	if r.resource.Namespaced {
		metadata["namespace"] = "default"
	}
	object["metadata"] = metadata
	return object
}

// deepest bounds how far required fields are filled.
const deepest = 8

// fill sets the required fields of a custom resource.
func fill(object map[string]any, t *catalog.Type, depth int) {
	if t == nil || t.Kind != catalog.Struct || depth > deepest {
		return
	}
	for _, f := range t.Fields() {
		if f.Required && object[f.Name] == nil && f.Name != "metadata" {
			object[f.Name] = some(f.Type, depth+1)
		}
	}
}

// some is a value of a type.
func some(t *catalog.Type, depth int) any {
	if t == nil || depth > deepest {
		return "x"
	}
	switch t.Kind {
	case catalog.Struct:
		out, _ := untyped.Copy(smallestParts()[t.Name]).(map[string]any)
		if out == nil {
			out = map[string]any{}
		}
		fill(out, t, depth)
		return out
	case catalog.Map:
		return map[string]any{"x": some(t.Elem, depth+1)}
	case catalog.List:
		return []any{some(t.Elem, depth+1)}
	case catalog.Boolean:
		return true
	case catalog.Integer, catalog.Number:
		return int64(1)
	case catalog.String:
		if len(t.Enum) > 0 {
			return t.Enum[0]
		}
	case catalog.Custom:
		return "1"
	}
	return "x"
}

func (r *request) clone() *request {
	out := *r
	out.values, _ = untyped.Copy(r.values).(map[string]any)
	return &out
}

// alone reports whether the object says the whole request: it is created by the usual user.
func (r *request) alone() bool {
	return r.operation == "CREATE" && r.sub == "" && r.values["userInfo"] == nil
}

// namespace is the one that the request is in; empty for a resource of the cluster.
func (r *request) namespace() string {
	if !r.resource.Namespaced {
		return ""
	}
	of, _ := r.values["namespace"].(string)
	for _, metadata := range r.metadata() {
		of, _ = metadata["namespace"].(string)
	}
	return cmp.Or(of, "default")
}

// in moves the request to a namespace.
func (r *request) in(namespace string) {
	list := r.metadata()
	for _, metadata := range list {
		metadata["namespace"] = namespace
	}
	if len(list) == 0 { // CONNECT
		r.values["namespace"] = namespace
	}
}

// metadata are those of the request's objects, the old one first.
func (r *request) metadata() (out []map[string]any) {
	for _, name := range []string{"oldObject", "object"} {
		object, _ := r.values[name].(map[string]any)
		if metadata, ok := object["metadata"].(map[string]any); ok {
			out = append(out, metadata)
		}
	}
	return out
}

// text is the request as YAML.
func (r *request) text() string {
	if r.alone() {
		return written(r.values["object"])
	}
	gvk := map[string]any{"group": r.kind.Group, "version": r.kind.Version, "kind": r.kind.Kind}
	gvr := map[string]any{"group": r.resource.GVR.Group, "version": r.resource.GVR.Version, "resource": r.resource.GVR.Resource}
	body := map[string]any{"uid": "11111111-2222-3333-4444-555555555555", "kind": gvk, "resource": gvr, "operation": r.operation, "userInfo": map[string]any{"username": "jane", "groups": []any{"system:authenticated"}}}
	if r.sub != "" {
		body["subResource"] = r.sub
	}
	for name, value := range r.values {
		body[name] = value
	}
	for _, metadata := range r.metadata() {
		for _, field := range []string{"name", "namespace"} {
			if metadata[field] != nil {
				body[field] = metadata[field]
			}
		}
	}
	if body["name"] == nil {
		body["name"] = "example"
	}
	if body["namespace"] == nil && r.resource.Namespaced {
		body["namespace"] = "default"
	}
	return written(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": body})
}

func written(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	out, err := yaml.JSONToYAML(raw)
	if err != nil {
		return ""
	}
	return string(out)
}
