package evaluate

import (
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/builtin"
	"github.com/preadmit/preadmit/engine/internal/kube/crash"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/policy/elsewhere"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// validateConfiguration validates a policy, binding or webhook configuration that is the
// object of the request, with the rules for those among the policies.
func (e *Evaluation) validateConfiguration() {
	a := &e.Chain.Attributes
	update := a.Operation == request.Update && a.OldObject != nil
	if !install.IsConfiguration(a.Kind) || a.SubResource != "" || !update && a.Operation != request.Create {
		return
	}
	r := install.Requested{Kind: a.Kind, Now: a.Object, Document: e.RequestedObject()}
	if update {
		r.Old = a.OldObject
	}
	verdict, err := install.Validate(r, e.Store.Environments.Within(e.Budget), e.Version)
	if err != nil {
		e.Validated.Status = apierrors.NewInternalError(err)
		return
	}
	e.Validated.Complete = true
	e.Diagnose(verdict.Diagnostics)
	errs := verdict.Errors
	if update {
		errs = append(builtin.UpdateErrors(a), errs...)
	}
	switch common := len(errs) - len(verdict.Errors); {
	case verdict.Crashes:
		e.Validated.Status = crash.Status()
	case len(errs) > 0:
		name, _, _ := unstructured.NestedString(a.Object, "metadata", "name")
		e.Validated.Status = crd.InvalidWith(a.Kind.GroupKind(), name, errs, e.Version, func(i int) (string, bool) {
			if i < common {
				return "", false
			}
			return verdict.Texts[i-common], true
		})
	default:
		for _, w := range verdict.Warnings {
			e.Chain.Warn(w)
		}
	}
}

// linkRequested takes back that a policy has no binding, or a binding no policy, where the request creates what is
// missing.
func (e *Evaluation) linkRequested() {
	a := &e.Initial
	spec := untyped.Sub(a.Object, "spec")
	var code, document string
	switch policy, isBinding := strings.CutSuffix(a.Kind.Kind, "Binding"); {
	case a.Object == nil || a.SubResource != "" || !install.IsConfiguration(a.Kind):
		return
	case isBinding:
		code, document = codes.PolicyWithoutBinding, fmt.Sprintf("%s/%v", policy, spec["policyName"])
	default:
		code = codes.BindingWithoutPolicy
	}
	bound := func(d diag.Diagnostic) bool {
		for _, b := range e.Parsed(d.Text) {
			if b.Kind+"/"+b.Name == d.Document && b.Kind == a.Kind.Kind+"Binding" {
				return untyped.Sub(b.Value, "spec")["policyName"] == a.Name
			}
		}
		return false
	}
	e.Report.Diagnostics = slices.DeleteFunc(e.Report.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Code == code && (d.Document == document || code == codes.BindingWithoutPolicy && bound(d))
	})
}

// RequestedObject is where the object of the request is in its text; nil where the text is
// not kept or is not the object's.
func (e *Evaluation) RequestedObject() *scenario.Document {
	if e.Form.text == nil {
		return nil
	}
	d, _ := e.Form.text.Document().Below(e.Form.text.ObjectPath)
	return d
}

// validateElsewhere validates the CEL of an object of the request that is not about
// admission: the device selectors of dynamic resource allocation. A rejection that there is
// already has the same errors, but not their places.
func (e *Evaluation) validateElsewhere() {
	a := &e.Chain.Attributes
	if a.Operation != request.Create || a.SubResource != "" || !elsewhere.Has(a.Kind.GroupVersion().String(), a.Kind.Kind) {
		return
	}
	d := e.RequestedObject() // which reads the text once more
	if d == nil {
		return
	}
	found, err := elsewhere.New(e.Version).Check(d, e.Scenario.Request)
	if err != nil {
		e.Validated.Status = apierrors.NewInternalError(err)
		return
	}
	e.Diagnose(found.Diagnostics)
	if len(found.Errors) > 0 && e.Validated.Status == nil {
		name, _, _ := unstructured.NestedString(a.Object, "metadata", "name")
		e.Validated.Status = crd.InvalidWith(a.Kind.GroupKind(), name, found.Errors, e.Version, func(int) (string, bool) { return "", false })
	}
}
