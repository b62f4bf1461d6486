package storage

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/match"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// systemFields are those of the metadata that a client cannot set
// (rest.WipeObjectMetaSystemFields).
var systemFields = []string{"creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"}

// Received is the object of a client, in its normal form, as the server gives it to the
// mutating phase: without what a new object cannot have yet, as one that was written by
// kubectl get has, in the namespace of the request, with each owner once and the time of its device taints. The
// second result is the warning about owners, if any.
func Received(kinds *catalog.Catalog, r match.Request, object map[string]any, now string) (received map[string]any, warning string) {
	metadata, ok := object["metadata"].(map[string]any)
	if !ok || r.Operation != "CREATE" && r.Operation != "UPDATE" {
		return object, ""
	}
	metadata = maps.Clone(metadata)
	// The storage of a Binding and of a TokenRequest reads the uid (rest.SubresourceObjectMetaPreserver).
	if r.Operation == "CREATE" && r.SubResource != "binding" && r.SubResource != "token" {
		wipe(kinds, r.Kind, metadata)
	}
	if !readable(untyped.Items(metadata["managedFields"])) {
		delete(metadata, "managedFields")
	}
	ofRequest(kinds, r, metadata)
	warning = ownersOnce(metadata, "")
	if r.Kind.Group == "resource.k8s.io" && (r.Kind.Kind == "DeviceTaintRule" || r.Kind.Kind == "ResourceSlice") {
		received = taintedAt(now, object)
	} else {
		received = maps.Clone(object)
	}
	received["metadata"] = metadata
	return received, warning
}

// taintedAt returns a copy of an object whose device taints without a time have this one
// (SetDefaults_DeviceTaint of k8s.io/kubernetes/pkg/apis/resource).
func taintedAt(now string, object map[string]any) map[string]any {
	object = runtime.DeepCopyJSON(object)
	spec := untyped.Sub(object, "spec")
	taints := []map[string]any{untyped.Sub(spec, "taint")}
	for _, device := range untyped.Items(spec["devices"]) {
		taints = append(append(taints, untyped.Items(device["taints"])...), untyped.Items(untyped.Sub(device, "basic")["taints"])...)
	}
	for _, taint := range taints {
		if taint != nil && taint["timeAdded"] == nil {
			taint["timeAdded"] = now
		}
	}
	return object
}

// readable reports whether the server can read managed fields. It starts afresh where it cannot
// (DecodeManagedFields in apimachinery/pkg/util/managedfields/internal).
func readable(entries []map[string]any) bool {
	return !slices.ContainsFunc(entries, func(entry map[string]any) bool {
		operation := text(entry["operation"])
		return operation != "Apply" && operation != "Update" || text(entry["apiVersion"]) == "" || text(entry["fieldsType"]) != "FieldsV1"
	})
}

// Misaddressed is the server's refusal of an object that a client sends to another place than
// its own, before anything else is asked about it: of another namespace
// (rest.EnsureObjectNamespaceMatchesRequestNamespace), and in an update of another name
// (handlers.checkName). It is nil otherwise.
func Misaddressed(kinds *catalog.Catalog, r match.Request, object map[string]any) *apierrors.StatusError {
	metadata, ok := object["metadata"].(map[string]any)
	resource, known := kinds.ResourceFor(r.Resource)
	if !ok || !known || r.Operation != "CREATE" && r.Operation != "UPDATE" {
		return nil
	}
	if given := text(metadata["namespace"]); resource.Namespaced && given != "" && given != r.Namespace {
		return apierrors.NewBadRequest(otherNamespace)
	}
	if name := text(metadata["name"]); r.Operation == "UPDATE" && name != r.Name && r.Name != "" {
		if name == "" {
			return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", r.Name))
		}
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", name, r.Name))
	}
	return nil
}

const otherNamespace = "the namespace of the provided object does not match the namespace sent on the request"

// ofRequest gives an object without a namespace that of the request, and takes the namespace
// from one that is in none (rest.EnsureObjectNamespaceMatchesRequestNamespace), also where the
// object is that of a subresource.
func ofRequest(kinds *catalog.Catalog, r match.Request, metadata map[string]any) {
	resource, known := kinds.ResourceFor(r.Resource)
	switch given := text(metadata["namespace"]); {
	case !known:
	case !resource.Namespaced:
		delete(metadata, "namespace")
	case given == "" && r.Namespace != "":
		metadata["namespace"] = r.Namespace
	}
}

// wipe removes the system fields; a release whose types show a time that is unset has it
// as null.
func wipe(kinds *catalog.Catalog, kind schema.GroupVersionKind, metadata map[string]any) {
	dated := metadata["creationTimestamp"] != nil
	for _, field := range systemFields {
		if field != "creationTimestamp" || dated {
			delete(metadata, field)
		}
	}
	resource, known := kinds.ResourceForKind(kind)
	if !dated || !known || !resource.Builtin {
		return
	}
	empty, _ := kinds.Normalise(kind, map[string]any{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind, "metadata": map[string]any{}})
	if unset, ok := empty["metadata"].(map[string]any); ok {
		if value, shown := unset["creationTimestamp"]; shown {
			metadata["creationTimestamp"] = value
		}
	}
}

// ownersOnce leaves every owner once in the metadata, and returns the server's warning
// where one was there again (handlers.dedupOwnerReferencesAndAddWarning). Two that only
// share the uid both stay.
func ownersOnce(metadata map[string]any, when string) (warning string) {
	var once []any
	var again []string
	for _, owner := range untyped.Items(metadata["ownerReferences"]) {
		if slices.ContainsFunc(once, func(o any) bool { return sameOwner(o.(map[string]any), owner) }) {
			again = append(again, text(owner["uid"]))
			continue
		}
		once = append(once, owner)
	}
	if len(again) == 0 {
		return ""
	}
	metadata["ownerReferences"] = once
	return fmt.Sprintf(".metadata.ownerReferences contains duplicate entries%s; API server dedups owner references in 1.20+, "+
		"and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %s", when, strings.Join(again, ", "))
}

func sameOwner(a, b map[string]any) bool {
	for _, field := range []string{"apiVersion", "kind", "name", "uid"} {
		if text(a[field]) != text(b[field]) {
			return false
		}
	}
	return reflect.DeepEqual(a["controller"], b["controller"]) && reflect.DeepEqual(a["blockOwnerDeletion"], b["blockOwnerDeletion"])
}

// ownersAgain does the same after the mutating phase.
func (e *Storage) ownersAgain(object map[string]any) {
	if metadata, ok := object["metadata"].(map[string]any); ok && !e.SharedOnly {
		if warning := ownersOnce(metadata, " after mutating admission happens"); warning != "" {
			e.Warn(warning)
		}
	}
}
