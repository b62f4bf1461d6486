package webhook

import (
	"cmp"
	"fmt"
	"mime"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// answer reads the webhook's answer as the server reads it, up to the verdict.
func (t target) answer(r Response, version string) (*admissionv1.AdmissionResponse, error) {
	if r.Timeout || r.DelaySeconds > float64(t.timeoutSeconds) {
		return nil, t.failed("failed to call webhook: Post %q: context deadline exceeded", t.url())
	}
	data, err := r.bytes(version)
	if err != nil {
		return nil, t.failed("failed to call webhook: %w", err)
	}
	contentType := r.contentType()
	if _, _, err := mime.ParseMediaType(contentType); contentType != "" && err != nil {
		return nil, t.failed("failed to call webhook: %w", apierrors.NewInternalError(err))
	}
	code := r.status()
	if code < http.StatusOK || code > http.StatusPartialContent {
		return nil, t.failed("failed to call webhook: %w", httpError(code, data, isText(contentType)))
	}
	if len(data) == 0 {
		return nil, t.failed("failed to call webhook: 0-length response with status code: %d and content type: %s", code, cmp.Or(contentType, "application/json"))
	}
	review, err := t.decode(data, version)
	if err != nil {
		return nil, t.failed("failed to call webhook: %w", err)
	}
	response, err := t.verify(review)
	if err != nil {
		return nil, t.failed("received invalid webhook response: %w", err)
	}
	return response, nil
}

// rejectedError is the answer of a webhook that does not allow the request.
type rejectedError struct{ status *apierrors.StatusError }

func (e *rejectedError) Error() string { return e.status.Error() }

func (e *rejectedError) Unwrap() error { return e.status }

// rejection is the server's answer to a client whose request a webhook does not
// allow (semantics §8.3.6).
func rejection(name string, given *metav1.Status) *apierrors.StatusError {
	status := metav1.Status{}
	if given != nil {
		status = *given.DeepCopy()
	}
	if status.Code < http.StatusBadRequest {
		status.Code = http.StatusBadRequest
	}
	if status.Status == "" || status.Status == metav1.StatusSuccess {
		status.Status = metav1.StatusFailure
	}
	denied := fmt.Sprintf("admission webhook %q denied the request", name)
	switch {
	case status.Message != "":
		status.Message = denied + ": " + status.Message
	case status.Reason != "":
		status.Message = denied + ": " + string(status.Reason)
	default:
		status.Message = denied + " without explanation"
	}
	return &apierrors.StatusError{ErrStatus: status}
}
