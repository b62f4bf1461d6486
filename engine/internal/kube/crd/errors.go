package crd

import (
	"fmt"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/kube/crash"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/version"
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
		reword(&err, v)
		body, known := text(i)
		if !known {
			body = errorBody(&err, v)
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
	return err.Field + ": " + errorBody(err, v)
}

func errorBody(err *field.Error, v version.Version) string {
	e := *err
	reword(&e, v)
	if v.Has(version.JSONLists) {
		return e.ErrorBody()
	}
	text := e.Type.String()
	switch e.Type {
	case field.ErrorTypeRequired, field.ErrorTypeForbidden, field.ErrorTypeTooLong, field.ErrorTypeInternal:
	default:
		if (e.BadValue != field.OmitValueType{}) {
			text += ": " + goValue(e.BadValue)
		}
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// goValue prints a value as versions without version.JSONLists do.
func goValue(value any) string {
	t := reflect.ValueOf(value)
	switch {
	case value == nil, t.Kind() == reflect.Pointer && t.IsNil():
		return `"null"`
	case t.Kind() == reflect.Pointer:
		value = t.Elem().Interface()
	}
	switch v := value.(type) {
	case int64, int32, float64, float32, bool:
		return fmt.Sprint(v)
	case string:
		return fmt.Sprintf("%q", v)
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprintf("%#v", value)
}

// rewordings are error details that a server version changed, newest first.
var rewordings = []struct {
	with version.Behaviour // has the current text
	now  *lazy.Regexp
	old  string
}{
	{version.LabelKeysInErrors, &lazy.Regexp{Text: `a valid label key must consist`}, "a qualified name must consist"},
	{version.LabelKeysInErrors, &lazy.Regexp{Text: `(must be no more than \d+) bytes$`}, "$1 characters"},
	{version.SingularLimits, &lazy.Regexp{Text: `^(may not be more than 1) byte$`}, "$1 bytes"},
	{version.SingularLimits, &lazy.Regexp{Text: `^(must have at most 1) item$`}, "$1 items"},
	{version.ByteLimits, &lazy.Regexp{Text: `^may not be more than (\d+) bytes$`}, "may not be longer than $1"},
}

// subjects are the fields whose errors repeated the field's name, without version.ShortFieldErrors.
var subjects = map[string]string{"message": "message", "fieldPath": "fieldPath"}

var subjectDetails = lazy.Regexp{Text: `^must (be non-empty if specified|not contain line breaks|be a valid path)$`}

// ownerIndex matches the path of an owner reference, in the object or an embedded one.
var ownerIndex = lazy.Regexp{Text: `((?:^|\.)metadata\.ownerReferences)\[\d+\]`}

// Reword gives errors a minor version's wording and, if they changed, types, in a stable order. It
// changes and returns the list.
func Reword(list field.ErrorList, v version.Version) field.ErrorList {
	inOrder(list)
	for _, err := range list {
		reword(err, v)
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

// reword gives an error a version's wording.
func reword(e *field.Error, v version.Version) {
	owner := !v.Has(version.OwnerReferenceIndex) && ownerIndex.MatchString(e.Field)
	if owner {
		e.Field = ownerIndex.ReplaceAllString(e.Field, "$1")
	}
	if owner && e.Type == field.ErrorTypeRequired {
		e.Type, e.BadValue = field.ErrorTypeInvalid, ""
		if strings.HasSuffix(e.Field, ".apiVersion") {
			e.Detail = "version must not be empty"
		}
		if !v.Has(version.ShortFieldErrors) && strings.HasSuffix(e.Field, ".kind") {
			e.Detail = "kind must not be empty"
		}
	}
	last := e.Field[strings.LastIndexByte(e.Field, '.')+1:]
	if subject := subjects[last]; subject != "" && !v.Has(version.ShortFieldErrors) && subjectDetails.MatchString(e.Detail) {
		e.Detail = subject + " " + e.Detail
	}
	for _, r := range rewordings {
		if !v.Has(r.with) {
			e.Detail = r.now.ReplaceAllString(e.Detail, r.old)
		}
	}
}

// CommonMetadata returns the metadata errors for an updated object of any kind. The server finds
// them before the kind's own code, which finds most of them again.
func CommonMetadata(object, old metav1.Object, namespaced bool, v version.Version) field.ErrorList {
	at := field.NewPath("metadata")
	//lint:ignore SA1019 the server's own check and words, until its packages have another
	errs := apivalidation.ValidateObjectMetaAccessor(object, namespaced, path.ValidatePathSegmentName, at)
	return Reword(append(errs, apivalidation.ValidateObjectMetaAccessorUpdate(object, old, at)...), v)
}
