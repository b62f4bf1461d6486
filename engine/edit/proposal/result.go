package proposal

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/scenario"
)

// FromResult proposes policies that make after of the object that the mutating
// phase of the scenario ends with, to be put beside the scenario's policies.
func FromResult(ctx context.Context, s scenario.Scenario, after map[string]any) (_ *Result, err error) {
	defer guard.Error(&err)
	r, err := engine.Evaluate(ctx, s, engine.Options{})
	if err != nil {
		return nil, err
	}
	last := s
	if r.Input != nil && r.Mutated != nil {
		if last.Request, err = withObject(s, r.Mutated); err != nil {
			return nil, err
		}
	}
	p, err := prepare(ctx, last)
	if err != nil {
		return nil, err
	}
	if err := p.aim(after); err != nil {
		return nil, err
	}
	result := p.propose()
	for _, proposal := range []*Proposal{&result.ApplyConfiguration, &result.JSONPatch} {
		if err := p.beside(s, proposal); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// beside runs the scenario with the policy beside its own, and notes when that
// gives another object than the wanted one.
func (p *proposer) beside(s scenario.Scenario, proposal *Proposal) error {
	if !proposal.Verified || strings.TrimSpace(s.Policies) == "" {
		return nil
	}
	s.Kubernetes = p.scenario.Kubernetes
	s.Policies += "\n---\n" + proposal.Policy
	r, err := engine.Evaluate(p.ctx, s, engine.Options{})
	if err != nil {
		return err
	}
	if r.Mutated != nil && len(diff.Objects(r.Mutated, p.wanted)) > 0 {
		proposal.Notes = append(proposal.Notes, "With the scenario's other policies and webhooks, the result is another object: the order of policies is random, and another policy changes the object again.")
	}
	return nil
}

// withObject is the request text with another object.
func withObject(s scenario.Scenario, object map[string]any) (string, error) {
	catalog, err := compile.Kinds(s)
	if err != nil {
		return "", err
	}
	r, _ := request.Parse(nil, s.Request, s.Options.Request, catalog) // its problems ended the evaluation before
	if r == nil {
		return "", errors.New("the request cannot be read")
	}
	value := any(object)
	if r.ObjectPath != "" {
		whole := runtime.DeepCopyJSON(r.Document().Value)
		parent := whole
		path := strings.Split(r.ObjectPath, ".")
		for _, field := range path[:len(path)-1] {
			parent, _ = parent[field].(map[string]any)
		}
		parent[path[len(path)-1]] = object
		value = whole
	}
	raw, err := json.Marshal(value)
	return string(raw), err
}
