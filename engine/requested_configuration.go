package engine

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/preadmit/preadmit/engine/internal/admission/builtin"
	"github.com/preadmit/preadmit/engine/internal/kube/crash"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/scenario"
)

// validateConfiguration validates a policy, binding or webhook configuration that is the
// object of the request, with the rules for those among the policies.
func (e *evaluation) validateConfiguration() {
	a := &e.chain.Attributes
	update := a.Operation == request.Update && a.OldObject != nil
	if !install.IsConfiguration(a.Kind) || a.SubResource != "" || !update && a.Operation != request.Create {
		return
	}
	r := install.Requested{Kind: a.Kind, Now: a.Object, Document: e.requestedObject()}
	if update {
		r.Old = a.OldObject
	}
	verdict, err := install.Validate(r, e.engine.environments.Within(e.budget), e.version)
	if err != nil {
		e.validated.Status = apierrors.NewInternalError(err)
		return
	}
	e.validated.Complete = true
	e.diagnose(verdict.Diagnostics)
	errs := verdict.Errors
	if update {
		errs = append(builtin.UpdateErrors(a), errs...)
	}
	switch common := len(errs) - len(verdict.Errors); {
	case verdict.Crashes:
		e.validated.Status = crash.Status()
	case len(errs) > 0:
		name, _, _ := unstructured.NestedString(a.Object, "metadata", "name")
		e.validated.Status = crd.InvalidWith(a.Kind.GroupKind(), name, errs, e.version, func(i int) (string, bool) {
			if i < common {
				return "", false
			}
			return verdict.Texts[i-common], true
		})
	default:
		for _, w := range verdict.Warnings {
			e.chain.Warn(w)
		}
	}
}

// requestedObject is where the object of the request is in its text; nil where the text is
// not kept or is not the object's.
func (e *evaluation) requestedObject() *scenario.Document {
	if e.form.text == nil {
		return nil
	}
	d, _ := e.form.text.Document().Below(e.form.text.ObjectPath)
	return d
}
