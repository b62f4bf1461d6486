package crd

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/kube/crash"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/registry/wording"
)

// Invalid returns the server's response for an object with errors, in its version's wording.
func Invalid(kind schema.GroupKind, name string, errs field.ErrorList, v version.Version) *apierrors.StatusError {
	if status := crashed(errs); status != nil {
		return status
	}
	return InvalidWith(kind, name, errs, v, func(int) (string, bool) { return "", false })
}

// crashed returns the response if one of the errors crashes the server, else nil. The causes are
// ours; they show the fields.
func crashed(errs field.ErrorList) *apierrors.StatusError {
	var causes []metav1.StatusCause
	for _, err := range errs {
		if crash.Is(err) {
			causes = append(causes, metav1.StatusCause{Type: metav1.CauseType(err.Type), Message: err.Detail, Field: err.Field})
		}
	}
	if causes == nil {
		return nil
	}
	status := crash.Status()
	status.ErrStatus.Details = &metav1.StatusDetails{Causes: causes}
	return status
}

// InvalidWith is Invalid for errors with known texts: text returns the text for an error's index.
func InvalidWith(kind schema.GroupKind, name string, errs field.ErrorList, v version.Version, text func(int) (string, bool)) *apierrors.StatusError {
	// Not with the errors: the library appends their texts one by one, in quadratic time.
	status := apierrors.NewInvalid(kind, name, nil)
	seen := map[string]bool{}
	var texts []string
	for i := range errs {
		err := *errs[i]
		wording.Reword(&err, v)
		body, known := text(i)
		if !known {
			body = wording.Body(&err, v)
		}
		status.ErrStatus.Details.Causes = append(status.ErrStatus.Details.Causes, metav1.StatusCause{Type: metav1.CauseType(err.Type), Message: body, Field: err.Field})
		if line := err.Field + ": " + body; !seen[line] {
			seen[line] = true
			texts = append(texts, line)
		}
	}
	switch all := strings.Join(texts, ", "); len(texts) {
	case 0:
	case 1:
		status.ErrStatus.Message = fmt.Sprintf("%s %q is invalid: %s", kind, name, all)
	default:
		status.ErrStatus.Message = fmt.Sprintf("%s %q is invalid: [%s]", kind, name, all)
	}
	return status
}

// ErrorText returns an error's text in a version's wording.
func ErrorText(err *field.Error, v version.Version) string {
	e := *err
	wording.Reword(&e, v)
	return e.Field + ": " + wording.Body(&e, v)
}

// Reword gives errors a minor version's wording and, if they changed, types, in a stable order. It
// changes and returns the list.
func Reword(list field.ErrorList, v version.Version) field.ErrorList {
	inOrder(list)
	for _, err := range list {
		wording.Reword(err, v)
	}
	return list
}

// Embedded gives errors of embedded objects a version's wording.
func Embedded(list field.ErrorList, v version.Version) field.ErrorList {
	for _, err := range list {
		if !v.Has(version.ShortFieldErrors) && err.Type == field.ErrorTypeRequired && err.Detail == "" && (strings.HasSuffix(err.Field, ".apiVersion") || strings.HasSuffix(err.Field, ".kind")) {
			err.Detail = "must not be empty"
		}
	}
	return Reword(list, v)
}

// CommonMetadata returns the metadata errors for an updated object of any kind. The server finds
// them before the kind's own code, which finds most of them again.
func CommonMetadata(object, old metav1.Object, namespaced bool, v version.Version) field.ErrorList {
	at := field.NewPath("metadata")
	//lint:ignore SA1019 the server's own check and words, until its packages have another
	errs := apivalidation.ValidateObjectMetaAccessor(object, namespaced, path.ValidatePathSegmentName, at)
	return Reword(append(errs, apivalidation.ValidateObjectMetaAccessorUpdate(object, old, at)...), v)
}
