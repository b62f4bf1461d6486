// Package cluster returns the objects in a scenario's cluster:
// namespaces and params, as the API server would hold them.
package cluster

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// Object is one object of the cluster text in its stored form.
type Object struct {
	GVK       schema.GroupVersionKind
	Namespace string
	Name      string
	Value     map[string]any
	// Builtin marks kinds with Go types on the server. They lose kind and apiVersion as a mutating
	// policy's params (semantics §1.5).
	Builtin bool
}

// Cluster holds one scenario's objects. It is immutable, so any number of requests may share it.
type Cluster struct {
	objects    []Object // by namespace and name
	namespaces map[string]Object
	// complete says that the text has every object of the cluster. Otherwise a missing object is
	// assumed if the server would reject the request without it.
	complete bool
	now      string
}

// builtinNamespaces exist in every cluster.
var builtinNamespaces = []string{"default", "kube-system", "kube-public", "kube-node-lease"}

// Immortal are the namespaces that the server does not delete.
var Immortal = builtinNamespaces[:3]

// New returns a cluster with the given objects. now is the stored objects' creation time (RFC
// 3339). complete says that there are no other objects.
func New(objects []Object, now string, complete bool) *Cluster {
	c := &Cluster{now: now, complete: complete}
	for _, o := range objects {
		o.Value = runtime.DeepCopyJSON(o.Value)
		if isNamespace(o) {
			o.Value = storedNamespace(o.Value, o.Name)
		}
		c.objects = append(c.objects, stored(o, now))
	}
	c.index()
	return c
}

// index sorts the objects and finds the first Namespace with each name.
func (c *Cluster) index() {
	slices.SortStableFunc(c.objects, func(a, b Object) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	c.namespaces = map[string]Object{}
	for _, o := range c.objects {
		if _, ok := c.namespaces[o.Name]; !ok && isNamespace(o) {
			c.namespaces[o.Name] = o
		}
	}
}

func isNamespace(o Object) bool { return o.GVK.Group == "" && o.GVK.Kind == "Namespace" }

// With returns a cluster with another object, whose existence follows from the request: the
// Namespace that it changes or deletes. The cluster text's version wins.
func (c *Cluster) With(o Object) *Cluster {
	if _, ok := c.Get(o.GVK.GroupKind(), o.Namespace, o.Name); ok {
		return c
	}
	return c.changed(append(slices.Clip(c.objects), o))
}

// Put returns a cluster with an object created or replaced.
func (c *Cluster) Put(o Object) *Cluster {
	return c.changed(append(c.without(o.GVK.GroupKind(), o.Namespace, o.Name), o))
}

// Without returns a cluster with an object deleted.
func (c *Cluster) Without(kind schema.GroupKind, namespace, name string) *Cluster {
	return c.changed(c.without(kind, namespace, name))
}

func (c *Cluster) without(kind schema.GroupKind, namespace, name string) []Object {
	return slices.DeleteFunc(slices.Clone(c.objects), func(o Object) bool {
		return o.GVK.GroupKind() == kind && o.Namespace == namespace && o.Name == name
	})
}

func (c *Cluster) changed(objects []Object) *Cluster {
	out := &Cluster{objects: objects, complete: c.complete, now: c.now}
	out.index()
	return out
}

// Namespace returns a stored Namespace. assumed says that the text lacks it and that Preadmit
// supplied it.
func (c *Cluster) Namespace(name string) (object map[string]any, assumed, found bool) {
	if o, ok := c.namespaces[name]; ok {
		return o.Value, false, true
	}
	if !c.complete || slices.Contains(builtinNamespaces, name) {
		ns := map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}
		made := stored(Object{Name: name, Value: storedNamespace(ns, name)}, c.now)
		return made.Value, !slices.Contains(builtinNamespaces, name), true
	}
	return nil, false, false
}

// Namespaces returns the names of the existing namespaces, sorted.
func (c *Cluster) Namespaces() []string {
	out := slices.Concat(builtinNamespaces, slices.Collect(maps.Keys(c.namespaces)))
	slices.Sort(out)
	return slices.Compact(out)
}

// Labels returns the labels of a namespace.
func (c *Cluster) Labels(namespace string) (map[string]string, bool) {
	ns, _, found := c.Namespace(namespace)
	return untyped.Labels(ns), found
}

// Assumed reports whether a namespace is assumed to have no labels because the text lacks it: it
// was supplied (see Namespace), or every cluster has it.
func (c *Cluster) Assumed(namespace string) bool {
	_, given := c.namespaces[namespace]
	return !given && c.HasNamespace(namespace)
}

// HasNamespace reports whether a Namespace exists or is assumed.
func (c *Cluster) HasNamespace(name string) bool {
	_, given := c.namespaces[name]
	return given || !c.complete || slices.Contains(builtinNamespaces, name)
}

// Complete reports whether the text has every object of the cluster.
func (c *Cluster) Complete() bool { return c.complete }

// CompleteFor reports whether the text has every class of a kind. It also does if the text has
// other classes of the kind: a cluster has few, and a text with some of them lists all.
func (c *Cluster) CompleteFor(class schema.GroupKind) bool {
	return c.complete || slices.ContainsFunc(c.objects, func(o Object) bool { return o.GVK.GroupKind() == class })
}

// ListsNamespaces reports whether the text has a Namespace.
func (c *Cluster) ListsNamespaces() bool { return len(c.namespaces) > 0 }

// Get returns one object by group, kind and name.
func (c *Cluster) Get(kind schema.GroupKind, namespace, name string) (Object, bool) {
	for _, o := range c.objects {
		if o.GVK.GroupKind() == kind && o.Namespace == namespace && o.Name == name {
			return o, true
		}
	}
	return Object{}, false
}

// List returns a kind's objects that match a selector, ordered by namespace and name. An empty
// namespace means all.
func (c *Cluster) List(kind schema.GroupKind, namespace string, selector labels.Selector) []Object {
	var out []Object
	for _, o := range c.objects {
		if o.GVK.GroupKind() == kind && (namespace == "" || o.Namespace == namespace) && selector.Matches(labels.Set(untyped.Labels(o.Value))) {
			out = append(out, o)
		}
	}
	return out
}

// stored adds the metadata that every stored object has, in place.
func stored(o Object, now string) Object {
	meta := untyped.Child(o.Value, "metadata")
	for key, value := range map[string]any{"uid": untyped.ZeroUID, "creationTimestamp": now, "resourceVersion": "1"} {
		if old, ok := meta[key]; !ok || old == nil || old == "" {
			meta[key] = value
		}
	}
	return o
}

// storedNamespace adds what the server adds to a Namespace when it is created, in
// place.
func storedNamespace(ns map[string]any, name string) map[string]any {
	untyped.Child(untyped.Child(ns, "metadata"), "labels")["kubernetes.io/metadata.name"] = name
	if spec := untyped.Child(ns, "spec"); spec["finalizers"] == nil {
		spec["finalizers"] = []any{"kubernetes"}
	}
	if status := untyped.Child(ns, "status"); status["phase"] == nil || status["phase"] == "" {
		status["phase"] = "Active"
	}
	return ns
}
