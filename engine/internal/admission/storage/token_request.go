package storage

import (
	"cmp"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// tokenRequest names the account in the request for a token of it. It returns the rejection of one that
// is for another account, or would expire too soon or too late (TokenREST.Create, ValidateTokenRequest).
func (e *Storage) tokenRequest(object map[string]any) *apierrors.StatusError {
	metadata, name := untyped.Child(object, "metadata"), e.Attributes.Name
	if given := text(metadata["name"]); given != "" && given != name {
		err := field.Invalid(field.NewPath("metadata", "name"), given, "must match the service account name if specified")
		return crd.Invalid(e.Attributes.Kind.GroupKind(), name, field.ErrorList{err}, e.Version)
	}
	account, found := e.Cluster.Get(accountKind, e.Attributes.Namespace, name)
	if status := e.absent(schema.GroupResource{Resource: "serviceaccounts"}, name); !found && status != nil {
		return status
	}
	if want, have := text(metadata["uid"]), metadataString(account.Value, "uid"); e.Version.Has(version.TokenAccountUIDs) && found && want != "" && have != untyped.ZeroUID && want != have {
		return apierrors.NewConflict(schema.GroupResource{Group: e.Attributes.Kind.Group, Resource: e.Attributes.Kind.Kind}, name,
			fmt.Errorf("the UID in the token request (%s) does not match the UID of the service account (%s)", want, have))
	}
	metadata["creationTimestamp"] = e.Now
	missing(metadata, "name", e.Attributes.Name)
	missing(metadata, "namespace", e.Attributes.Namespace)
	why := ""
	switch seconds, given := untyped.Sub(object, "spec")["expirationSeconds"].(int64); {
	case given && seconds < 10*60:
		why = "may not specify a duration less than 10 minutes"
	case seconds > 1<<32:
		why = "may not specify a duration larger than 2^32 seconds"
	default:
		return nil
	}
	at := field.NewPath("spec", "expirationSeconds")
	return crd.Invalid(e.Attributes.Kind.GroupKind(), "", field.ErrorList{field.Invalid(at, untyped.Sub(object, "spec")["expirationSeconds"], why)}, e.Version)
}

var (
	accountKind = schema.GroupKind{Kind: "ServiceAccount"}
	// bound are the kinds that a token may be bound to, with their resources.
	bound = map[schema.GroupKind]schema.GroupResource{podKind: podResource.GroupResource(), {Kind: "Node"}: {Resource: "nodes"}, {Kind: "Secret"}: {Resource: "secrets"}}
)

// BindToken is the rejection after admission of a token that is bound to an object: it is not there, is
// another one, or is a Pod of another account (TokenREST.Create). It is nil for other requests, and where
// the cluster text has no such object and may lack it.
func (e *Storage) BindToken() *apierrors.StatusError {
	a := &e.Attributes
	ref := untyped.Sub(a.Object, "spec", "boundObjectRef")
	if a.Operation != "CREATE" || a.SubResource != "token" || ref == nil {
		return nil
	}
	gvk, name, namespace := schema.FromAPIVersionAndKind(text(ref["apiVersion"]), text(ref["kind"])), text(ref["name"]), a.Namespace
	resource, known := bound[gvk.GroupKind()]
	if !known {
		if gvk.Group == "admissionregistration.k8s.io" {
			return nil
		}
		return apierrors.NewBadRequest(fmt.Sprintf("cannot bind token to object of type %s", gvk.String()))
	}
	switch {
	case name == "":
		return apierrors.NewBadRequest("Name parameter required.")
	case gvk.Kind == "Node":
		namespace = ""
	}
	stored, found := e.Cluster.Get(gvk.GroupKind(), namespace, name)
	if !found {
		return e.absent(resource, name)
	}
	if account := cmp.Or(text(untyped.Sub(stored.Value, "spec")["serviceAccountName"]), "default"); gvk.Kind == "Pod" && account != a.Name {
		return apierrors.NewBadRequest(fmt.Sprintf("cannot bind token for serviceaccount %q to pod running with different serviceaccount name.", a.Name))
	}
	if want, have := text(ref["uid"]), metadataString(stored.Value, "uid"); want != "" && have != untyped.ZeroUID && want != have {
		return apierrors.NewConflict(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, name,
			errors.New("the UID in the bound object reference ("+want+") does not match the UID in record. The object might have been deleted and then recreated"))
	}
	return nil
}
