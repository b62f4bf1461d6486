// Package proposal derives a policy from a result: it finds expressions
// that change one object into another, and tries them. It does so for
// a manual change, for a webhook's patch, and for a webhook in the scenario,
// which is KEP-3962's migration from a webhook to a MutatingAdmissionPolicy.
package proposal

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Result is what can be proposed for one change.
type Result struct {
	// Kubernetes is the version for which it is proposed.
	Kubernetes string `json:"kubernetes"`
	// Changes is the change itself, in the object as policies see it.
	Changes            []report.PatchOperation `json:"changes"`
	ApplyConfiguration Proposal                `json:"applyConfiguration"`
	// JSONPatch is written for all objects like this one: it makes the parents
	// that may be missing and finds list items by name.
	JSONPatch Proposal `json:"jsonPatch"`
	// Literal is a webhook's patch, operation by operation; only for FromPatch.
	Literal *Proposal `json:"literal,omitempty"`
	// Recommended is the patch type of the better proposal: ApplyConfiguration
	// where it can express the change, because it does not depend on what is
	// there. Empty when none works.
	Recommended string `json:"recommended,omitempty"`
	// Place is the webhook's configuration in the policies text, where the policy
	// can take its place; only for FromWebhook.
	Place *diag.Span `json:"place,omitempty"`
	// FinalState is the policy that rejects objects in which the change has not been
	// made; nil when there is no recommended mutation, or nothing to ask for.
	FinalState *FinalState `json:"finalState,omitempty"`
	// Notes say what was left out of the change, one sentence each.
	Notes []string `json:"notes,omitempty"`
}

// Proposal is one expression and what trying it out gave.
type Proposal struct {
	PatchType string `json:"patchType"`
	// Verified says that the engine ran the policy and got the wanted object.
	Verified   bool   `json:"verified"`
	Expression string `json:"expression,omitempty"`
	// Policy is the policy with its binding, as YAML.
	Policy string `json:"policy,omitempty"`
	// Reasons say why this patch type cannot express the change, or what went
	// wrong when it was tried.
	Reasons []string `json:"reasons,omitempty"`
	// Remaining is what still differs from the wanted object.
	Remaining []report.PatchOperation `json:"remaining,omitempty"`
	// Notes say what to know before using it.
	Notes []string `json:"notes,omitempty"`
}

// FromObjects proposes policies that make after of the object of the scenario's
// request. The scenario's policies take no part. The error says what is wrong
// with the input.
func FromObjects(ctx context.Context, s scenario.Scenario, after map[string]any) (_ *Result, err error) {
	defer guard.Error(&err)
	p, err := prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := p.aim(p.seen(after)); err != nil {
		return nil, err
	}
	return p.propose(), nil
}

// FromPatch proposes policies that do what an RFC 6902 patch does, such as that
// of a webhook's answer (see ReadPatch).
func FromPatch(ctx context.Context, s scenario.Scenario, patch []byte) (_ *Result, err error) {
	defer guard.Error(&err)
	p, err := prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	after, operations, err := applied(p.before, patch)
	if err != nil {
		return nil, err
	}
	if err := p.aim(after); err != nil {
		return nil, err
	}
	result := p.propose()
	literal := Proposal{PatchType: jsonPatchType}
	p.try(&literal, operations.expression(p.kindType))
	literal.Notes = append(literal.Notes, operations.notes()...)
	result.Literal = &literal
	if result.Recommended == "" && literal.Verified && len(result.Changes) > 0 {
		result.Recommended = jsonPatchType
		result.FinalState = p.finalState(literal.Policy)
	}
	return result, nil
}

// The patch types.
const (
	applyType     = "ApplyConfiguration"
	jsonPatchType = "JSONPatch"
)

const exactlyThis = "It works for exactly this object: other objects may lack the fields that it changes."

// proposer holds one change.
type proposer struct {
	ctx      context.Context
	scenario scenario.Scenario
	version  version.Version // of the scenario
	catalog  *catalog.Catalog
	request  *report.Request
	kind     schema.GroupVersionKind
	kindType *catalog.Type // nil for an unknown kind

	// before is the object as policies see it, wanted what is to come out, and
	// target a smaller form of wanted: without what the server fills in.
	before, wanted, target map[string]any
	notes                  []string
	frame                  frame
}

