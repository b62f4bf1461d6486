package storage

import (
	"maps"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// This file is what the server's strategies keep of an object of a built-in kind when an
// update comes through a subresource and there is no code of the server for it (package storage at
// the top): all that the subresource is not about.

// resetMetadata is what metav1.ResetObjectMetaForStatus takes from the object that is there.
var resetMetadata = []string{"deletionTimestamp", "generation", "selfLink", "labels", "annotations", "finalizers", "ownerReferences"}

// statusMetadata are the fields of metadata that an update of the status leaves as they are,
// for the kinds that have such: statusStrategy.PrepareForUpdate of each in pkg/registry of
// k8s.io/kubernetes, and of APIService in k8s.io/kube-aggregator. Of other kinds, as of a
// CustomResourceDefinition, whose strategy means to and takes the fields from the new object
// itself, labels and the like can be changed with the status.
var statusMetadata = map[schema.GroupKind][]string{
	{Group: "resource.k8s.io", Kind: "ResourcePoolStatusRequest"}:              resetMetadata,
	{Group: "scheduling.k8s.io", Kind: "PodGroup"}:                             resetMetadata,
	{Group: "scheduling.k8s.io", Kind: "CompositePodGroup"}:                    resetMetadata,
	{Group: "certificates.k8s.io", Kind: "PodCertificateRequest"}:              resetMetadata,
	{Group: "storagemigration.k8s.io", Kind: "StorageVersionMigration"}:        resetMetadata,
	{Group: "internal.apiserver.k8s.io", Kind: "StorageVersion"}:               resetMetadata,
	{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicy"}: resetMetadata,
	{Group: "apiregistration.k8s.io", Kind: "APIService"}:                      {"labels", "annotations", "finalizers", "ownerReferences"},
}

// throughStatus is an object whose status an update sets.
func throughStatus(e *Storage, object, old map[string]any) map[string]any {
	return keeping(object, old, statusMetadata[e.Attributes.Kind.GroupKind()], "spec")
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
	"status": throughStatus,
	"scale":  func(_ *Storage, object, old map[string]any) map[string]any { return scaleOf(old, object) },
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
