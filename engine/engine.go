// Package engine says what the Kubernetes API server does with a request:
// which admission policies and webhooks apply, what they evaluate to and cost,
// how they change the object, and what the client gets. It does no I/O.
package engine

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/admission/validate"
	"github.com/preadmit/preadmit/engine/internal/admission/webhook"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Evaluate runs a scenario. Whatever is wrong with the texts is in the
// report's diagnostics; the error is for a Kubernetes version that the engine
// does not know and for a context that ended.
//
// What the texts gave is kept for the next evaluation (see Forget), so the
// objects in a report belong to others too: they must not be changed.
//
// Every expression is run a second time to explain its parts, unless ctx comes
// from WithoutExplanations.
func Evaluate(ctx context.Context, s scenario.Scenario) (*report.Report, error) {
	e, err := prepare(traced(ctx), s)
	if err != nil {
		return nil, err
	}
	e.evaluate()
	return e.report, context.Cause(ctx)
}

func (e *evaluation) evaluate() {
	if e.readRequest() {
		e.run()
	}
	e.findings()
	e.expression()
	e.finish()
}

// traced lets expressions be explained unless the caller does without.
func traced(ctx context.Context) context.Context {
	return eval.WithTrace(ctx, ctx.Value(unexplained{}) == nil)
}

type unexplained struct{}

// WithoutExplanations returns a context in which Evaluate leaves out the parts
// of expressions, for those who evaluate many requests and read only results.
func WithoutExplanations(ctx context.Context) context.Context {
	return context.WithValue(ctx, unexplained{}, true)
}

// evaluation is one scenario under way.
type evaluation struct {
	prepared
	chain *run.Chain
	// initial is the request as the chain received it.
	initial  run.Attributes
	policies *mutate.Plugin
	mutating *webhook.Plugin
	// afterMutation is the object at the end of the mutating phase.
	afterMutation map[string]any
}

// run takes the request through the chain (semantics §0): the mutating phase,
// twice when something asks for it, what storage changes, the validating phase.
func (e *evaluation) run() {
	e.warnOfDeprecation()
	status, step := e.mutatingPhase()
	e.afterMutation = e.chain.Attributes.Object
	if status == nil {
		e.storage()
		e.chain.Pass = 0 // there is one validating phase, whatever the mutating one took
		status, step = e.customResource()
	}
	if status == nil {
		status, step = e.plugins.Validate(e.chain)
	}
	if status == nil {
		status, step = validate.Validate(e.chain, e.validatingPolicies)
	}
	if status == nil {
		hooks := &webhook.Plugin{Hooks: e.validatingHooks, Responses: e.responses}
		status, step = hooks.Validate(e.chain)
	}
	e.outcome(status, step)
}

func (e *evaluation) mutatingPhase() (*apierrors.StatusError, int) {
	e.policies = &mutate.Plugin{Policies: e.mutatingPolicies}
	e.mutating = &webhook.Plugin{Hooks: e.mutatingHooks, Responses: e.responses}
	for pass := range 2 {
		e.chain.Pass = pass
		first := len(e.report.Steps)
		if status := e.plugins.Admit(e.chain); status != nil {
			return status, e.denying(first)
		}
		// Deletion has no object to mutate; the server does not register the
		// policies for it at all (semantics §0.2).
		if e.chain.Attributes.Operation != "DELETE" {
			if status := e.policies.Admit(e.chain); status != nil {
				return status, e.denying(first)
			}
		}
		if status := e.mutating.Admit(e.chain); status != nil {
			return status, e.denying(first)
		}
		if !e.chain.ShouldReinvoke {
			break
		}
	}
	return nil, -1
}

// denying finds the step of this pass that denied.
func (e *evaluation) denying(first int) int {
	for i := first; i < len(e.report.Steps); i++ {
		if e.report.Steps[i].Verdict == report.Deny {
			return i
		}
	}
	return -1
}

// now is the time that stored objects get.
func (p *prepared) now() string {
	if p.scenario.Now != "" {
		return p.scenario.Now
	}
	return time.Now().UTC().Format(time.RFC3339)
}
