package webhook

import (
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
)

// mutating is one pass over the mutating webhooks. One copy of the object is
// carried along and converted to the kind of each hook (semantics §8.2).
type mutating struct {
	*run.Chain
	plugin *Plugin
	object map[string]any
	kind   schema.GroupVersionKind
	// dirty says that webhooks changed the copy and that the object of the request
	// does not have it yet.
	dirty bool
}

// Admit runs one pass of the mutating webhooks and returns the server's
// rejection, if any.
func (p *Plugin) Admit(c *run.Chain) *apierrors.StatusError {
	m := &mutating{Chain: c, plugin: p, object: c.Attributes.Object, kind: c.Attributes.Kind}
	p.reinvocation.Begin(c)
	defer func() { p.reinvocation.End(c) }()
	for i, h := range p.Hooks {
		if status := m.hook(i, h); status != nil {
			return status
		}
	}
	return m.finish()
}

func (m *mutating) hook(index int, h *Hook) *apierrors.StatusError {
	step := h.step(m.Chain, report.Mutating)
	s, status := selectHook(m.Chain, h, index, step, m.object, m.versioned)
	if s == nil {
		return status
	}
	if m.IsReinvoke() && !m.plugin.reinvocation.Due(h.uid) {
		step.Status = report.Skipped
		step.Reason = "reinvocationPolicy is Never, so it is not called in the second pass"
		if h.reinvocable {
			step.Reason = "nothing changed after it, or it was not called in the first pass, so it is not called again"
		}
		return nil
	}
	before := m.object
	changed, err := m.call(s)
	m.annotate(s, changed)
	if changed {
		m.plugin.reinvocation.Require()
		m.ShouldReinvoke = true
	}
	if h.reinvocable {
		m.plugin.reinvocation.Invoked(h.uid)
	}
	m.describe(s, before, changed)
	return m.settle(s, err)
}

func (m *mutating) describe(s *selected, before map[string]any, changed bool) {
	step := s.step
	step.Before, step.After = before, m.object
	if changed {
		step.Verdict = report.Mutate
		if !m.Evaluator.Brief() {
			step.Diff = diff.Objects(before, m.object)
		}
	} else if step.Verdict == "" && step.Called {
		step.Verdict = report.Admit
	}
}

// settle applies the failure policy to errors of the call.
func (m *mutating) settle(s *selected, err error) *apierrors.StatusError {
	return settle(m.Chain, s, err, func() string {
		return fmt.Sprintf("failed-open.mutation.webhook.admission.k8s.io/round_%d_index_%d", m.Pass, s.index)
	})
}

func (m *mutating) annotate(s *selected, changed bool) {
	value, err := json.Marshal(struct {
		Configuration string `json:"configuration"`
		Webhook       string `json:"webhook"`
		Mutated       bool   `json:"mutated"`
	}{s.configuration, s.name, changed})
	if err == nil {
		m.Annotate(fmt.Sprintf("mutation.webhook.admission.k8s.io/round_%d_index_%d", m.Pass, s.index), string(value))
	}
}

// call calls a webhook and applies its patch.
func (m *mutating) call(s *selected) (changed bool, err error) {
	response, err := m.plugin.call(m.Chain, s)
	if err != nil || response == nil || len(response.Patch) == 0 {
		return false, err
	}
	patch, err := jsonpatch.DecodePatch(response.Patch)
	switch {
	case err != nil && !m.Version.Has(version.UndecodablePatchFails):
		return false, apierrors.NewInternalError(err)
	case err != nil:
		return false, s.failed("received undecodable patch in webhook response: %w", err)
	}
	if len(patch) == 0 {
		return false, nil
	}
	if m.object == nil {
		return false, apierrors.NewInternalError(fmt.Errorf("admission webhook %q attempted to modify the object, which is not supported for this operation", s.name))
	}
	if t := *response.PatchType; t != admissionv1.PatchTypeJSONPatch {
		return false, &callError{s.name, fmt.Errorf("unsupported patch type %q", t), int(rejection(s.name, response.Result).ErrStatus.Code)}
	}
	return m.apply(s, patch)
}

// apply patches the object. Its errors are the server's own, whatever the
// failure policy is.
func (m *mutating) apply(s *selected, patch jsonpatch.Patch) (bool, error) {
	before, err := json.Marshal(m.object)
	if err != nil {
		return false, apierrors.NewInternalError(err)
	}
	after, err := m.ApplyPatch(s.step, patch, before)
	switch {
	case m.Panic != "":
		return false, err
	case err != nil:
		return false, apierrors.NewInternalError(err)
	}
	object, err := m.decode(s.kind, after)
	if err != nil {
		return false, apierrors.NewInternalError(err)
	}
	changed := m.Precise || !m.Catalog.SemanticEqual(s.kind, m.object, object)
	m.object, m.dirty = m.Catalog.DefaultPatched(s.kind, object), true
	m.Precise = false
	return changed, nil
}
