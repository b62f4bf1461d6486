package webhook

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// Validate runs the validating webhooks and returns the server's rejection, if
// any, and its step. The server calls all selected webhooks at
// once and answers with the first error that arrives; ours is the first in the
// list.
func (p *Plugin) Validate(c *run.Chain) (*apierrors.StatusError, *report.Step) {
	versioned := func(kind schema.GroupVersionKind) (map[string]any, error) {
		return c.Versioned(c.Attributes.Object, kind)
	}
	var relevant []*selected
	for _, h := range p.Hooks {
		step := h.step(c, report.Validating)
		s, status := selectHook(c, h, len(relevant), step, c.Attributes.Object, versioned)
		if status != nil {
			notCalled(c, relevant)
			return status, step
		}
		if s != nil {
			relevant = append(relevant, s)
		}
	}
	var first *apierrors.StatusError
	var decided *report.Step
	for _, s := range relevant {
		_, err := p.call(c, s)
		step := s.step
		if err == nil && step.Verdict == "" {
			step.Verdict = report.Admit
		}
		status := settle(c, s, err, func() string {
			return fmt.Sprintf("failed-open.validating.webhook.admission.k8s.io/round_0_index_%d", s.index)
		})
		switch {
		case status == nil:
		case first == nil:
			first, decided = status, s.step
		default:
			decided.Notes = append(decided.Notes, report.Note{Code: codes.FirstErrorWins,
				Text: "Another validating webhook rejects the request too. They are called at the same time, and the client gets the answer that arrives first."})
		}
	}
	return first, decided
}

// notCalled marks the webhooks that were selected when the selection of a later
// one ended the request.
func notCalled(c *run.Chain, list []*selected) {
	for _, s := range list {
		step := s.step
		step.Status = report.NotCalled
		step.Reason += "; a later webhook ended the request before any was called"
	}
}
