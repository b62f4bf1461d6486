package storage

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// tokenRequest names the account in the request for a token of it. It returns the rejection of one that
// would expire too soon or too late (ValidateTokenRequest).
func (e *Storage) tokenRequest(object map[string]any) *apierrors.StatusError {
	metadata := untyped.Child(object, "metadata")
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
