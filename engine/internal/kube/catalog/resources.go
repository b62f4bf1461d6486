package catalog

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// Resource is a resource with a path on the server.
type Resource struct {
	GVR        schema.GroupVersionResource
	GVK        schema.GroupVersionKind
	Namespaced bool
	// Subresources maps a subresource's name to its object's kind: status, scale, exec, ...
	Subresources map[string]schema.GroupVersionKind
	Builtin      bool
	// Served says that a server serves it by default. Alpha versions are off; so are beta versions
	// since Kubernetes 1.24 (KEP-3136).
	Served bool

	typeID string
}

// resourceTable holds one version's built-in kinds.
type resourceTable struct {
	list   []Resource // resources in file order
	byGVR  map[schema.GroupVersionResource]int
	byKind map[schema.GroupVersionKind]int
	// typeIDs also has kinds without a path: options and subresource objects.
	typeIDs map[schema.GroupVersionKind]string
}

// parseResources reads resources.txt for one version.
func parseResources(v version.Version) (resourceTable, error) {
	table := resourceTable{
		byGVR:   map[schema.GroupVersionResource]int{},
		byKind:  map[schema.GroupVersionKind]int{},
		typeIDs: map[schema.GroupVersionKind]string{},
	}
	var texts [][]string
	kindOf := map[string]schema.GroupVersionKind{} // by type
	for line := range strings.Lines(resourcesText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		text, in, err := cutRange(strings.TrimSpace(line), v)
		if err != nil {
			return table, err
		}
		if !in {
			continue
		}
		words := strings.Fields(text)
		gv, err := schema.ParseGroupVersion(words[0])
		if err != nil {
			return table, fmt.Errorf("resources.txt: %w", err)
		}
		gvk := gv.WithKind(words[1][strings.LastIndexByte(words[1], '.')+1:])
		if strings.HasPrefix(words[1], "meta/") {
			gvk.Group = "meta.k8s.io"
		}
		kindOf[words[1]] = gvk
		table.typeIDs[gvk] = words[1]
		if words[2] != "-" {
			texts = append(texts, words)
		}
	}
	for _, words := range texts {
		gvk := kindOf[words[1]]
		r := Resource{
			GVK: gvk, GVR: gvk.GroupVersion().WithResource(words[2]), Namespaced: words[3] == "Namespaced",
			Subresources: map[string]schema.GroupVersionKind{}, Builtin: true, Served: words[4] == "on", typeID: words[1],
		}
		for _, sub := range words[5:] {
			name, typeID, other := strings.Cut(sub, "=")
			r.Subresources[name] = gvk
			if other {
				r.Subresources[name] = kindOf[typeID]
			}
		}
		table.byGVR[r.GVR], table.byKind[r.GVK] = len(table.list), len(table.list)
		table.list = append(table.list, r)
	}
	return table, nil
}

// Kinds lists all resources: built-in ones, then custom ones.
func (c *Catalog) Kinds() []Resource {
	return append(slices.Clone(c.resources.list), c.crds.resources...)
}

// ResourceForKind returns a kind's resource.
func (c *Catalog) ResourceForKind(gvk schema.GroupVersionKind) (Resource, bool) {
	if i, ok := c.resources.byKind[gvk]; ok {
		return c.resources.list[i], true
	}
	for _, r := range c.crds.resources {
		if r.GVK == gvk {
			return r, true
		}
	}
	return Resource{}, false
}

// ResourceFor returns a resource by its path.
func (c *Catalog) ResourceFor(gvr schema.GroupVersionResource) (Resource, bool) {
	if i, ok := c.resources.byGVR[gvr]; ok {
		return c.resources.list[i], true
	}
	for _, r := range c.crds.resources {
		if r.GVR == gvr {
			return r, true
		}
	}
	return Resource{}, false
}

// KindFor returns the object kind of a resource, or of its subresource if not empty.
func (c *Catalog) KindFor(gvr schema.GroupVersionResource, subresource string) (schema.GroupVersionKind, bool) {
	r, ok := c.ResourceFor(gvr)
	if !ok {
		return schema.GroupVersionKind{}, false
	}
	if subresource == "" {
		return r.GVK, true
	}
	gvk, ok := r.Subresources[subresource]
	return gvk, ok
}

// Equivalents lists the resources that share stored objects, including the given one, in the
// server's registration order (semantics §4.7). These are a group's versions in the server's
// priority order. Events are shared between the core group and events.k8s.io. Versions that are off
// by default are not registered. A CRD's versions follow spec.versions. With a subresource, only
// resources that have it are listed.
func (c *Catalog) Equivalents(gvr schema.GroupVersionResource, subresource string) []schema.GroupVersionResource {
	r, ok := c.ResourceFor(gvr)
	if !ok {
		return nil
	}
	candidates := c.crds.resources
	if r.Builtin {
		candidates = c.resources.list
	}
	var out []schema.GroupVersionResource
	for _, other := range candidates {
		if !sameStorage(r, other) || r.Builtin && !other.Served {
			continue
		}
		if _, has := other.Subresources[subresource]; has || subresource == "" {
			out = append(out, other.GVR)
		}
	}
	if r.GVR.GroupResource() == (schema.GroupResource{Group: "autoscaling", Resource: "horizontalpodautoscalers"}) {
		slices.Reverse(out) // v2 comes before v1
	}
	return out
}

// SameObjects reports whether two kinds are versions of the same objects, so that an object written
// as one can be read as the other.
func (c *Catalog) SameObjects(a, b schema.GroupVersionKind) bool {
	first, known := c.ResourceForKind(a)
	second, alsoKnown := c.ResourceForKind(b)
	return a == b || known && alsoKnown && a.Kind == b.Kind && sameStorage(first, second)
}

// sameStorage reports whether two resources share stored objects.
func sameStorage(a, b Resource) bool {
	if a.GVR.Resource != b.GVR.Resource || a.Builtin != b.Builtin {
		return false
	}
	isEvents := func(r Resource) bool {
		return r.GVR.Resource == "events" && (r.GVR.Group == "" || r.GVR.Group == "events.k8s.io")
	}
	return a.GVR.Group == b.GVR.Group || a.Builtin && isEvents(a) && isEvents(b)
}

// TypeOf returns the type of a kind's objects.
func (c *Catalog) TypeOf(gvk schema.GroupVersionKind) (*Type, bool) {
	if id, ok := c.resources.typeIDs[gvk]; ok {
		return c.named(id), true
	}
	if id, ok := optionTypes[gvk.Kind]; ok && gvk.Version == "v1" && (gvk.Group == "" || gvk.Group == "meta.k8s.io") {
		return c.named(id), true
	}
	v, ok := c.crds.versions[gvk]
	if !ok {
		return nil, false
	}
	return v.typ, true
}

// optionTypes are the kinds of operation options. They are registered in every group, mostly under
// meta.k8s.io/v1.
var optionTypes = map[string]string{
	"CreateOptions": "meta/v1.CreateOptions", "UpdateOptions": "meta/v1.UpdateOptions",
	"PatchOptions": "meta/v1.PatchOptions", "DeleteOptions": "meta/v1.DeleteOptions",
}
