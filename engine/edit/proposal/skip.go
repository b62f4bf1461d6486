package proposal

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Skipping is what can be proposed to spare calls of a webhook: match conditions
// that are false for requests like the one of the scenario.
type Skipping struct {
	Configuration string `json:"configuration"`
	Webhook       string `json:"webhook"`
	// Conditions are those that apply to this request, the most particular first.
	Conditions []SkipCondition `json:"conditions"`
	// Notes say what to know before using one, one sentence each.
	Notes []string `json:"notes,omitempty"`
}

// SkipCondition is one match condition and what trying it out gave.
type SkipCondition struct {
	// When completes the sentence "This webhook can be skipped when".
	When string `json:"when"`
	// Name and Expression are those of the match condition; the webhook is called
	// where the expression is true.
	Name       string `json:"name"`
	Expression string `json:"expression"`
	// Verified says that the engine ran the scenario with it: the webhook is not
	// called where it can be skipped, and the outcome is the same.
	Verified bool `json:"verified"`
	// Reasons say what went wrong when it was tried.
	Reasons []string `json:"reasons,omitempty"`
	// YAML is the condition as an item of matchConditions.
	YAML string `json:"yaml"`
	// Edit puts it into the policies text; nil where the text is too unusual.
	Edit *diag.Edit `json:"edit,omitempty"`
}

// ToSkip proposes match conditions for a webhook that the scenario's request is sent
// to: of one that changes the object, that what it sets is there already; of one
// that does not, what the request says about who asks and for what. An empty
// configuration means any that has a webhook of this name. The error says why there
// is nothing to skip.
func ToSkip(ctx context.Context, s scenario.Scenario, configuration, webhook string) (_ *Skipping, err error) {
	defer guard.Error(&err)
	if s.Now == "" {
		s.Now = time.Now().UTC().Format(time.RFC3339) // creationTimestamp is in the answers that are compared
	}
	r, err := engine.Evaluate(ctx, s, engine.Options{})
	if err != nil {
		return nil, err
	}
	step, err := calledStep(r, configuration, webhook)
	if err != nil {
		return nil, err
	}
	k := skipper{ctx: ctx, scenario: s, report: r, step: step}
	if k.document, k.path = hookPlace(s, step); k.document == nil {
		return nil, fmt.Errorf("the policies have no webhook %s in %s", webhook, step.Configuration)
	}
	out := &Skipping{Configuration: step.Configuration, Webhook: webhook, Conditions: []SkipCondition{},
		Notes: []string{"It is based on one answer. Only the webhook's code says whether it does more for other requests."}}
	if !step.Simulated {
		out.Notes = append(out.Notes, "The webhook has no WebhookResponse, so its answer to this request is assumed, too.")
	}
	if len(step.Diff) > 0 {
		c, err := k.settled()
		if err != nil {
			return nil, err
		}
		if c != nil {
			out.Conditions = append(out.Conditions, *c)
		}
		return out, nil
	}
	request, err := k.request()
	if err != nil {
		return nil, err
	}
	for _, f := range facts(request) {
		out.Conditions = append(out.Conditions, k.spared(f))
	}
	return out, nil
}

// calledStep is the first call of a webhook, which must not have denied the request.
func calledStep(r *report.Report, configuration, webhook string) (*report.Step, error) {
	why := ""
	for i := range r.Steps {
		step := &r.Steps[i]
		if step.Webhook != webhook || configuration != "" && step.Configuration != configuration {
			continue
		}
		switch {
		case !step.Called:
			why = "webhook " + webhook + " is not called for this request: " + step.Reason
		case step.Status != report.Evaluated || step.Error != "":
			return nil, fmt.Errorf("webhook %s decides about this request, so it cannot be skipped for requests like it: %s", webhook, step.Reason)
		default:
			return step, nil
		}
	}
	if why == "" && r.Outcome.State == report.StateUndecided {
		why = "whether webhook " + webhook + " is called is unknown: " + r.Outcome.StateReason
	}
	if why == "" {
		why = "there is no webhook " + webhook
	}
	return nil, fmt.Errorf("%s", why)
}

// hookPlace is the document and the path of the webhook of a step.
func hookPlace(s scenario.Scenario, step *report.Step) (*scenario.Document, string) {
	docs, _ := scenario.ParseDocuments(diag.Policies, s.Policies) // its problems are in the report
	for _, d := range docs {
		if d.Kind != step.Kind || d.Name != step.Configuration {
			continue
		}
		hooks, _ := d.Value["webhooks"].([]any)
		for i, h := range hooks {
			if nameOf(h) == step.Webhook {
				return d, fieldpath.New("webhooks").Index(i).String()
			}
		}
	}
	return nil, ""
}

// skipper tries conditions for one webhook.
type skipper struct {
	ctx      context.Context
	scenario scenario.Scenario
	report   *report.Report
	step     *report.Step
	document *scenario.Document
	path     string // of the webhook in the document
}

// request is what the webhook was sent about.
func (k *skipper) request() (map[string]any, error) {
	raw, err := json.Marshal(k.step.Sent)
	if err != nil {
		return nil, err
	}
	var review struct {
		Request map[string]any `json:"request"`
	}
	return review.Request, json.Unmarshal(raw, &review)
}

// change is what the webhook itself does, without what the server fills in.
func (k *skipper) change() (list []claim, left []string, err error) {
	before := k.scenario
	if before.Request, err = withObject(k.scenario, k.step.Before); err != nil {
		return nil, nil, err
	}
	p, err := prepare(k.ctx, before)
	if err != nil {
		return nil, nil, err
	}
	if err := p.aim(k.step.After); err != nil {
		return nil, nil, err
	}
	list, left = claims(p.kindType, p.before, p.target)
	return list, left, nil
}

