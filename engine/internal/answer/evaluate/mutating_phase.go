package evaluate

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/report"
)

// mutated takes the request to the end of the mutating phase.
func (e *Evaluation) mutated() (*apierrors.StatusError, *report.Step) {
	status, step := e.authorize()
	if status == nil {
		e.warnOfReading()
		status, step = e.precondition()
	}
	if status == nil && !e.Deleted {
		status, step = e.mutatingPhase()
	}
	e.afterMutation = e.Chain.Attributes.Object
	return status, step
}

// mutatingPhase runs the plugins, policies and webhooks that may change the object, and once more what a
// later change concerns (semantics §6.7).
func (e *Evaluation) mutatingPhase() (*apierrors.StatusError, *report.Step) {
	e.policies = &mutate.Plugin{Policies: e.MutatingPolicies}
	e.mutating = &webhook.Plugin{Hooks: e.MutatingHooks, Responses: e.responses}
	for pass := range 2 {
		e.Chain.Pass = pass
		first := len(e.Chain.Steps())
		if status := e.builtin.Admit(e.Chain); status != nil {
			return status, e.denying(first)
		}
		if pass == 0 {
			e.Report.Input = e.Chain.Attributes.Object
		}
		// Deletion has no object to mutate; the server does not register the
		// policies for it at all (semantics §0.2).
		if e.Chain.Attributes.Operation != request.Delete {
			if status := e.policies.Admit(e.Chain); status != nil {
				return status, e.denying(first)
			}
		}
		if status := e.mutating.Admit(e.Chain); status != nil {
			return status, e.denying(first)
		}
		if !e.Chain.ShouldReinvoke {
			break
		}
	}
	return nil, nil
}

// denying finds the step of this pass that denied.
func (e *Evaluation) denying(first int) *report.Step {
	for _, s := range e.Chain.Steps()[first:] {
		if s.Verdict == report.Deny {
			return s
		}
	}
	return nil
}
