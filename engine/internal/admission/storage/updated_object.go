package storage

import (
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// beforeUpdate keeps what an update may not change: the status, or everything
// but the status when the request is for the subresource.
func (e *Storage) beforeUpdate(object map[string]any) map[string]any {
	a := &e.Attributes
	old := a.OldObject
	if old == nil {
		return object
	}
	stillDeleted(object, old)
	if a.Kind.GroupKind() == serviceKind && a.SubResource == "" && !e.SharedOnly {
		keepAllocated(e, object, old)
	}
	if through := throughSubresource[a.SubResource]; through != nil && !e.SharedOnly && !e.custom(a.Kind) {
		object = through(e, object, old)
		if a.SubResource == "scale" {
			a.OldObject = scaleOf(old, old)
		}
	}
	switch a.SubResource {
	case "":
		if e.hasStatus(a.Kind) {
			e.resetStatus(object, old["status"])
		}
		e.nextGeneration(object, old)
	case "ephemeralcontainers", "resize": // of a Pod, which they change
		e.nextGeneration(object, old)
	case "status":
		if !e.custom(a.Kind) {
			return object
		}
		kept := runtime.DeepCopyJSON(old)
		kept["status"] = object["status"]
		if object["status"] == nil {
			delete(kept, "status")
		}
		if managed := untyped.Sub(object, "metadata")["managedFields"]; managed != nil { // they have who set the status
			untyped.Child(kept, "metadata")["managedFields"] = managed
		}
		return kept
	}
	return object
}

// stillDeleted keeps an object being deleted that an update would have back
// (ValidateObjectMetaAccessorUpdate).
func stillDeleted(object, old map[string]any) {
	meta, _ := object["metadata"].(map[string]any)
	before, _ := old["metadata"].(map[string]any)
	if time := before["deletionTimestamp"]; time != nil && meta != nil {
		meta["deletionTimestamp"] = time
	}
	if grace := before["deletionGracePeriodSeconds"]; grace != nil && meta != nil && meta["deletionGracePeriodSeconds"] == nil {
		meta["deletionGracePeriodSeconds"] = grace
	}
}

// nextGeneration counts a change of the desired state. No client sets the number.
func (e *Storage) nextGeneration(object, old map[string]any) {
	meta, ok := object["metadata"].(map[string]any)
	oldMeta, _ := old["metadata"].(map[string]any)
	generation, known := oldMeta["generation"].(int64)
	switch counted := e.hasGeneration(e.Attributes.Kind); {
	case !ok || !known && counted: // a manifest may leave it out
		return
	case !known:
		delete(meta, "generation")
		return
	case counted && e.changed(object, old):
		generation++
	}
	meta["generation"] = generation
}

// changed reports whether an update changes what metadata.generation counts.
func (e *Storage) changed(object, old map[string]any) bool {
	same := func(field string) bool { return reflect.DeepEqual(object[field], old[field]) }
	meta, _ := object["metadata"].(map[string]any)
	before, _ := old["metadata"].(map[string]any)
	switch kind := e.Attributes.Kind.Kind; {
	case e.custom(e.Attributes.Kind):
		return !reflect.DeepEqual(withoutMetadata(object), withoutMetadata(old))
	case e.SharedOnly:
		return !same("spec")
	case kind == "PriorityClass":
		return false
	case kind == "PodTemplate":
		return !same("template")
	case kind == "ValidatingWebhookConfiguration" || kind == "MutatingWebhookConfiguration":
		return !same("webhooks")
	case kind == "Deployment": // its annotations go to its ReplicaSets
		return !same("spec") || !reflect.DeepEqual(meta["annotations"], before["annotations"])
	case kind == "EndpointSlice":
		return !same("endpoints") || !same("ports") || !same("addressType") || !reflect.DeepEqual(meta["labels"], before["labels"])
	}
	return !same("spec")
}

func withoutMetadata(object map[string]any) map[string]any {
	out := maps.Clone(object)
	delete(out, "metadata")
	return out
}
