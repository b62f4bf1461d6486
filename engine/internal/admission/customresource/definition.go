package customresource

import (
	"encoding/json"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/policy/definition"
	"github.com/preadmit/preadmit/engine/report"
)

// ValidateDefinition does to a CustomResourceDefinition that a request creates or
// changes what the server does after the mutating phase: it sets the stored
// versions, checks the definition, and warns. It returns the server's rejection, or
// nil, and the step.
func ValidateDefinition(c *run.Chain) (*apierrors.StatusError, *report.Step) {
	a := &c.Attributes
	step := c.AddStep(report.Step{Phase: report.Validating, Kind: crd.Kind, Policy: untyped.At[string](a.Object, "metadata", "name"), Status: report.Evaluated, Verdict: report.Admit, Reason: "The definition is valid."})
	c.Enter(step)
	d, err := crd.Decode(a.Object)
	if err != nil {
		return refused(step, apierrors.NewBadRequest(err.Error())), step
	}
	var old *crd.Definition
	var errs field.ErrorList
	if a.OldObject == nil {
		d.PrepareForCreate(c.Version)
		errs = definition.Validate(c.Evaluator.Context(), d, c.Expressions)
	} else {
		if old, err = crd.Decode(a.OldObject); err != nil {
			return refused(step, apierrors.NewBadRequest(err.Error())), step
		}
		d.PrepareForUpdate(old, c.Version)
		errs = definition.ValidateUpdate(c.Evaluator.Context(), d, old, c.Expressions)
	}
	if status := invalid(c, step, d, errs); status != nil {
		return status, step
	}
	if a.Object, err = canonical(d, a.Object); err != nil {
		return refused(step, apierrors.NewInternalError(err)), step
	}
	for _, warning := range d.Warnings(old, c.Version) {
		step.Warnings = append(step.Warnings, warning)
		c.Warn(warning)
	}
	return nil, step
}

// ValidateDefinitionStatus checks the status of a CustomResourceDefinition, and its metadata, which an
// update of the status writes too.
func ValidateDefinitionStatus(c *run.Chain) (*apierrors.StatusError, *report.Step) {
	a := &c.Attributes
	step := c.AddStep(report.Step{Phase: report.Validating, Kind: crd.Kind, Policy: a.Name, Status: report.Evaluated, Verdict: report.Admit, Reason: "The definition's status is valid."})
	c.Enter(step)
	d, err := crd.Decode(a.Object)
	if err != nil {
		return refused(step, apierrors.NewBadRequest(err.Error())), step
	}
	old, err := crd.Decode(a.OldObject)
	if err != nil {
		return refused(step, apierrors.NewBadRequest(err.Error())), step
	}
	d.PrepareForStatusUpdate(old)
	return invalid(c, step, d, definition.ValidateStatus(d, old, c.Version)), step
}

// invalid rejects a definition with errors, if there are any.
func invalid(c *run.Chain, step *report.Step, d *crd.Definition, errs field.ErrorList) *apierrors.StatusError {
	if len(errs) == 0 {
		return nil
	}
	step.Reason = report.Plural(len(errs), "error") + " of the definition."
	for _, err := range errs {
		step.Messages = append(step.Messages, crd.ErrorText(err, c.Version))
	}
	return refused(step, crd.Invalid(crd.GroupKind, d.Name, errs, c.Version))
}

func refused(step *report.Step, status *apierrors.StatusError) *apierrors.StatusError {
	step.Verdict = report.Deny
	if len(step.Messages) == 0 {
		step.Messages = []string{status.ErrStatus.Message}
	}
	return status
}

// canonical is the object of a definition as it is read from storage: its spec and
// status went through the internal version.
func canonical(d *crd.Definition, object map[string]any) (map[string]any, error) {
	versioned := &v1.CustomResourceDefinition{}
	if err := v1.Convert_apiextensions_CustomResourceDefinition_To_v1_CustomResourceDefinition(d.CustomResourceDefinition, versioned, nil); err != nil {
		return nil, err
	}
	data, err := json.Marshal(versioned)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &out); err != nil {
		return nil, err
	}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		out[name] = object[name]
	}
	return out, nil
}
