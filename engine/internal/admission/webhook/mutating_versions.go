package webhook

import (
	"encoding/json"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// This file is the one copy of the object that the mutating webhooks share, on
// its way between kinds: that of the request, those of the webhooks, and those
// that a patch may make of it.

// versioned returns the object as a kind, for a webhook. What webhooks changed in
// another version goes through the version of the request. The server wraps an
// error of the conversion twice; the second time is the caller's.
func (m *mutating) versioned(kind schema.GroupVersionKind) (map[string]any, error) {
	if m.object == nil || m.kind == kind {
		return m.object, nil
	}
	if err := m.writeBack(); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	object, err := m.Catalog.Convert(m.Attributes.Object, m.Attributes.Kind, kind)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	m.object, m.kind = catalog.WithKind(object, kind), kind
	return m.object, nil
}

// finish gives the object back to the request. An error of this conversion
// reaches the client as it is.
func (m *mutating) finish() *apierrors.StatusError {
	if err := m.writeBack(); err != nil {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}}
	}
	return nil
}

// writeBack makes what webhooks changed the object of the request.
func (m *mutating) writeBack() error {
	if !m.dirty {
		return nil
	}
	object, err := m.Catalog.WriteBack(m.object, m.kind, m.Attributes.Object, m.Attributes.Kind)
	if err != nil {
		return err
	}
	m.Attributes.Object, m.dirty = object, false
	return nil
}

func (m *mutating) custom(kind schema.GroupVersionKind) bool {
	resource, known := m.Catalog.ResourceForKind(kind)
	return known && !resource.Builtin
}

// decode reads a patched object. Unknown fields are dropped without a word, and
// so is the kind of the request: the object is of the kind that it says.
func (m *mutating) decode(kind schema.GroupVersionKind, patched []byte) (map[string]any, error) {
	object, err := m.Catalog.DecodeLenient(kind, patched)
	if err != nil || m.custom(kind) {
		return object, err
	}
	// The decoder knows the Go type without apiVersion and kind, so a patch that
	// removes one changes the object for the webhooks that come next.
	var meta metav1.TypeMeta
	if err := json.Unmarshal(patched, &meta); err != nil {
		return nil, err
	}
	for field, value := range map[string]string{"apiVersion": meta.APIVersion, "kind": meta.Kind} {
		if object[field] = value; value == "" {
			delete(object, field)
		}
	}
	return object, nil
}
