package plugins

import (
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/podresources"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// storageProtection keeps volumes and claims from being deleted while they are
// in use.
var storageProtection = plugin{
	name:       "StorageObjectInUseProtection",
	operations: []string{"CREATE"},
	resources:  []schema.GroupResource{claims, volumes, attributesClasses},
	admit: func(r *request) error {
		finalizer := "kubernetes.io/pvc-protection"
		switch r.Attributes.Resource.GroupResource() {
		case volumes:
			finalizer = "kubernetes.io/pv-protection"
		case attributesClasses:
			if finalizer = "kubernetes.io/vac-protection"; !r.Version.Has(version.AttributesClasses) {
				return r.nothing("the release does not protect VolumeAttributesClasses")
			}
		}
		meta := r.metadata()
		if given := list(meta, "finalizers"); !slices.Contains(given, any(finalizer)) {
			meta["finalizers"] = append(given, finalizer)
			r.reason = "the finalizer keeps the object while it is in use"
		}
		return nil
	},
}

// claimResize lets only bound claims grow whose StorageClass allows it.
var claimResize = plugin{
	name:       "PersistentVolumeClaimResize",
	operations: []string{"UPDATE"},
	validates:  []schema.GroupResource{claims},
	validate: func(r *request) error {
		old := r.Attributes.OldObject
		size, before := storageOf(r.object), storageOf(old)
		switch {
		case size.Cmp(before) <= 0:
			return r.nothing("the claim does not grow")
		case text(untyped.Sub(old, "status"), "phase") != "Bound":
			return errors.New("Only bound persistent volume claims can be expanded") //nolint:staticcheck // the server's own text
		case !r.mayGrow(classOfClaim(r.object), classOfClaim(old)):
			return errors.New("only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize")
		}
		r.reason = "the StorageClass lets its claims grow"
		return nil
	},
}

func storageOf(claim map[string]any) resource.Quantity {
	return podresources.Of(untyped.Sub(claim, "spec", "resources")["requests"])["storage"]
}

// classOfClaim is the class of a claim; an old annotation counts more than the
// field.
func classOfClaim(claim map[string]any) string {
	if class, ok := annotation(claim, "volume.beta.kubernetes.io/storage-class"); ok {
		return class
	}
	return text(untyped.Sub(claim, "spec"), "storageClassName")
}

func (r *request) mayGrow(class, before string) bool {
	if class == "" || class != before {
		return false
	}
	o, ok := r.Cluster.Get(schema.GroupKind{Group: "storage.k8s.io", Kind: "StorageClass"}, "", class)
	return ok && o.Value["allowVolumeExpansion"] == true
}
