// Package wording gives the errors of the newest release's validation the words of an older one.
package wording

import (
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// Body returns an error's text without its field, in a release's words (field.Error.ErrorBody).
func Body(err *field.Error, v version.Version) string {
	e := *err
	Reword(&e, v)
	return body(&e, v)
}

// body is Body for an error that has the release's words already: what is left are its values.
func body(e *field.Error, v version.Version) string {
	if v.Has(version.JSONLists) {
		return e.ErrorBody()
	}
	text := e.Type.String()
	switch e.Type {
	case field.ErrorTypeRequired, field.ErrorTypeForbidden, field.ErrorTypeTooLong, field.ErrorTypeInternal:
	default:
		if reflect.TypeOf(e.BadValue) != reflect.TypeFor[field.OmitValueType]() {
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
	with  version.Behaviour // has the current text
	field string            // the end of the field's path; empty for all fields
	now   *lazy.Regexp
	old   string
}{
	{version.LabelKeysInErrors, "", &lazy.Regexp{Text: `a valid label key must consist`}, "a qualified name must consist"},
	{version.LabelKeysInErrors, "", &lazy.Regexp{Text: `(must be no more than \d+) bytes$`}, "$1 characters"},
	{version.SingularLimits, "", &lazy.Regexp{Text: `^(may not be more than 1) byte$`}, "$1 bytes"},
	{version.SingularLimits, "", &lazy.Regexp{Text: `^(must have at most 1) item$`}, "$1 items"},
	{version.ByteLimits, "metadata.annotations", &lazy.Regexp{Text: `^may not be more than (\d+ bytes)$`}, "must have at most $1"},
	{version.ByteLimits, "", &lazy.Regexp{Text: `^may not be more than (\d+) bytes$`}, "may not be longer than $1"},
}

// subjects are the fields whose errors repeated the field's name, without version.ShortFieldErrors.
var subjects = map[string]string{"message": "message", "fieldPath": "fieldPath"}

var subjectDetails = lazy.Regexp{Text: `^must (be non-empty if specified|not contain line breaks|be a valid path)$`}

// ownerIndex matches the path of an owner reference, in the object or an embedded one.
var ownerIndex = lazy.Regexp{Text: `((?:^|\.)metadata\.ownerReferences)\[\d+\]`}

// Reword gives an error a version's wording and, where it changed, type. Errors about anything
// but metadata of built-in kinds are for [Errors].
func Reword(e *field.Error, v version.Version) {
	last := e.Field[strings.LastIndexByte(e.Field, '.')+1:]
	if !v.Has(version.OwnerReferenceIndex) && ownerIndex.MatchString(e.Field) {
		e.Field = ownerIndex.ReplaceAllString(e.Field, "$1")
		owner(e, last, v)
	}
	if subject := subjects[last]; subject != "" && !v.Has(version.ShortFieldErrors) && subjectDetails.MatchString(e.Detail) {
		e.Detail = subject + " " + e.Detail
	}
	for _, r := range rewordings {
		if !v.Has(r.with) && strings.HasSuffix(e.Field, r.field) {
			e.Detail = r.now.ReplaceAllString(e.Detail, r.old)
		}
	}
}

// owner gives an error about a part of an owner reference the words from before
// version.OwnerReferenceIndex.
func owner(e *field.Error, last string, v version.Version) {
	if last == "apiVersion" && (e.Type == field.ErrorTypeRequired || e.Detail == "must be <group>/<version> or <version>") {
		if e.Type == field.ErrorTypeRequired {
			e.BadValue = ""
		}
		e.Type, e.Detail = field.ErrorTypeInvalid, "version must not be empty"
		return
	}
	if e.Type != field.ErrorTypeRequired {
		return
	}
	e.Type, e.BadValue = field.ErrorTypeInvalid, ""
	if !v.Has(version.ShortFieldErrors) {
		e.Detail = last + " " + e.Detail
	}
}
