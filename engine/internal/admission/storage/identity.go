package storage

import (
	"maps"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// identity are the fields of the metadata that storage gives an object, and no manifest has.
var identity = []string{"uid", "creationTimestamp", "resourceVersion", "generation"}

// Identify gives the stored object of a manifest what its creation gave it: uid, time, version,
// generation and status. The object that replaces it gets the same, as kubectl sends a patch of
// the stored one. What either says itself stays. Objects of subresources are left alone.
func (e *Storage) Identify(old, object map[string]any) (stored, replacing map[string]any) {
	kind, known := e.Catalog.KindFor(e.Attributes.Resource, "")
	if old == nil || e.SharedOnly || !known || kind != e.Attributes.Kind {
		return old, object
	}
	given := untyped.Sub(old, "metadata")
	if given["uid"] != nil || given["resourceVersion"] != nil {
		return old, object // as kubectl get wrote it
	}
	stored = runtime.DeepCopyJSON(old)
	metadata := untyped.Child(stored, "metadata")
	e.beforeCreate(stored)
	metadata["resourceVersion"] = "1"
	for _, field := range identity {
		if value := given[field]; value != nil {
			metadata[field] = value
		} else if value := untyped.Sub(object, "metadata")[field]; value != nil && field != "generation" {
			metadata[field] = value // kubectl get wrote the object that replaces it
		}
	}
	if status := old["status"]; status != nil {
		stored["status"] = status
	}
	if object == nil || e.Attributes.Operation != request.Update {
		return stored, object
	}
	replacing = maps.Clone(object)
	own := maps.Clone(untyped.Sub(object, "metadata"))
	for _, field := range identity {
		if own[field] == nil && metadata[field] != nil {
			own[field] = metadata[field]
		}
	}
	replacing["metadata"] = own
	if replacing["status"] == nil && stored["status"] != nil && e.Attributes.SubResource == "" {
		replacing["status"] = stored["status"]
	}
	return stored, replacing
}
