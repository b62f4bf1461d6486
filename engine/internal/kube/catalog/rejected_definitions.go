package catalog

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// WithRefused returns a catalog that remembers the resources and scopes from rejected
// CustomResourceDefinitions. The server does not serve these kinds.
func (c *Catalog) WithRefused(definitions []map[string]any) *Catalog {
	out := *c
	out.refused = slices.Clip(c.refused)
	for _, d := range definitions {
		spec, _ := d["spec"].(map[string]any)
		names, _ := spec["names"].(map[string]any)
		group, _ := spec["group"].(string)
		kind, _ := names["kind"].(string)
		plural, _ := names["plural"].(string)
		scope := spec["scope"]
		if kind == "" || plural == "" || scope != "Namespaced" && scope != "Cluster" {
			continue
		}
		versions, _ := spec["versions"].([]any)
		for _, item := range versions {
			version, _ := item.(map[string]any)
			name, _ := version["name"].(string)
			gv := schema.GroupVersion{Group: group, Version: name}
			out.refused = append(out.refused, Resource{GVK: gv.WithKind(kind), GVR: gv.WithResource(plural), Namespaced: scope == "Namespaced"})
		}
	}
	return &out
}

// RefusedKind is a kind from a rejected definition.
func (c *Catalog) RefusedKind(gvk schema.GroupVersionKind) (Resource, bool) {
	return c.refusedWhere(func(r Resource) bool { return r.GVK == gvk })
}

// RefusedResource is a resource from a rejected definition.
func (c *Catalog) RefusedResource(gvr schema.GroupVersionResource) (Resource, bool) {
	return c.refusedWhere(func(r Resource) bool { return r.GVR == gvr })
}

func (c *Catalog) refusedWhere(fits func(Resource) bool) (Resource, bool) {
	if i := slices.IndexFunc(c.refused, fits); i >= 0 {
		return c.refused[i], true
	}
	return Resource{}, false
}
