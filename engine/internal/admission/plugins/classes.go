package plugins

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// defaultStorageClass gives a claim that asks for no class the cluster's
// default one. The empty class name is a wish too: no class.
var defaultStorageClass = plugin{
	name:       "DefaultStorageClass",
	operations: []string{"CREATE"},
	resources:  []schema.GroupResource{claims},
	admit: func(r *request) error {
		spec := r.spec()
		if _, ok := annotation(r.object, "volume.beta.kubernetes.io/storage-class"); ok || spec["storageClassName"] != nil {
			r.reason = "the claim says which class it wants"
			return nil
		}
		name, ok := newest(r.Cluster, schema.GroupKind{Group: "storage.k8s.io", Kind: "StorageClass"}, func(o map[string]any) bool {
			return isTrue(o, "storageclass.kubernetes.io/is-default-class") || isTrue(o, "storageclass.beta.kubernetes.io/is-default-class")
		})
		return r.setClass("storageClassName", "StorageClass", name, ok)
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
			r.reason = "the Ingress says which class it wants"
			return nil
		}
		name, ok := newest(r.Cluster, schema.GroupKind{Group: "networking.k8s.io", Kind: "IngressClass"}, func(o map[string]any) bool {
			return isTrue(o, "ingressclass.kubernetes.io/is-default-class")
		})
		return r.setClass("ingressClassName", "IngressClass", name, ok)
	},
}

func isTrue(object map[string]any, name string) bool {
	value, _ := annotation(object, name)
	return value == "true"
}

func (r *request) setClass(field, kind, name string, found bool) error {
	if !found {
		r.reason = fmt.Sprintf("the cluster text has no default %s", kind)
		return nil
	}
	r.spec()[field] = name
	r.reason = fmt.Sprintf("%s is the default %s", name, kind)
	return nil
}

// storageProtection keeps volumes and claims from being deleted while they are
// in use.
var storageProtection = plugin{
	name:       "StorageObjectInUseProtection",
	operations: []string{"CREATE"},
	resources:  []schema.GroupResource{claims, volumes},
	admit: func(r *request) error {
		finalizer := "kubernetes.io/pvc-protection"
		if r.Attributes.Resource.GroupResource() == volumes {
			finalizer = "kubernetes.io/pv-protection"
		}
		meta := r.metadata()
		if given := list(meta, "finalizers"); !slices.Contains(given, any(finalizer)) {
			meta["finalizers"] = append(given, finalizer)
			r.reason = "the finalizer keeps the object while it is in use"
		}
		return nil
	},
}
