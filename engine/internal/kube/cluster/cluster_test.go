package cluster

import (
	"testing"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func object(kind, namespace, name string, set map[string]any) Object {
	meta := map[string]any{"name": name}
	if set != nil {
		meta["labels"] = set
	}
	return Object{GVK: schema.GroupVersionKind{Version: "v1", Kind: kind}, Namespace: namespace, Name: name, Value: map[string]any{"metadata": meta}}
}

func TestCompleteFor(t *testing.T) {
	class := schema.GroupKind{Kind: "PriorityClass"}
	for _, c := range []struct {
		objects        []Object
		complete, want bool
	}{
		{nil, false, false},
		{nil, true, true},
		{[]Object{object("Namespace", "", "shop", nil)}, false, false},
		{[]Object{object("PriorityClass", "", "high", nil)}, false, true},
	} {
		if got := New(c.objects, "2026-01-01T00:00:00Z", c.complete).CompleteFor(class); got != c.want {
			t.Errorf("%v, complete %v: %v", c.objects, c.complete, got)
		}
	}
}

func TestNamespaces(t *testing.T) {
	empty := New(nil, "2026-01-01T00:00:00Z", false)
	if _, assumed, found := empty.Namespace("anything"); !assumed || !found || empty.Complete() {
		t.Error("without any Namespace every namespace is assumed to exist")
	}
	if _, assumed, found := empty.Namespace("default"); assumed || !found {
		t.Error("the namespace default always exists")
	}
	shop := []Object{object("Namespace", "", "shop", map[string]any{"team": "a"})}
	if _, assumed, found := New(shop, "2026-01-01T00:00:00Z", false).Namespace("other"); !assumed || !found {
		t.Error("a text with some Namespaces need not have all of them")
	}
	c := New(shop, "2026-01-01T00:00:00Z", true)
	if _, _, found := c.Namespace("other"); found || !c.Complete() {
		t.Error("a complete text has all of them")
	}
	if _, _, found := c.Namespace("kube-system"); !found {
		t.Error("the namespace kube-system always exists")
	}
	got, _ := c.Labels("shop")
	if got["team"] != "a" || got["kubernetes.io/metadata.name"] != "shop" {
		t.Errorf("labels %v", got)
	}
	ns, _, _ := c.Namespace("shop")
	if phase := ns["status"].(map[string]any)["phase"]; phase != "Active" {
		t.Errorf("phase %v", phase)
	}
	if created := ns["metadata"].(map[string]any)["creationTimestamp"]; created != "2026-01-01T00:00:00Z" {
		t.Errorf("created %v", created)
	}
}

func TestObjects(t *testing.T) {
	c := New([]Object{
		object("ConfigMap", "b", "x", map[string]any{"env": "prod"}),
		object("ConfigMap", "a", "y", map[string]any{"env": "prod"}),
		object("ConfigMap", "a", "x", map[string]any{"env": "test"}),
	}, "2026-01-01T00:00:00Z", false)
	kind := schema.GroupKind{Kind: "ConfigMap"}
	if o, ok := c.Get(kind, "a", "x"); !ok || o.Namespace != "a" {
		t.Error("by name")
	}
	if _, ok := c.Get(kind, "c", "x"); ok {
		t.Error("not in that namespace")
	}
	prod := labels.SelectorFromSet(labels.Set{"env": "prod"})
	all := c.List(kind, "", prod)
	if len(all) != 2 || all[0].Namespace != "a" || all[1].Namespace != "b" {
		t.Errorf("by selector, in order: %v", all)
	}
	if one := c.List(kind, "a", labels.Everything()); len(one) != 2 || one[0].Name != "x" {
		t.Errorf("in one namespace: %v", one)
	}
	c = c.With(object("ConfigMap", "a", "x", map[string]any{"env": "new"}))
	if o, _ := c.Get(kind, "a", "x"); o.Value["metadata"].(map[string]any)["labels"].(map[string]any)["env"] != "test" {
		t.Error("what the text says counts more")
	}
}
