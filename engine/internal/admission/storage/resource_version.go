package storage

import (
	"errors"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

var priorityClassKind = schema.GroupKind{Group: "scheduling.k8s.io", Kind: "PriorityClass"}

// modified is what the server says about an update of another version of an object.
const modified = "the object has been modified; please apply your changes to the latest version and try again"

// Precondition is the server's answer to an update whose object has the uid of
// another, and to the deletion of a PriorityClass of its own: it asks that before
// admission. nil when it is the same, or not stated.
func (e *Storage) Precondition() *apierrors.StatusError {
	a := &e.Attributes
	if a.Operation == "DELETE" && a.Kind.GroupKind() == priorityClassKind && (a.Name == "system-node-critical" || a.Name == "system-cluster-critical") {
		return apierrors.NewForbidden(a.Resource.GroupResource(), a.Name, errors.New("this is a system priority class and cannot be deleted"))
	}
	if !e.replaces() && !e.scales() {
		return nil
	}
	want, have := metadataString(a.Object, "uid"), metadataString(a.OldObject, "uid")
	if want == "" || have == "" || have == untyped.ZeroUID || want == have {
		return nil
	}
	return e.conflict(e.otherUID(want, have))
}

// otherUID is what storage says of an object that has another uid than the request wants.
func (e *Storage) otherUID(want, have string) string {
	return fmt.Sprintf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s", e.key(), want, have)
}

// Conflict is the server's answer to an update of another version of the object than
// the one that is there: it asks that after the mutating phase. Where an update states
// no version, any will do, but not for a custom resource and some other kinds.
func (e *Storage) Conflict() *apierrors.StatusError {
	a := &e.Attributes
	scaled := e.scales()
	if !e.replaces() && !scaled {
		return nil
	}
	want, have := metadataString(a.Object, "resourceVersion"), metadataString(a.OldObject, "resourceVersion")
	switch number, err := strconv.ParseUint(want, 10, 64); {
	case want == "" || want == have:
	case err != nil:
		return failed(err.Error())
	case number == 0:
		want = ""
	}
	if want == "" && have != "" && !scaled && e.needsVersion(a.Kind) {
		about := schema.GroupKind{Group: a.Resource.Group, Kind: a.Resource.Resource} // so the server
		return crd.Invalid(about, a.Name, field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update")}, e.Version)
	}
	if want == "" || have == "" || want == have {
		return nil
	}
	return e.conflict(modified)
}

// needsVersion reports whether an update of a kind must state which version it replaces
// (AllowUnconditionalUpdate of its strategy).
func (e *Storage) needsVersion(kind schema.GroupVersionKind) bool {
	switch kind.Group {
	case "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "coordination.k8s.io", "node.k8s.io", "policy", "storagemigration.k8s.io":
		return true
	case "storage.k8s.io":
		return kind.Kind != "StorageClass" && kind.Kind != "VolumeAttributesClass"
	case "certificates.k8s.io":
		return kind.Kind != "CertificateSigningRequest"
	}
	return e.custom(kind)
}

// replaces reports whether the request is an update of a stored object, whole or its
// status.
func (e *Storage) replaces() bool {
	a := &e.Attributes
	r, known := e.Catalog.ResourceFor(a.Resource)
	return a.Operation == "UPDATE" && a.Object != nil && a.OldObject != nil && known && r.GVK == a.Kind
}

// scales reports whether the request updates a Scale.
func (e *Storage) scales() bool {
	return e.Attributes.Operation == "UPDATE" && e.Attributes.SubResource == "scale"
}

func (e *Storage) conflict(why string) *apierrors.StatusError {
	a := &e.Attributes
	return apierrors.NewConflict(a.Resource.GroupResource(), a.Name, errors.New(why))
}

// folders are the resources of built-in kinds that are not stored under their names.
var folders = map[string]string{
	"services": "services/specs", "endpoints": "services/endpoints", "nodes": "minions", "replicationcontrollers": "controllers", "ingresses": "ingress",
}

// key is where the server keeps the object.
func (e *Storage) key() string {
	a := &e.Attributes
	key := a.Resource.Resource
	if resource, known := e.Catalog.ResourceFor(a.Resource); known && !resource.Builtin || a.Resource.Group == "apiextensions.k8s.io" {
		key = a.Resource.Group + "/" + key
	} else if folder := folders[key]; folder != "" {
		key = folder
	}
	if a.Namespace != "" && a.Resource.Resource != "namespaces" {
		key += "/" + a.Namespace
	}
	return "/" + key + "/" + a.Name
}
