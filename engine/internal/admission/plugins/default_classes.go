package plugins

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
)

// defaultStorageClass returns a claim that asks for no class the cluster's
// default one. The empty class name is a wish too: no class.
var defaultStorageClass = plugin{
	name:       "DefaultStorageClass",
	operations: []string{"CREATE"},
	resources:  []schema.GroupResource{claims},
	admit: func(r *request) error {
		spec := r.spec()
		if _, ok := annotation(r.object, "volume.beta.kubernetes.io/storage-class"); ok || spec["storageClassName"] != nil {
			r.reason = "the claim names its class"
			return nil
		}
		name, all := newest(r.Cluster, schema.GroupKind{Group: "storage.k8s.io", Kind: "StorageClass"}, func(o map[string]any) bool {
			return isTrue(o, "storageclass.kubernetes.io/is-default-class") || isTrue(o, "storageclass.beta.kubernetes.io/is-default-class")
		})
		return r.setClass("storageClassName", "StorageClass", name, all)
	},
}

// defaultIngressClass does the same for Ingresses.
var defaultIngressClass = plugin{
	name:       "DefaultIngressClass",
	operations: []string{"CREATE"},
	resources:  []schema.GroupResource{ingress},
	admit: func(r *request) error {
		spec := r.spec()
		if _, ok := annotation(r.object, "kubernetes.io/ingress.class"); ok || spec["ingressClassName"] != nil {
			r.reason = "the Ingress names its class"
			return nil
		}
		name, all := newest(r.Cluster, schema.GroupKind{Group: "networking.k8s.io", Kind: "IngressClass"}, func(o map[string]any) bool {
			return isTrue(o, "ingressclass.kubernetes.io/is-default-class")
		})
		return r.setClass("ingressClassName", "IngressClass", name, all)
	},
}

func isTrue(object map[string]any, name string) bool {
	value, _ := annotation(object, name)
	return value == "true"
}

func (r *request) setClass(field, kind, name string, defaults int) error {
	if defaults == 0 {
		r.reason = fmt.Sprintf("the scenario's cluster has no default %s", kind)
		return nil
	}
	r.spec()[field] = name
	r.reason = fmt.Sprintf("%s is the default %s", name, kind)
	if defaults > 1 {
		r.reason = fmt.Sprintf("%s is one of %d default %ses: the newest is used, and of equally new ones the first by name", name, defaults, kind)
	}
	return nil
}

// newest finds the default class among the cluster's objects of a kind: the one
// created last, and among equals the first by name. all is how many there are.
func newest(c *cluster.Cluster, kind schema.GroupKind, isDefault func(map[string]any) bool) (name string, all int) {
	var created time.Time
	for _, o := range c.List(kind, "", labels.Everything()) { // by name
		if !isDefault(o.Value) {
			continue
		}
		if at := createdAt(o.Value); all == 0 || at.After(created) {
			name, created = o.Name, at
		}
		all++
	}
	return name, all
}

func createdAt(object map[string]any) time.Time {
	meta, _ := object["metadata"].(map[string]any)
	at, err := time.Parse(time.RFC3339, text(meta, "creationTimestamp"))
	if err != nil {
		return time.Time{} // the oldest of all
	}
	return at
}
