package storage

import (
	"maps"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// This file is what the server's strategies keep of an object of a built-in kind when an
// update comes through a subresource: all that the subresource is not about.

// resetMetadata is what metav1.ResetObjectMetaForStatus takes from the object that is there.
var resetMetadata = []string{"deletionTimestamp", "generation", "selfLink", "labels", "annotations", "finalizers", "ownerReferences"}

// statusMetadata are the fields of metadata that an update of the status leaves as they are,
// for the kinds that have such: statusStrategy.PrepareForUpdate of each in pkg/registry of
// k8s.io/kubernetes, and of APIService in k8s.io/kube-aggregator. Of other kinds, as of a
// CustomResourceDefinition, whose strategy means to and takes the fields from the new object
// itself, labels and the like can be changed with the status.
var statusMetadata = map[schema.GroupKind][]string{
	podKind:                             {"deletionTimestamp", "ownerReferences"},
	{Group: "apps", Kind: "Deployment"}: {"labels"},
	{Group: "storage.k8s.io", Kind: "VolumeAttachment"}:                         resetMetadata,
	{Group: "storage.k8s.io", Kind: "CSINode"}:                                  resetMetadata,
	{Group: "networking.k8s.io", Kind: "ServiceCIDR"}:                           resetMetadata,
	{Group: "resource.k8s.io", Kind: "ResourceClaim"}:                           resetMetadata,
	{Group: "resource.k8s.io", Kind: "DeviceTaintRule"}:                         resetMetadata,
	{Group: "resource.k8s.io", Kind: "ResourcePoolStatusRequest"}:               resetMetadata,
	{Group: "scheduling.k8s.io", Kind: "PodGroup"}:                              resetMetadata,
	{Group: "scheduling.k8s.io", Kind: "CompositePodGroup"}:                     resetMetadata,
	{Group: "certificates.k8s.io", Kind: "PodCertificateRequest"}:               resetMetadata,
	{Group: "storagemigration.k8s.io", Kind: "StorageVersionMigration"}:         resetMetadata,
	{Group: "internal.apiserver.k8s.io", Kind: "StorageVersion"}:                resetMetadata,
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicy"}:  resetMetadata,
	{Group: "apiregistration.k8s.io", Kind: "APIService"}:                       {"labels", "annotations", "finalizers", "ownerReferences"},
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "FlowSchema"}:                 resetMetadata,
	{Group: "flowcontrol.apiserver.k8s.io", Kind: "PriorityLevelConfiguration"}: resetMetadata,
}

// throughStatus is an object whose status an update sets.
func throughStatus(e *Storage, object, old map[string]any) map[string]any {
	kind := e.Attributes.Kind.GroupKind()
	out := keeping(object, old, statusMetadata[kind], "spec")
	if status, ok := out["status"].(map[string]any); ok && kind == podKind {
		before, _ := old["status"].(map[string]any)
		status = maps.Clone(status)
		out["status"] = status
		for _, field := range []string{"qosClass", "observedGeneration"} {
			if !set(status[field]) || status[field] == "" {
				keep(status, before, field)
			}
		}
	} else if ok && kind == certificateKind {
		dated(e, status, old)
	}
	return out
}

// throughEphemeralContainers is a Pod to which an update adds ephemeral containers
// (dropNonEphemeralContainerUpdates in pkg/registry/core/pod/strategy.go).
func throughEphemeralContainers(_ *Storage, object, old map[string]any) map[string]any {
	out := keeping(object, old, resetMetadata, "spec", "status")
	withSpec(out, object, "ephemeralContainers")
	return out
}

// throughResize is a Pod whose resources an update changes (dropNonResizeUpdates in the same
// file). Where the containers are others, the Pod stays as it was sent, for validation to refuse.
func throughResize(e *Storage, object, old map[string]any) map[string]any {
	out := keeping(object, old, resetMetadata, "spec", "status")
	spec, _ := object["spec"].(map[string]any)
	before, _ := old["spec"].(map[string]any)
	fields := map[string]any{}
	for _, field := range []string{"containers", "initContainers"} {
		list, _ := spec[field].([]any)
		was, _ := before[field].([]any)
		if len(list) != len(was) {
			return object
		}
		fields[field] = resized(list, was)
	}
	if e.Version.Has(version.ResizesOfPods) {
		fields["resources"] = spec["resources"]
	}
	withSpec(out, map[string]any{"spec": fields}, "containers", "initContainers", "resources")
	if kept, ok := out["spec"].(map[string]any); ok && !e.Version.Has(version.ResizesOfPods) {
		keep(kept, before, "resources")
	}
	return out
}

