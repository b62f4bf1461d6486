// Package builtin is the server's validation of the metadata of built-in kinds, between the
// mutating and the validating phase. It is for kinds, and programs, that do not have the
// server's own code (package storage), which validates whole objects.
package builtin

import (
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// groups are those whose kinds have names of the rules below. Reviews, which are
// never stored, and kinds with other rules are left out by others.
var groups = []string{
	"", "apps", "autoscaling", "batch", "certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "flowcontrol.apiserver.k8s.io",
	"networking.k8s.io", "node.k8s.io", "policy", "rbac.authorization.k8s.io", "resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io",
}

// otherNames are kinds whose names have rules that are not here.
var otherNames = []string{"Event", "ClusterTrustBundle", "LeaseCandidate", "IPAddress", "CSIDriver", "Binding", "Eviction", "PodGroup", "Workload"}

// Checks reports whether the metadata of a kind's objects is validated here.
func Checks(kind schema.GroupVersionKind) bool {
	return slices.Contains(groups, kind.Group) && !slices.Contains(otherNames, kind.Kind)
}

// pathSegment is the rule of names that only must fit into an address.
func pathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// nameRule is what the names of a kind must look like.
func nameRule(kind schema.GroupVersionKind, v version.Version) apivalidation.ValidateNameFunc {
	switch {
	case kind.Group == "rbac.authorization.k8s.io", kind.Group == "policy":
		return pathSegment
	case kind.Group == "" && kind.Kind == "Namespace", kind.Group == "apps" && kind.Kind == "StatefulSet":
		return apivalidation.NameIsDNSLabel
	case kind.Group == "" && kind.Kind == "Service" && v.Has(version.RelaxedServiceNames):
		return apivalidation.NameIsDNSLabel
	case kind.Group == "" && kind.Kind == "Service":
		return apivalidation.NameIsDNS1035Label
	}
	return apivalidation.NameIsDNSSubdomain
}

// Outcome is what validation found and what it looked at.
type Outcome struct {
	// Status is the server's rejection, or nil.
	Status *apierrors.StatusError
	// Metadata says that the rules of metadata are here for the kind.
	Metadata bool
	// Complete says that all of the kind's validation is done: the object is a policy, a
	// binding or a webhook configuration, or the server's own code has seen it.
	Complete bool
}

// Validate checks the metadata of a new or changed object.
func Validate(c *run.Chain) Outcome {
	a := &c.Attributes
	resource, known := c.Catalog.ResourceFor(a.Resource)
	change := a.Operation == "UPDATE" && a.OldObject != nil && (a.SubResource == "" || a.SubResource == "status")
	if !known || !resource.Builtin || resource.GVK != a.Kind || !change && (a.Operation != "CREATE" || a.SubResource != "") || !Checks(a.Kind) {
		return Outcome{}
	}
	object := &unstructured.Unstructured{Object: a.Object}
	if change {
		object = withOwnMetadata(a.Object)
	}
	out := Outcome{Metadata: true}
	if errs := metadataErrors(c, object, resource.Namespaced, change); len(errs) > 0 {
		out.Status = crd.Invalid(a.Kind.GroupKind(), object.GetName(), errs, c.Version)
	}
	return out
}

// metadataErrors are those about the metadata.
func metadataErrors(c *run.Chain, object *unstructured.Unstructured, namespaced, change bool) field.ErrorList {
	a := &c.Attributes
	at := field.NewPath("metadata")
	if !change {
		return append(apivalidation.ValidateObjectMetaAccessor(object, namespaced, nameRule(a.Kind, c.Version), at), finalizerErrors(a.Kind, object)...)
	}
	errs, old := commonErrors(a, object, namespaced)
	// The validation of the kind begins with the same once more, whose causes
	// the answer repeats.
	return append(append(errs, apivalidation.ValidateObjectMetaAccessorUpdate(object, old, at)...), finalizerErrors(a.Kind, object)...)
}

// commonErrors are those about the metadata of an update of any kind (validateCommonFields in
// apiserver/pkg/registry/rest). The second result is the old object as storage compares with it.
func commonErrors(a *run.Attributes, object *unstructured.Unstructured, namespaced bool) (field.ErrorList, *unstructured.Unstructured) {
	at := field.NewPath("metadata")
	old := withOwnMetadata(a.OldObject)
	if old.GetNamespace() == "" && namespaced {
		old.SetNamespace(a.Namespace) // a manifest may leave it out
	}
	if old.GetUID() == "" {
		old.SetUID(object.GetUID())
	}
	keepSystemFields(object, old)
	return append(apivalidation.ValidateObjectMetaAccessor(object, namespaced, pathSegment, at),
		apivalidation.ValidateObjectMetaAccessorUpdate(object, old, at)...), old
}

// UpdateErrors are the errors about metadata that every update of a cluster-scoped kind gets
// before those of its own validation.
func UpdateErrors(a *run.Attributes) field.ErrorList {
	errs, _ := commonErrors(a, withOwnMetadata(a.Object), false)
	return errs
}

// finalizerErrors are those about finalizers without a prefix, of which the server knows
// three (validateKubeFinalizerName); two kinds are not asked.
func finalizerErrors(kind schema.GroupVersionKind, object *unstructured.Unstructured) (errs field.ErrorList) {
	for i, name := range object.GetFinalizers() {
		if kind.Group != "policy" && kind.Group != "node.k8s.io" && !strings.Contains(name, "/") && name != "kubernetes" && name != "orphan" && name != "foregroundDeletion" {
			errs = append(errs, field.Invalid(field.NewPath("metadata", "finalizers").Index(i), name, "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return errs
}

// withOwnMetadata is an object whose metadata may be changed, and nothing else of it.
func withOwnMetadata(object map[string]any) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: maps.Clone(object)}
	if metadata, ok := object["metadata"]; ok {
		out.Object["metadata"] = runtime.DeepCopyJSONValue(metadata)
	}
	return out
}

// keepSystemFields applies storage's changes to an object before it validates
// an update.
func keepSystemFields(object, old *unstructured.Unstructured) {
	if object.GetUID() == "" {
		object.SetUID(old.GetUID())
	}
	if object.GetResourceVersion() == "" {
		object.SetResourceVersion("1") // that of the stored object, for an update without a condition
	}
	object.SetCreationTimestamp(old.GetCreationTimestamp())
	object.SetGeneration(max(object.GetGeneration(), old.GetGeneration()))
	if deleted := old.GetDeletionTimestamp(); deleted != nil {
		object.SetDeletionTimestamp(deleted)
	}
	if seconds := old.GetDeletionGracePeriodSeconds(); seconds != nil && object.GetDeletionGracePeriodSeconds() == nil {
		object.SetDeletionGracePeriodSeconds(seconds)
	}
}
