package catalog

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// removed are the releases that no longer serve a kind in a version, by kind or by group and version
// (zz_generated.prerelease-lifecycle.go of k8s.io/api; apiextensions and apiregistration have none).
var removed = map[string]string{
	"admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration": "1.22", "admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration": "1.22",
	"admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicy": "1.34", "admissionregistration.k8s.io/v1beta1 ValidatingAdmissionPolicyBinding": "1.34",
	"apiextensions.k8s.io/v1beta1": "1.22", "apiregistration.k8s.io/v1beta1": "1.22", "apps/v1beta1": "1.16", "apps/v1beta2": "1.16",
	"authentication.k8s.io/v1beta1 TokenReview": "1.22", "authorization.k8s.io/v1beta1": "1.22", "autoscaling/v2beta1": "1.25", "autoscaling/v2beta2": "1.26",
	"batch/v1beta1": "1.25", "certificates.k8s.io/v1beta1 CertificateSigningRequest": "1.22", "coordination.k8s.io/v1beta1 Lease": "1.22",
	"discovery.k8s.io/v1beta1": "1.25", "events.k8s.io/v1beta1": "1.25", "extensions/v1beta1": "1.16", "extensions/v1beta1 Ingress": "1.22",
	"flowcontrol.apiserver.k8s.io/v1beta1": "1.26", "flowcontrol.apiserver.k8s.io/v1beta2": "1.29", "flowcontrol.apiserver.k8s.io/v1beta3": "1.32",
	"networking.k8s.io/v1beta1 Ingress": "1.22", "networking.k8s.io/v1beta1 IngressClass": "1.22", "node.k8s.io/v1beta1": "1.25",
	"policy/v1beta1": "1.25", "rbac.authorization.k8s.io/v1beta1": "1.22", "scheduling.k8s.io/v1beta1 PriorityClass": "1.22",
	"storage.k8s.io/v1beta1 CSIStorageCapacity": "1.27", "storage.k8s.io/v1beta1 CSIDriver": "1.22", "storage.k8s.io/v1beta1 CSINode": "1.22",
	"storage.k8s.io/v1beta1 StorageClass": "1.22", "storage.k8s.io/v1beta1 VolumeAttachment": "1.22",
}

// Removed is the release that removed a version of a kind, empty where none is known.
func Removed(gvk schema.GroupVersionKind) string {
	if release := removed[gvk.GroupVersion().String()+" "+gvk.Kind]; release != "" {
		return release
	}
	return removed[gvk.GroupVersion().String()]
}

// OnlyBuiltin reports whether no definition can have a kind that the server does not know: its group has
// no dot, or the server has the kind in another version of the group.
func (c *Catalog) OnlyBuiltin(gvk schema.GroupVersionKind) bool {
	return !strings.Contains(gvk.Group, ".") || Removed(gvk) != "" || slices.ContainsFunc(c.resources.list, func(r Resource) bool {
		return r.GVK.GroupKind() == gvk.GroupKind()
	})
}