// resized are containers with new resources; the list as it was sent if it has another order.
func resized(list, was []any) []any {
	out := make([]any, len(was))
	for i := range was {
		is, _ := list[i].(map[string]any)
		before, _ := was[i].(map[string]any)
		if is["name"] != before["name"] {
			return list
		}
		container := maps.Clone(before)
		for _, field := range []string{"resources", "resizePolicy"} {
			if container[field] = is[field]; is[field] == nil {
				delete(container, field)
			}
		}
		out[i] = container
	}
	return out
}

// withSpec replaces fields of an object's spec by those of another.
func withSpec(object, other map[string]any, fields ...string) {
	spec, _ := object["spec"].(map[string]any)
	from, _ := other["spec"].(map[string]any)
	spec = maps.Clone(spec)
	for _, field := range fields {
		if value, ok := from[field]; !ok || emptyList(value) {
			delete(spec, field)
			continue
		} else if spec == nil {
			spec = map[string]any{field: value}
		} else {
			spec[field] = value
		}
	}
	if spec != nil {
		object["spec"] = spec
	}
}

func emptyList(value any) bool {
	list, ok := value.([]any)
	return value == nil || ok && len(list) == 0
}

// throughFinalize is a Namespace whose finalizers an update sets.
func throughFinalize(_ *Storage, object, old map[string]any) map[string]any {
	return keeping(object, old, nil, "status")
}

// throughApproval is a certificate request that gets conditions.
func throughApproval(e *Storage, object, old map[string]any) map[string]any {
	out := keeping(object, old, nil, "spec", "status")
	sent, _ := object["status"].(map[string]any)
	status, _ := out["status"].(map[string]any)
	status = maps.Clone(status)
	if status == nil {
		status = map[string]any{}
	}
	if status["conditions"] = sent["conditions"]; sent["conditions"] == nil {
		delete(status, "conditions")
	}
	out["status"] = status
	dated(e, status, old)
	return out
}

// dated gives the conditions of a certificate request the times that they lack
// (populateConditionTimestamps).
func dated(e *Storage, status, old map[string]any) {
	before, _ := old["status"].(map[string]any)
	for _, condition := range untyped.Items(status["conditions"]) {
		since := any(e.Now)
		for _, was := range untyped.Items(before["conditions"]) {
			if was["type"] == condition["type"] && was["status"] == condition["status"] && was["lastTransitionTime"] != nil {
				since = was["lastTransitionTime"]
			}
		}
		if condition["lastUpdateTime"] == nil {
			condition["lastUpdateTime"] = e.Now
		}
		if condition["lastTransitionTime"] == nil {
			condition["lastTransitionTime"] = since
		}
	}
}

// keeping is an object with fields of its own and of its metadata from the one that is there,
// and with its generation, which no update sets (rest.BeforeUpdate).
func keeping(object, old map[string]any, metadata []string, fields ...string) map[string]any {
	out := maps.Clone(object)
	for _, field := range fields {
		if value, ok := old[field]; ok {
			out[field] = runtime.DeepCopyJSONValue(value)
		} else {
			delete(out, field)
		}
	}
	is, _ := object["metadata"].(map[string]any)
	was, _ := old["metadata"].(map[string]any)
	if is == nil || was == nil {
		return out
	}
	is = maps.Clone(is)
	for _, field := range append([]string{"generation"}, metadata...) {
		if is[field] = was[field]; was[field] == nil {
			delete(is, field)
		}
	}
	out["metadata"] = is
	return out
}

// prepared is an object as a strategy leaves it when it replaces old.
type prepared func(e *Storage, object, old map[string]any) map[string]any

// throughSubresource is what becomes of an object of a built-in kind, by subresource.
var throughSubresource = map[string]prepared{
	"status":              throughStatus,
	"ephemeralcontainers": throughEphemeralContainers,
	"resize":              throughResize,
	"finalize":            throughFinalize,
	"approval":            throughApproval,
	"scale":               func(_ *Storage, object, old map[string]any) map[string]any { return scaleOf(old, object) },
}

// scaleOf is the Scale that the server makes of an object that was scaled: its number of
// replicas is the only thing that it takes from a Scale that was sent, and its metadata are few
// (scaleFromDeployment and the like in pkg/registry/apps, scaleFromCustomResource in
// k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go). The mutating phase
// has the Scale as it was sent, and managedFields in both.
func scaleOf(old, sent map[string]any) map[string]any {
	before, _ := old["metadata"].(map[string]any)
	metadata := map[string]any{}
	keep(metadata, before, "name", "namespace", "uid", "resourceVersion", "creationTimestamp")
	out := maps.Clone(old)
	out["metadata"] = metadata
	if out["spec"] = sent["spec"]; sent["spec"] == nil {
		delete(out, "spec")
	}
	return out
}