// settled is the condition that what the webhook sets is there already; nil when a
// part of its change cannot be asked for, since it could be missing unseen.
func (k *skipper) settled() (*SkipCondition, error) {
	list, left, err := k.change()
	if err != nil || len(list) == 0 || len(left) > 0 {
		return nil, err
	}
	var all, paths []string
	for _, c := range list {
		if c.removed {
			all = append(all, c.expression())
		} else {
			all = append(all, c.conditions...)
		}
		paths = append(paths, c.path)
	}
	c := &SkipCondition{
		When:       "the fields that it sets already have these values: " + strings.Join(unique(paths), ", "),
		Name:       "not-set-yet",
		Expression: "object == null || !(" + strings.Join(unique(all), " && ") + ")",
	}
	return c, k.trySettled(c)
}

// trySettled runs a condition on the request, for which the webhook must be called,
// and on what the webhook makes of it.
func (k *skipper) trySettled(c *SkipCondition) error {
	policies, ok := k.insert(c)
	if !ok {
		return nil
	}
	request, err := withObject(k.scenario, k.step.After)
	if err != nil {
		return err
	}
	first, second := k.evaluate(c, policies, k.scenario.Request), k.evaluate(c, policies, request)
	switch {
	case first == nil || second == nil:
	case !k.excluded(second):
		c.Reasons = append(c.Reasons, "the webhook is called for its own result")
	case k.excluded(first):
		c.Reasons = append(c.Reasons, "the webhook is not called for this request, which it changes")
	default:
		c.Verified = k.same(c, first)
	}
	return nil
}

// fact is something that a request says, in words and as a condition that is false
// where it is so.
type fact struct{ when, name, expression string }

// spared tries the condition that leaves out requests with a fact.
func (k *skipper) spared(f fact) SkipCondition {
	c := SkipCondition{When: f.when, Name: f.name, Expression: f.expression}
	policies, ok := k.insert(&c)
	if !ok {
		return c
	}
	r := k.evaluate(&c, policies, k.scenario.Request)
	if r == nil {
		return c
	}
	if !k.excluded(r) {
		c.Reasons = append(c.Reasons, "the webhook is still called")
		return c
	}
	c.Verified = k.same(&c, r)
	return c
}

// insert writes a condition beside those that the webhook has, and returns the
// policies text with it.
func (k *skipper) insert(c *SkipCondition) (string, bool) {
	hook := fieldpath.As[map[string]any](fieldpath.Parse(k.path).Get(k.document.Value))
	conditions, _ := hook["matchConditions"].([]any)
	c.Name = free(c.Name, func(name string) bool {
		return slices.ContainsFunc(conditions, func(c any) bool { return nameOf(c) == name })
	})
	item := "name: " + c.Name + "\n  expression: " + quotedYAML(c.Expression)
	c.YAML = "- " + item + "\n"
	at := fieldpath.Parse(k.path).Child("matchConditions").String()
	var edit diag.Edit
	ok := false
	oneLine := "{name: " + c.Name + ", expression: " + quotedYAML(c.Expression) + "}"
	switch {
	case len(conditions) > 0:
		edit, ok = k.document.Append(at, len(conditions), oneLine)
	case k.document.Has(at):
		edit, ok = k.document.Rewrite(at, "["+oneLine+"]")
	default:
		if edit, ok = k.document.Insert(k.path, "matchConditions", "\n"+strings.TrimSuffix(c.YAML, "\n")); !ok {
			edit, ok = k.document.Insert(k.path, "matchConditions", "["+oneLine+"]")
		}
	}
	if !ok {
		c.Reasons = append(c.Reasons, "it was not tried: the configuration's text has an unusual form")
		return "", false
	}
	policies, err := diag.Fix{Edits: []diag.Edit{edit}}.Apply(diag.Policies, k.scenario.Policies)
	if err != nil {
		c.Reasons = append(c.Reasons, err.Error())
		return "", false
	}
	c.Edit = &edit
	return policies, true
}

// evaluate runs other policies on a request; nil when that fails.
func (k *skipper) evaluate(c *SkipCondition, policies, request string) *report.Report {
	s := k.scenario
	s.Policies, s.Request, s.Expression = policies, request, ""
	r, err := engine.Evaluate(k.ctx, s, engine.Options{})
	if err != nil {
		c.Reasons = append(c.Reasons, err.Error())
		return nil
	}
	if message, refused := refusal(r); refused {
		c.Reasons = append(c.Reasons, message)
		return nil
	}
	return r
}

// excluded reports whether a match condition keeps the webhook from each call.
func (k *skipper) excluded(r *report.Report) bool {
	found := false
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Kind != k.step.Kind || s.Webhook != k.step.Webhook || s.Configuration != k.step.Configuration {
			continue
		}
		if s.Status != report.Excluded {
			return false
		}
		found = true
	}
	return found
}

// same reports whether the answer to the request is what it was.
func (k *skipper) same(c *SkipCondition, r *report.Report) bool {
	was, is := k.report, r
	if was.Outcome.Allowed == is.Outcome.Allowed && was.Outcome.Code == is.Outcome.Code &&
		reflect.DeepEqual(was.Outcome.Warnings, is.Outcome.Warnings) && len(diff.Objects(was.Object, is.Object)) == 0 {
		return true
	}
	c.Reasons = append(c.Reasons, "without the call, the answer to this request differs")
	return false
}
