// Package registry is the interface to the API server's own code for objects of
// built-in kinds, which runs between the mutating and the validating phase. The
// engine works without an implementation, because that code is many times as large
// as the engine.
package registry

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
)

// Registry is what the API server does before it stores an object.
type Registry interface {
	// Knows reports whether there is code for an object, or for one that is written through a
	// subresource.
	Knows(kind schema.GroupVersionKind, resource schema.GroupResource, subResource string) bool
	// Before prepares an object for storage and validates it (rest.BeforeCreate and
	// rest.BeforeUpdate of k8s.io/apiserver). Knows is true for it. The error is a mistake of the
	// caller: an object that is not of its kind.
	Before(Request) (Answer, error)
}

// Request is the object at the end of the mutating phase.
type Request struct {
	// Kubernetes is the minor version, such as "1.37".
	Kubernetes string
	// Create says that the object is new; otherwise it replaces Old.
	Create bool
	// Resource and SubResource are those of the request; Kind is the version in which the
	// objects are written.
	Resource    schema.GroupVersionResource
	SubResource string
	Kind        schema.GroupVersionKind
	// Name and Namespace are those of the request.
	Name, Namespace string
	// NamespaceLabels are the labels of that namespace.
	NamespaceLabels map[string]string
	// User may be nil.
	User *user.DefaultInfo
	// Object has its uid, name and creationTimestamp. It is not changed.
	Object map[string]any
	// Decoded is Object with the lists and maps that its author wrote without items, which a server has
	// and its JSON does not. It is nil where there are none.
	Decoded map[string]any
	// Old is the stored object; nil for a new one.
	Old map[string]any
}

// Answer is what came of it.
type Answer struct {
	// Object is the one that validating admission sees, or with a Status what was validated. It
	// shares values with that of the request.
	Object map[string]any
	// Bytes is the length in which the object is stored, without managed fields.
	Bytes int
	// Status is the rejection, or nil.
	Status *apierrors.StatusError
	// Warnings are those for the client, in the server's order.
	Warnings []string
	// Release is the minor version whose feature gates the code had, such as "1.36".
	Release string
}

// Late is a registry that may not be there yet, as on the page, where it is a download of its own.
type Late interface {
	Registry
	// Missing says why an object that there is code for cannot be validated now; empty where there
	// is none for it, or it is there.
	Missing(resource schema.GroupResource, subResource string) (why string)
}
