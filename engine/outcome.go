package engine

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/report"
)

// outcome writes the answer that the client gets. step is the index of the
// step that denied.
func (e *evaluation) outcome(status *apierrors.StatusError, step int) {
	o := &e.report.Outcome
	o.Allowed, o.DecidedBy, o.Panic = status == nil, step, e.chain.Panic != ""
	o.Warnings, o.AuditAnnotations = e.chain.Warnings(), e.chain.AuditAnnotations()
	if status != nil {
		e.refuse(status)
	} else {
		o.Code = http.StatusOK
		if e.chain.Attributes.Operation == "CREATE" {
			o.Code = http.StatusCreated
		}
	}
	// The object is shown as the validating phase sees it, or, when it did not
	// get there, as the mutating phase left it. The patch has what policies and
	// webhooks changed, not what storage adds.
	e.report.Object = e.chain.Attributes.Object
	e.report.Mutated = e.afterMutation
	if e.afterMutation != nil {
		o.Patch = diff.Objects(e.report.Input, e.afterMutation)
		o.Mutated = len(o.Patch) > 0
	}
}

// refuse writes a rejection.
func (e *evaluation) refuse(status *apierrors.StatusError) {
	o, s := &e.report.Outcome, status.ErrStatus
	o.Code, o.Reason, o.Message = int(s.Code), string(s.Reason), s.Message
	if s.Details != nil {
		for _, c := range s.Details.Causes {
			o.Causes = append(o.Causes, c.Message)
			o.CauseFields = append(o.CauseFields, optional(c.Field))
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

// finish puts the report into its final form.
func (e *evaluation) finish() {
	texts := map[diag.Text]string{
		diag.Policies:   e.scenario.Policies,
		diag.Request:    e.scenario.Request,
		diag.Cluster:    e.scenario.Cluster,
		diag.Expression: e.scenario.Expression,
	}
	explain.Report(e.report, texts)
	diag.Sort(e.report.Diagnostics)
	diag.Locate(e.report.Diagnostics, texts)
	e.callBudgets()
}

// callBudgets reports the most expensive single call of each step against the
// limit of a call.
func (e *evaluation) callBudgets() {
	for i := range e.report.Steps {
		s := &e.report.Steps[i]
		var most *report.Evaluation
		s.Evaluations(func(ev *report.Evaluation) {
			if ev.Evaluated && (most == nil || ev.Cost > most.Cost) {
				most = ev
			}
		})
		if most != nil {
			e.chain.AddBudget(report.Budget{Scope: "call", Limit: perCallLimit, Used: most.Cost, Exceeded: most.Cost > perCallLimit, Step: i, Policy: s.Policy, Name: most.Name})
		}
	}
}
