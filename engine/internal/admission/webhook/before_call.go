package webhook

import (
	"errors"
	"fmt"
	"net/http"

	v1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/internal/version"
)

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
