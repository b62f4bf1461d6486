package webhook

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// This file is the one copy of the object that the mutating webhooks share, on
// its way between kinds: that of the request, those of the webhooks, and those
// that a patch may make of it.

// versioned gives the object as a kind, for a webhook. What webhooks changed in
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
	m.object, m.kind = withKind(object, kind), kind
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
	object, err := m.convert(m.Attributes.Kind)
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

// convert gives the object as the kind of the request, with what the way through
// the internal version changes. A patch may have made it another kind, from which
// there is a way only if it is another version of the same objects.
func (m *mutating) convert(kind schema.GroupVersionKind) (map[string]any, error) {
	if m.custom(m.kind) {
		return m.convertCustom(kind.GroupVersion())
	}
	actual := gvkOf(m.object, m.kind)
	if !m.Catalog.SameObjects(actual, m.kind) {
		return nil, fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", actual.Version, actual.Kind, internalPackage(kind.Group), kind.Kind)
	}
	return m.Catalog.WriteBack(withKind(m.object, actual), actual, m.Attributes.Object, kind)
}

// convertCustom does without webhooks: it only writes another apiVersion, and
// keeps the kind that the object has. A patch may have changed both.
func (m *mutating) convertCustom(to schema.GroupVersion) (map[string]any, error) {
	from := gvkOf(m.object, schema.GroupVersionKind{})
	if from.Group != to.Group {
		return nil, fmt.Errorf("%v is unstructured and is not suitable for converting to %q", from, to)
	}
	if !m.custom(from.GroupVersion().WithKind(m.kind.Kind)) {
		return nil, fmt.Errorf("request to convert CR from an invalid group/version: %v", from.GroupVersion())
	}
	return withKind(m.object, to.WithKind(from.Kind)), nil
}

// internalPackage is the Go package of the internal types of a group.
func internalPackage(group string) string {
	if group == "" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}

// gvkOf is the kind that an object says to be of; what it leaves out is taken
// from fallback, as the server's decoder does.
func gvkOf(object map[string]any, fallback schema.GroupVersionKind) schema.GroupVersionKind {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	out := schema.FromAPIVersionAndKind(apiVersion, kind)
	if out.Kind == "" {
		out.Kind = fallback.Kind
	}
	if out.Version == "" && (out.Group == "" || out.Group == fallback.Group) {
		out.Group, out.Version = fallback.Group, fallback.Version
	}
	return out
}

// withKind is an object that says of which kind it is, as one does that has been
// through the internal version.
func withKind(object map[string]any, kind schema.GroupVersionKind) map[string]any {
	apiVersion, name := kind.ToAPIVersionAndKind()
	if object["apiVersion"] == apiVersion && object["kind"] == name {
		return object
	}
	object = maps.Clone(object)
	object["apiVersion"], object["kind"] = apiVersion, name
	return object
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

// defaulted gives an object the defaults of the kind that it says to be of.
func (m *mutating) defaulted(kind schema.GroupVersionKind, object map[string]any) map[string]any {
	actual := gvkOf(object, kind)
	if m.custom(kind) && !m.custom(actual) {
		return object
	}
	return m.Catalog.Default(actual, object)
}
