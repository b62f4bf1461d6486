package webhook

import (
	"cmp"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// callError is a failure of the call itself; the failure policy decides. Code is
// what the server's metrics say of it.
type callError struct {
	webhook string
	reason  error
	code    int
}

func (e *callError) Error() string {
	return fmt.Sprintf("failed calling webhook %q: %v", e.webhook, e.reason)
}

// target is what both kinds of webhooks say about the call.
type target struct {
	name           string
	client         v1.WebhookClientConfig
	sideEffects    *v1.SideEffectClass
	timeoutSeconds int32
	versions       []string
	mutating       bool
	version        version.Version
}

// failed is an error of the call. Its code is that of the cause when this is a
// Status and nothing around one.
func (t target) failed(format string, args ...any) error {
	err, code := fmt.Errorf(format, args...), http.StatusServiceUnavailable
	if status, ok := errors.Unwrap(err).(*apierrors.StatusError); ok {
		code = int(status.ErrStatus.Code)
	}
	return &callError{t.name, err, code}
}

// unusable is an error of the webhook's configuration.
func (t target) unusable(format string, args ...any) error {
	return &callError{t.name, fmt.Errorf(format, args...), http.StatusBadRequest}
}

// prepare makes the checks before a call (semantics §8.3.1, §8.3.2) and gives
// the version of the AdmissionReview.
func (t target) prepare(dryRun bool) (string, error) {
	if dryRun {
		if t.sideEffects == nil {
			return "", t.unusable("Webhook SideEffects is nil")
		}
		if *t.sideEffects != v1.SideEffectClassNone && *t.sideEffects != v1.SideEffectClassNoneOnDryRun {
			return "", apierrors.NewBadRequest(fmt.Sprintf("admission webhook %q does not support dry run", t.name))
		}
	}
	for _, version := range t.versions {
		if version == "v1" || version == "v1beta1" {
			return version, nil
		}
	}
	return "", t.unusable("could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)")
}

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

// unknownResponses lists answers for webhooks that no configuration has.
func unknownResponses(responses Responses, names []string) []string {
	var out []string
	for name := range responses {
		if !slices.Contains(names, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
