package storage

import (
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/registry"
)

// registers reports whether the server's own code prepares the object and validates it.
func (e *Storage) registers() bool {
	a := &e.Attributes
	if e.Registry == nil || e.SharedOnly || a.Operation == "UPDATE" && a.OldObject == nil || a.Operation == "CREATE" && a.SubResource != "" ||
		a.Operation != "CREATE" && a.Operation != "UPDATE" {
		return false
	}
	return e.Registry.Knows(a.Kind, a.Resource.GroupResource(), a.SubResource)
}

// Refusal is why the server's own code would refuse another object in place of the request's; nil where
// it would not. The object is changed.
func (e *Storage) Refusal(object map[string]any) *apierrors.StatusError {
	if _, status := e.register(object); status != nil {
		return status
	}
	return e.Registered.Status
}

// register is the object as the server's own code leaves it, or its refusal. What the storage of a
// Service does before its strategy is asked, which is to give it addresses and ports, is done here.
func (e *Storage) register(object map[string]any) (map[string]any, *apierrors.StatusError) {
	a := &e.Attributes
	create := a.Operation == "CREATE"
	service := a.Kind.GroupKind() == serviceKind && a.SubResource == ""
	switch {
	case create:
		e.identified(object)
		if service {
			allocate(e, object)
		}
	case service:
		keepAllocated(e, object, a.OldObject)
	}
	answer, err := e.Registry.Before(registry.Request{
		Kubernetes: e.Version.String(), Create: create, Resource: a.Resource, SubResource: a.SubResource, Kind: a.Kind,
		Name: a.Name, Namespace: a.Namespace, User: a.User, Object: object, Old: a.OldObject,
	})
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	e.Registered = &answer
	if answer.Status != nil {
		return object, nil // which validation says
	}
	if create {
		e.sharedOrBelieved(answer.Object)
	}
	return answer.Object, nil
}

// sharedOrBelieved is what the code of the newest release does not do to a new object by itself: a
// Job without labels shares the map of its template's, and before 1.37 the class that a Pod brings
// in its status is believed (qos.GetPodQOS).
func (e *Storage) sharedOrBelieved(object map[string]any) {
	switch e.Attributes.Kind.GroupKind() {
	case jobKind:
		if e.sharesLabels() {
			metadata := maps.Clone(untyped.Sub(object, "metadata"))
			metadata["labels"] = maps.Clone(untyped.Sub(object, "spec", "template", "metadata", "labels"))
			object["metadata"] = metadata
		}
	case podKind:
		class := text(untyped.Sub(e.Attributes.Object, "status")["qosClass"])
		if class != "" && !e.Version.Has(version.PodClassComputed) {
			status := maps.Clone(untyped.Sub(object, "status"))
			status["qosClass"], object["status"] = class, status
		}
	}
}
