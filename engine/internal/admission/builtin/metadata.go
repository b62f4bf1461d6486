// Package builtin is the server's validation of objects of built-in kinds, between
// the mutating and the validating phase: as much of it as is the same for all kinds.
// The rest is code of its own for each kind, which is not here.
package builtin

import (
	"slices"

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

// pathSegment is the rule of names that only have to fit into an address.
func pathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// nameRule is what the names of a kind must look like.
func nameRule(kind schema.GroupVersionKind, v version.Version) apivalidation.ValidateNameFunc {
	switch {
	case kind.Group == "rbac.authorization.k8s.io":
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

// Validate checks the metadata of a new or changed object. It returns the
// server's refusal, or nil; checked is false for a kind whose rules are not here.
func Validate(c *run.Chain) (status *apierrors.StatusError, checked bool) {
	a := &c.Attributes
	resource, known := c.Catalog.ResourceFor(a.Resource)
	change := a.Operation == "UPDATE" && a.OldObject != nil && (a.SubResource == "" || a.SubResource == "status")
	if !known || !resource.Builtin || resource.GVK != a.Kind || !Checks(a.Kind) || !change && (a.Operation != "CREATE" || a.SubResource != "") {
		return nil, false
	}
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(a.Object)}
	at := field.NewPath("metadata")
	rule := nameRule(a.Kind, c.Version)
	var errs field.ErrorList
	if change {
		old := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(a.OldObject)}
		if old.GetNamespace() == "" && resource.Namespaced {
			old.SetNamespace(a.Namespace) // a manifest may leave it out
		}
		if old.GetUID() == "" {
			old.SetUID(object.GetUID())
		}
		keepSystemFields(object, old)
		errs = append(apivalidation.ValidateObjectMetaAccessor(object, resource.Namespaced, pathSegment, at),
			apivalidation.ValidateObjectMetaAccessorUpdate(object, old, at)...)
		// The validation of the kind begins with the same once more, whose causes
		// the answer repeats.
		errs = append(errs, apivalidation.ValidateObjectMetaAccessorUpdate(object, old, at)...)
	} else {
		errs = apivalidation.ValidateObjectMetaAccessor(object, resource.Namespaced, rule, at)
	}
	if len(errs) == 0 {
		return nil, true
	}
	return crd.Invalid(a.Kind.GroupKind(), object.GetName(), errs, c.Version), true
}

// keepSystemFields gives an object what storage does before it validates an
// update.
func keepSystemFields(object, old *unstructured.Unstructured) {
	if object.GetUID() == "" {
		object.SetUID(old.GetUID())
	}
	if object.GetResourceVersion() == "" {
		object.SetResourceVersion("1") // that of the stored object, for an update without a condition
	}
	object.SetCreationTimestamp(old.GetCreationTimestamp())
	object.SetGeneration(max(object.GetGeneration(), old.GetGeneration()))
	object.SetDeletionTimestamp(old.GetDeletionTimestamp())
	if seconds := old.GetDeletionGracePeriodSeconds(); seconds != nil && object.GetDeletionGracePeriodSeconds() == nil {
		object.SetDeletionGracePeriodSeconds(seconds)
	}
}
