package proposal

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

const webhookKind = "MutatingWebhookConfiguration"

// FromWebhook proposes policies that do what a mutating webhook of the scenario
// did to the request, with the webhook's own rules, selectors, conditions and
// failure policy: the migration that KEP-3962 describes. The change is tried
// out on the object as the webhook got it. An empty configuration stands for
// any that has a webhook of this name.
func FromWebhook(ctx context.Context, s scenario.Scenario, configuration, webhook string) (_ *Result, err error) {
	defer guard.Error(&err)
	r, err := engine.Evaluate(ctx, s, engine.Options{})
	if err != nil {
		return nil, err
	}
	step, err := webhookStep(r, configuration, webhook)
	if err != nil {
		return nil, err
	}
	document, path := hookPlace(s, step)
	if document == nil {
		return nil, fmt.Errorf("the policies have no webhook %s in %s", webhook, step.Configuration)
	}
	before := s
	if before.Request, err = withObject(s, step.Before); err != nil {
		return nil, err
	}
	p, err := prepare(ctx, before)
	if err != nil {
		return nil, err
	}
	if p.frame, err = frameOf(fieldpath.As[map[string]any](fieldpath.Parse(path).Get(document.Value)), uniqueName(s.Policies, policyName(webhook))); err != nil {
		return nil, err
	}
	if err := p.aim(step.After); err != nil {
		return nil, err
	}
	p.notes = append(p.notes, "It is based on one answer. Only the webhook's code says what it answers for other objects.")
	result := p.propose()
	for _, proposal := range []*Proposal{&result.ApplyConfiguration, &result.JSONPatch} {
		if err := replaceWebhook(p.ctx, s, step, r.Mutated, proposal); err != nil {
			return nil, err
		}
	}
	result.Place = onlyWebhook(s, step)
	return result, nil
}

// replaceWebhook runs the scenario with the policy in the place of the webhook,
// and notes whether the mutating phase then ends with the given object: policies
// run before all webhooks. What storage adds, such as the time, is not compared.
func replaceWebhook(ctx context.Context, s scenario.Scenario, step *report.Step, want map[string]any, proposal *Proposal) error {
	if !proposal.Verified || want == nil {
		return nil
	}
	rest, err := withoutWebhook(s, step)
	if err != nil {
		return err
	}
	s.Policies = rest + proposal.Policy
	r, err := engine.Evaluate(ctx, s, engine.Options{})
	if err != nil {
		return err
	}
	if len(diff.Objects(r.Mutated, want)) == 0 {
		proposal.Notes = append(proposal.Notes, "Instead of the webhook, it produces the same object for this request.")
		return nil
	}
	proposal.Notes = append(proposal.Notes, "Instead of the webhook, it produces a different object for this request. Policies run before webhooks, so changes from before the webhook now happen after the policy.")
	return nil
}

// withoutWebhook is the policies text without the webhook of a step.
func withoutWebhook(s scenario.Scenario, step *report.Step) (string, error) {
	docs, _ := scenario.ParseDocuments(diag.Policies, s.Policies) // its problems are in the report
	var b strings.Builder
	for _, d := range docs {
		raw := d.JSON()
		if d.Kind == webhookKind && d.Name == step.Configuration {
			value := runtime.DeepCopyJSON(d.Value)
			hooks, _ := value["webhooks"].([]any)
			value["webhooks"] = slices.DeleteFunc(hooks, func(h any) bool { return nameOf(h) == step.Webhook })
			var err error
			if raw, err = json.Marshal(value); err != nil {
				return "", err
			}
		}
		fmt.Fprintf(&b, "%s\n---\n", raw)
	}
	return b.String(), nil
}

// onlyWebhook is the place of the webhook's configuration in the policies text;
// nil when the configuration has other webhooks, which must stay.
func onlyWebhook(s scenario.Scenario, step *report.Step) *diag.Span {
	docs, _ := scenario.ParseDocuments(diag.Policies, s.Policies)
	for _, d := range docs {
		hooks, _ := d.Value["webhooks"].([]any)
		if d.Kind == webhookKind && d.Name == step.Configuration && len(hooks) == 1 && !d.FromList {
			return &d.Span
		}
	}
	return nil
}

func nameOf(hook any) string { return untyped.At[string](hook, "name") }

// webhookStep finds the first call of a webhook that changed the object.
func webhookStep(r *report.Report, configuration, webhook string) (*report.Step, error) {
	found := false
	for i := range r.Steps {
		step := &r.Steps[i]
		if step.Kind != webhookKind || step.Webhook != webhook || configuration != "" && step.Configuration != configuration {
			continue
		}
		found = true
		if len(step.Diff) == 0 {
			continue
		}
		if step.MatchedKind != "" {
			return nil, fmt.Errorf("webhook %s receives the object as %s, but the request has another version; give a request in that version", webhook, step.MatchedKind)
		}
		return step, nil
	}
	if !found && r.Outcome.State == report.StateUndecided {
		return nil, fmt.Errorf("whether webhook %s is called is unknown: %s", webhook, r.Outcome.StateReason)
	}
	if !found {
		return nil, fmt.Errorf("there is no mutating webhook %s", webhook)
	}
	return nil, fmt.Errorf("webhook %s does not change this object", webhook)
}

// frame is what is around the mutations of a proposed policy.
type frame struct {
	name string
	// spec is the YAML of the fields of spec before mutations, not indented.
	spec string
	// validating is the same for the policy of the final state, and unconditional
	// without match conditions.
	validating, unconditional string
}

// newFrame writes a spec without mutations.
func newFrame(name string, spec map[string]any) (frame, error) {
	out := frame{name: name}
	var err error
	if out.spec, err = yamlOf(spec); err != nil {
		return out, err
	}
	validating := forValidation(spec)
	if out.validating, err = yamlOf(validating); err != nil {
		return out, err
	}
	delete(validating, "matchConditions")
	out.unconditional, err = yamlOf(validating)
	return out, err
}

// frameOf takes over from a webhook what decides when it is called.
func frameOf(hook map[string]any, name string) (frame, error) {
	constraints := map[string]any{"resourceRules": hook["rules"]}
	for _, field := range []string{"namespaceSelector", "objectSelector", "matchPolicy"} {
		if hook[field] != nil {
			constraints[field] = hook[field]
		}
	}
	return newFrame(name, map[string]any{
		"matchConstraints":   constraints,
		"matchConditions":    hook["matchConditions"],
		"failurePolicy":      or(hook["failurePolicy"], "Fail"),
		"reinvocationPolicy": or(hook["reinvocationPolicy"], "Never"),
	})
}

func or(value, otherwise any) any {
	if value == nil {
		return otherwise
	}
	return value
}

// policyName makes a short name of that of a webhook, which is a domain:
// sidecar.example.com is sidecar.
func policyName(webhook string) string {
	short, _, _ := strings.Cut(webhook, ".")
	return short
}

// uniqueName is a name that no policy or binding of a text has yet.
func uniqueName(policies, name string) string {
	docs, _ := scenario.ParseDocuments(diag.Policies, policies)
	return free(name, func(name string) bool {
		return slices.ContainsFunc(docs, func(d *scenario.Document) bool {
			return d.Name == name && (strings.HasPrefix(d.Kind, "MutatingAdmissionPolicy") || strings.HasPrefix(d.Kind, validatingKind))
		})
	})
}

// free is a name that is not taken: name, name-2 and so on.
func free(name string, taken func(string) bool) string {
	out := name
	for n := 2; taken(out); n++ {
		out = fmt.Sprintf("%s-%d", name, n)
	}
	return out
}
