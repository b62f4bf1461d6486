package storage

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// identity are the fields of the metadata that storage gives an object, and no manifest has.
var identity = []string{"uid", "creationTimestamp", "resourceVersion", "generation"}

// Unidentified reports whether an old object has none of the fields that every stored object has:
// it was written by hand.
func Unidentified(old map[string]any) bool {
	metadata := untyped.Sub(old, "metadata")
	for _, field := range identity {
		if metadata[field] != nil {
			return false
		}
	}
	return metadata != nil && untyped.Sub(old, "status") == nil
}

// Printed reports whether an object is as kubectl get wrote it. What it lacks, no plugin gave it: a
// LimitRange, say, may be younger.
func Printed(object map[string]any) bool {
	metadata := untyped.Sub(object, "metadata")
	return metadata["uid"] != nil || metadata["resourceVersion"] != nil
}

// lacking are the kinds whose creation adds what no manifest has and every update must bring
// again, as a patch of kubectl does: the selector and labels of a Job, what a Pod selects by its
// labels, the name of a LimitRange.
var lacking = []schema.GroupKind{jobKind, podKind, {Kind: "LimitRange"}}

// Stored gives the stored object of a manifest what its creation gave it: uid, time, version,
// generation, status, selectors, addresses and the like. The object that replaces it gets the same, as
// kubectl sends a patch of the stored one. What either says itself stays. Objects of subresources, and
// those as kubectl get wrote them, are left alone.
func (e *Storage) Stored(old, object map[string]any) (stored, replacing map[string]any) {
	a := &e.Attributes
	kind, known := e.Catalog.KindFor(a.Resource, "")
	if e.SharedOnly || !known || kind != a.Kind || old == nil {
		return old, object
	}
	own := untyped.Sub(object, "metadata")
	stored = old
	printed := Printed(old)
	if !printed {
		stored = e.storedFrom(old, own)
	}
	if object == nil || a.Operation != request.Update {
		return stored, object
	}
	metadata := untyped.Sub(stored, "metadata")
	replacing = object
	manifest := !Printed(object)
	if manifest && slices.Contains(lacking, kind.GroupKind()) {
		replacing = e.created(object, cmp.Or(text(own["uid"]), text(metadata["uid"])))
		restore(replacing, own, object["status"])
	}
	if printed && !manifest { // both as kubectl get wrote them
		return stored, replacing
	}
	replacing = maps.Clone(replacing)
	filled := maps.Clone(untyped.Sub(replacing, "metadata"))
	for _, field := range identity {
		if filled[field] == nil && metadata[field] != nil {
			filled[field] = metadata[field]
		}
	}
	replacing["metadata"] = filled
	if len(untyped.Sub(replacing, "status")) == 0 && stored["status"] != nil && a.SubResource == "" {
		replacing["status"] = stored["status"]
	}
	return stored, replacing
}

// storedFrom is a manifest as its creation stored it. own is the metadata of the object that
// replaces it, which may be as kubectl get wrote it.
func (e *Storage) storedFrom(manifest, own map[string]any) map[string]any {
	given := untyped.Sub(manifest, "metadata")
	stored := e.created(manifest, cmp.Or(text(given["uid"]), text(own["uid"])))
	metadata := untyped.Child(stored, "metadata")
	metadata["resourceVersion"] = "1"
	for _, field := range identity {
		if value := given[field]; value != nil {
			metadata[field] = value
		} else if value := own[field]; value != nil && field != "generation" {
			metadata[field] = value
		}
	}
	if status := untyped.Sub(manifest, "status"); len(status) > 0 {
		stored["status"] = status
	}
	return stored
}

// created is a copy of an object as its creation leaves it, with a uid that is already known or
// is empty.
func (e *Storage) created(object map[string]any, uid string) map[string]any {
	out := runtime.DeepCopyJSON(object)
	e.beforeCreate(out)
	if metadata := untyped.Sub(out, "metadata"); metadata != nil && uid != "" {
		metadata["uid"] = uid
	}
	if !e.knows("") {
		return out
	}
	answer, err := e.Registry.Before(e.question(out, nil))
	if err != nil || answer.Object == nil { // which the request itself then meets
		return out
	}
	out = maps.Clone(answer.Object)
	out["metadata"] = maps.Clone(untyped.Sub(out, "metadata"))
	e.spreadAsWritten(out, object)
	return out
}

// restore resets an object's identity and status.
func restore(object, metadata map[string]any, status any) {
	own := untyped.Child(object, "metadata")
	for _, field := range identity {
		if own[field] = metadata[field]; metadata[field] == nil {
			delete(own, field)
		}
	}
	if object["status"] = status; status == nil {
		delete(object, "status")
	}
}
