package evaluate

import (
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/storage"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
)

// invalidBefore reports whether the old object has all errors that the new one is rejected for, so
// that the update is not to blame: a stored object is valid, and this old object is a sketch of it.
// The objects that a search makes up are no sketches: there an invalid one proves nothing.
func (e *Evaluation) invalidBefore(status *apierrors.StatusError) bool {
	a := &e.Chain.Attributes
	if e.Once || e.Registered == nil || a.Operation != request.Update || a.OldObject == nil || status.ErrStatus.Details == nil {
		return false
	}
	s := storage.Storage{Chain: e.Chain, Now: e.Now, Changes: e.Scenario.BeforeValidation, Variant: e.variant, Registry: e.Store.Registry}
	before := s.Refusal(runtime.DeepCopyJSON(a.OldObject))
	if before == nil || before.ErrStatus.Details == nil {
		return false
	}
	old := before.ErrStatus.Details.Causes
	return !slices.ContainsFunc(status.ErrStatus.Details.Causes, func(c metav1.StatusCause) bool { return !slices.Contains(old, c) })
}

// leftAside are the errors that the old object has as well, as remarks.
func (e *Evaluation) leftAside(status *apierrors.StatusError) []diag.Diagnostic {
	list := e.invalidObject(status)
	for i := range list {
		list[i].Severity, list[i].Fixes = diag.Info, nil
		list[i].Summary = "ignored: the old object has the same error: " + list[i].Summary
		list[i].Detail = "The API server would reject this update. But a stored object is valid, so Preadmit treats both objects as drafts."
	}
	return list
}
