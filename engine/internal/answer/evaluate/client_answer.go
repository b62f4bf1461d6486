package evaluate

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/storage"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/report"
)

// outcome writes the answer that the client gets, and the steps that led to it.
// step is the one that denied.
func (e *Evaluation) outcome(status *apierrors.StatusError, step *report.Step) {
	e.Report.Steps = e.Chain.Reported()
	o := &e.Report.Outcome
	o.Allowed, o.DecidedBy, o.Panic = status == nil, e.Chain.Index(step), e.Chain.Panic != ""
	o.Warnings, o.AuditAnnotations = e.Chain.Warnings(), e.Chain.AuditAnnotations()
	if status != nil {
		e.refuse(status)
	} else {
		o.Code = http.StatusOK
		if e.Chain.Attributes.Operation == "CREATE" {
			o.Code = http.StatusCreated
		}
	}
	// The object is shown as the client gets it, or, when the request was rejected, as the
	// phase before left it. The patch has what policies and webhooks changed, not what
	// storage adds.
	a := &e.Chain.Attributes
	e.Report.Object = a.Object
	if o.Allowed && (a.Operation == "CREATE" || a.Operation == "UPDATE") && !e.AdmissionOnly() {
		e.Report.Object = (&storage.Storage{Chain: e.Chain}).Answered()
	}
	e.Report.Mutated = e.afterMutation
	if e.afterMutation != nil {
		if e.Options.Brief {
			o.Mutated = e.Report.Input != nil && !diff.Equal(e.Report.Input, e.afterMutation)
			return
		}
		o.Patch = diff.Objects(e.Report.Input, e.afterMutation)
		o.Mutated = len(o.Patch) > 0
	}
}

// refuse writes a rejection.
func (e *Evaluation) refuse(status *apierrors.StatusError) {
	o, s := &e.Report.Outcome, status.ErrStatus
	o.Code, o.Reason, o.Message = int(s.Code), string(s.Reason), s.Message
	if s.Details != nil {
		for _, c := range s.Details.Causes {
			o.Causes = append(o.Causes, c.Message)
			o.CauseFields = append(o.CauseFields, optional(c.Field))
		}
		if about := (report.Details{Name: s.Details.Name, Group: s.Details.Group, Kind: s.Details.Kind, UID: string(s.Details.UID)}); about != (report.Details{}) {
			o.Details = &about
		}
	}
}

// optional is nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Diagnose adds problems to the report.
func (e *Evaluation) Diagnose(list []diag.Diagnostic) {
	e.Report.Diagnostics = append(e.Report.Diagnostics, list...)
}