func prepare(ctx context.Context, s scenario.Scenario) (*proposer, error) {
	name := uniqueName(s.Policies, proposedName)
	s.Policies, s.Expression = "", ""
	v, err := version.OrDefault(s.Kubernetes)
	if err != nil {
		return nil, err
	}
	p := &proposer{ctx: ctx, scenario: s, version: v}
	if version.NewestAPI("MutatingAdmissionPolicy", v) == "" {
		p.version = version.Default()
		p.notes = append(p.notes, fmt.Sprintf("Kubernetes %s has no MutatingAdmissionPolicy; the proposal is for %s.", v, p.version))
	}
	p.scenario.Kubernetes = p.version.String()
	r, err := engine.Evaluate(ctx, p.scenario, engine.Options{})
	if err != nil {
		return nil, err
	}
	if r.Request == nil || r.Input == nil {
		return nil, errors.New("the request has no object that a policy could change: " + firstProblem(r))
	}
	if r.Request.Operation == "DELETE" {
		return nil, errors.New("MutatingAdmissionPolicies do not apply to DELETE")
	}
	p.request, p.before = r.Request, r.Input
	p.kind = schema.FromAPIVersionAndKind(untyped.At[string](p.before, "apiVersion"), untyped.At[string](p.before, "kind"))
	if p.catalog, err = compile.Kinds(p.scenario); err != nil {
		return nil, err
	}
	p.kindType, _ = p.catalog.TypeOf(p.kind)
	p.frame = requestFrame(name, p.request)
	return p, nil
}

func firstProblem(r *report.Report) string {
	for _, d := range r.Diagnostics {
		return d.Summary
	}
	return "the request is empty"
}

// propose generates and tries all proposals.
func (p *proposer) propose() *Result {
	out := &Result{Kubernetes: p.scenario.Kubernetes, Changes: diff.Objects(p.before, p.wanted), Notes: p.notes,
		ApplyConfiguration: Proposal{PatchType: applyType}, JSONPatch: Proposal{PatchType: jsonPatchType}}
	if len(out.Changes) == 0 {
		out.Notes = append(out.Notes, "Both objects are the same to the server.")
		return out
	}
	expression, reasons, notes := applyConfiguration(p.kindType, p.before, p.target)
	out.ApplyConfiguration.Reasons, out.ApplyConfiguration.Notes = reasons, notes
	if len(reasons) == 0 {
		p.try(&out.ApplyConfiguration, expression)
	}
	p.try(&out.JSONPatch, jsonPatch(p.kindType, p.before, p.target))
	if !out.JSONPatch.Verified {
		plain := Proposal{PatchType: jsonPatchType, Notes: []string{exactlyThis}}
		p.try(&plain, literalPatch(diff.Objects(p.before, p.target)).expression(p.kindType))
		if plain.Verified {
			out.JSONPatch = plain
		}
	}
	for _, candidate := range []Proposal{out.ApplyConfiguration, out.JSONPatch} {
		if candidate.Verified {
			out.Recommended = candidate.PatchType
			out.FinalState = p.finalState(candidate.Policy)
			break
		}
	}
	return out
}

// try runs a policy with the expression on the request.
func (p *proposer) try(out *Proposal, expression string) {
	out.Expression = expression
	out.Policy = p.policy(out.PatchType, expression)
	s := p.scenario
	s.Policies = out.Policy
	r, err := engine.Evaluate(p.ctx, s, engine.Options{Safety: true})
	if err != nil {
		out.Reasons = append(out.Reasons, err.Error())
		return
	}
	for _, in := range r.Install {
		if in.Code != 0 {
			out.Reasons = append(out.Reasons, in.Message)
		}
	}
	for _, step := range r.Steps {
		switch {
		case step.Kind != mutate.Kind || step.Pass > 0:
		case step.Error != "":
			out.Reasons = append(out.Reasons, step.Error)
		case step.Status != report.Evaluated:
			out.Reasons = append(out.Reasons, "the policy does not run: "+step.Reason)
		default:
			out.Remaining = diff.Objects(step.After, p.wanted)
			out.Verified = len(out.Remaining) == 0
		}
	}
	if !out.Verified && len(out.Reasons) == 0 && len(out.Remaining) > 0 {
		out.Reasons = append(out.Reasons, "the result is another object; the remaining changes are listed")
	}
	for _, f := range r.Findings {
		if f.Code == codes.NotIdempotent {
			out.Notes = append(out.Notes, "The "+f.Summary+", which matters when it runs twice, and for later updates.")
		}
	}
}

// complete is an object in the form that the server gives it.
func (p *proposer) complete(object map[string]any) map[string]any {
	normal, _ := p.catalog.Normalise(p.kind, object)
	if normal == nil {
		normal = object
	}
	return p.catalog.Default(p.kind, runtime.DeepCopyJSON(normal))
}
