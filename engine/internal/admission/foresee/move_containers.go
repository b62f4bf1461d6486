package foresee

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// MoveContainers returns the request with its containers in another list, initContainers or ephemeralContainers, and those
// of another request in their place. Ephemeral containers are added to a Pod by a request of their own. It is
// false for an object without containers.
func (r *Request) MoveContainers(to string, other *Request, kinds *catalog.Catalog) (*Request, bool) {
	out, done := *r, false
	out.Object, _ = moved(r.Object, to, containersOf(other.Object), &done).(map[string]any)
	if !done {
		return nil, false
	}
	if to == "ephemeralContainers" {
		kind, ok := kinds.KindFor(r.Resource, "ephemeralcontainers")
		if !ok {
			return nil, false
		}
		out.Kind, out.SubResource, out.Operation = kind, "ephemeralcontainers", "UPDATE"
		out.Options = map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": optionsKind["UPDATE"]}
		old, _ := untyped.Copy(out.Object).(map[string]any)
		spec, _ := old["spec"].(map[string]any)
		delete(spec, to)
		out.OldObject = old
	}
	return &out, true
}

// moved is a copy of a value with the containers of its Pods moved.
func moved(value any, to string, others []any, done *bool) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			out[key] = moved(item, to, others, done)
		}
		if list, ok := out["containers"].([]any); ok && len(list) > 0 {
			for i := range list {
				container, _ := list[i].(map[string]any)
				container["name"] = fmt.Sprintf("%s-%d", strings.TrimSuffix(to, "Containers"), i)
			}
			out["containers"], out[to], *done = untyped.Copy(others), list, true
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = moved(v[i], to, others, done)
		}
		return out
	}
	return value
}

// containersOf are the first containers that are found in a value.
func containersOf(value any) []any {
	fields, _ := value.(map[string]any)
	if list, ok := fields["containers"].([]any); ok {
		return list
	}
	for _, field := range fields {
		if list := containersOf(field); len(list) > 0 {
			return list
		}
	}
	return nil
}
