package crd

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Invalid is the server's answer to an object with errors, in the words of its
// minor version.
func Invalid(kind schema.GroupKind, name string, errs field.ErrorList, minor int) *apierrors.StatusError {
	status := apierrors.NewInvalid(kind, name, errs)
	var texts []error
	for i, err := range errs {
		body := errorBody(err, minor)
		status.ErrStatus.Details.Causes[i].Message = body
		texts = append(texts, fmt.Errorf("%s: %s", err.Field, body))
	}
	if all := utilerrors.NewAggregate(unique(texts)); all != nil {
		status.ErrStatus.Message = fmt.Sprintf("%s %q is invalid: %v", kind, name, all)
	}
	return status
}

// ErrorText is the text of an error in the words of a minor version.
func ErrorText(err *field.Error, minor int) string {
	return err.Field + ": " + errorBody(err, minor)
}

func unique(list []error) []error {
	seen := map[string]bool{}
	var out []error
	for _, err := range list {
		if text := err.Error(); !seen[text] {
			seen[text] = true
			out = append(out, err)
		}
	}
	return out
}

// goValuesUntil is the last minor version that writes lists and objects in Go's
// syntax into errors; later ones write them as JSON.
const goValuesUntil = 33

func errorBody(err *field.Error, minor int) string {
	e := *err
	reword(&e, minor)
	if minor > goValuesUntil {
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

// goValue is a value as versions up to 1.33 write it.
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

// rewordings are details of errors that a version of the server changed, from
// the newest to the oldest.
var rewordings = []struct {
	until int // the last minor version with the old text
	now   *regexp.Regexp
	old   string
}{
	{34, regexp.MustCompile(`a valid label key must consist`), "a qualified name must consist"},
	{34, regexp.MustCompile(`(must be no more than \d+) bytes$`), "$1 characters"},
	{33, regexp.MustCompile(`^(may not be more than 1) byte$`), "$1 bytes"},
	{33, regexp.MustCompile(`^(must have at most 1) item$`), "$1 items"},
	{31, regexp.MustCompile(`^may not be more than (\d+) bytes$`), "may not be longer than $1"},
}

// subjects are the fields whose errors named them once more, up to 1.33.
var subjects = map[string]string{"message": "message", "fieldPath": "fieldPath"}

var subjectDetails = regexp.MustCompile(`^must (be non-empty if specified|not contain line breaks|be a valid path)$`)

// requiredOwnersSince is the first minor version in which an owner's field that
// is empty is a missing one, and the path of an owner has its index.
const requiredOwnersSince = 37

var ownerIndex = regexp.MustCompile(`^(metadata\.ownerReferences)\[\d+\]`)

// Reword gives errors the words, and where they changed the types, of a minor
// version. The list is changed and returned.
func Reword(list field.ErrorList, minor int) field.ErrorList {
	for _, err := range list {
		reword(err, minor)
	}
	return list
}

// reword gives an error the words of a minor version.
func reword(e *field.Error, minor int) {
	if minor < requiredOwnersSince {
		e.Field = ownerIndex.ReplaceAllString(e.Field, "$1")
	}
	if minor < requiredOwnersSince && e.Type == field.ErrorTypeRequired && strings.HasPrefix(e.Field, "metadata.ownerReferences") {
		e.Type, e.BadValue = field.ErrorTypeInvalid, ""
		if strings.HasSuffix(e.Field, ".apiVersion") {
			e.Detail = "version must not be empty"
		}
		if minor <= goValuesUntil && strings.HasSuffix(e.Field, ".kind") {
			e.Detail = "kind must not be empty"
		}
	}
	last := e.Field[strings.LastIndexByte(e.Field, '.')+1:]
	if subject := subjects[last]; subject != "" && minor <= goValuesUntil && subjectDetails.MatchString(e.Detail) {
		e.Detail = subject + " " + e.Detail
	}
	for _, r := range rewordings {
		if minor <= r.until {
			e.Detail = r.now.ReplaceAllString(e.Detail, r.old)
		}
	}
}
