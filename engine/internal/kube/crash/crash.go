// Package crash has the API server's answer to a request during which it crashes. Some expressions
// cause this, because cel-go panics when it checks them. The server continues with the
// next request and stores nothing of this one.
package crash

import (
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Answer is what the server writes, as plain text and with 500, in the words of
// k8s.io/apiserver/pkg/server/filters. It says nothing about the field.
const Answer = "This request caused apiserver to panic. Look in the logs for details."

// Reason is what clients take for the reason of an answer with 500 that has none.
const Reason = metav1.StatusReasonInternalError

// Detail says what happens, for diagnostics.
const Detail = "It answers 500: " + Answer

// origin marks the errors of this package among those of a field.
const origin = "crash"

// Error is the error of a field at which the server crashes. It is ours: the server gets no
// further.
func Error(path *field.Path, detail string) *field.Error {
	return field.InternalError(path, errors.New(detail)).WithOrigin(origin)
}

// Is reports whether the server crashes at a field.
func Is(err *field.Error) bool { return err.Origin == origin }

// Status is the answer.
func Status() *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Reason: Reason, Message: Answer,
	}}
}
