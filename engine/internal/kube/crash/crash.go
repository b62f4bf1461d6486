// Package crash has the API server's response to a request that makes it panic. Some expressions
// cause this, because cel-go panics when it checks them. The server continues with the next request
// and stores nothing of this one.
package crash

import (
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Answer is the server's plain-text response with status 500, in the words of
// k8s.io/apiserver/pkg/server/filters. It does not name the field.
const Answer = "This request caused apiserver to panic. Look in the logs for details."

// Reason is the reason that clients assume for a 500 response without one.
const Reason = metav1.StatusReasonInternalError

// Detail explains the crash in diagnostics.
const Detail = "It answers 500: " + Answer

// origin marks this package's errors among a field's errors.
const origin = "crash"

// Error returns the error for a field that crashes the server. The error is ours; the server does
// not get that far.
func Error(path *field.Path, detail string) *field.Error {
	return field.InternalError(path, errors.New(detail)).WithOrigin(origin)
}

// Is reports whether a field crashes the server.
func Is(err *field.Error) bool { return err.Origin == origin }

// Status is the server's response.
func Status() *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Reason: Reason, Message: Answer,
	}}
}
