// Package ask finds a request with a given answer: one that a policy denies, one that it admits,
// one that two sets of policies answer differently. It tries requests that the policies' expressions
// distinguish, and confirms each answer by evaluation. If it finds none, one may still exist.
package ask

import (
	"context"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/report"
)

// Answer is what was found.
type Answer struct {
	// Found says that Request is what was asked for.
	Found bool `json:"found"`
	// Tried is the number of requests that were evaluated.
	Tried int `json:"tried"`
	// Request is the request, as YAML: an object that is created, or an AdmissionReview.
	Request string `json:"request,omitempty"`
	// Cluster has the Namespace with the labels that a selector wants, if the cluster has none; the request is in it.
	Cluster string `json:"cluster,omitempty"`
	// Report is what the policies answer to it; of two sets it is that of the second one.
	Report *report.Report `json:"-"`
	// Before is what the first one of two sets answers.
	Before *report.Report `json:"-"`
}

// DefaultLimit is how many requests are evaluated where no other limit is given.
const DefaultLimit = 2000

// Denied looks for a request that the policy of this name denies, or any policy if the name is empty: one for which a
// validation is false, and if there is none one for which an expression fails. limit bounds the
// requests that are evaluated, 0 is DefaultLimit. Those in own are tried first, with changes too. The error is an
// [UnknownPolicy], that of a context that ended, or a mistake of ours.
func Denied(ctx context.Context, c *engine.Configuration, policy string, limit int, own ...string) (Answer, error) {
	answer, err := search(ctx, []*engine.Configuration{c}, policy, limit, own, func(r []*report.Report) bool { return denies(r[0], policy, false) })
	if err != nil || answer.Found {
		return answer, err
	}
	failing, err := search(ctx, []*engine.Configuration{c}, policy, limit, own, func(r []*report.Report) bool { return denies(r[0], policy, true) })
	failing.Tried += answer.Tried
	return failing, err
}

// Admitted looks for a request that the policy of this name is evaluated for and admits, and the server too. With an
// empty name it is every policy that matches, at least one.
func Admitted(ctx context.Context, c *engine.Configuration, policy string, limit int, own ...string) (Answer, error) {
	return search(ctx, []*engine.Configuration{c}, policy, limit, own, func(r []*report.Report) bool { return admits(r[0], policy) })
}

// Difference is a way in which the answers of two sets of policies differ.
type Difference string

// The differences.
const (
	// NowDenied is a request that the first set admits and the second one denies, NowAdmitted the
	// other way round. Any is one of the two, or another object or message.
	NowDenied   Difference = "denied"
	NowAdmitted Difference = "admitted"
	Any         Difference = "any"
)

// Differs looks for a request that two sets of policies answer differently.
func Differs(ctx context.Context, before, after *engine.Configuration, how Difference, limit int, own ...string) (Answer, error) {
	return search(ctx, []*engine.Configuration{before, after}, "", limit, own, func(r []*report.Report) bool { return how.between(r[0], r[1]) })
}

func (d Difference) between(before, after *report.Report) bool {
	switch d {
	case NowDenied:
		return before.Outcome.Allowed && denies(after, "", true)
	case NowAdmitted:
		return denies(before, "", true) && after.Outcome.Allowed
	}
	one, two := before.Outcome, after.Outcome
	return one.Allowed != two.Allowed || one.Code != two.Code || one.Message != two.Message || !sameObject(before, after)
}

// denies reports whether the answer is the denial of a policy: one that a validation makes, or an error too.
func denies(r *report.Report, policy string, errors bool) bool {
	if r.Outcome.Allowed {
		return false
	}
	for _, s := range r.Steps {
		if isPolicy(s) && (policy == "" || s.Policy == policy) && s.Verdict == report.Deny && (errors || isFalse(s)) {
			return true
		}
	}
	return false
}

func isFalse(s report.Step) bool {
	return slices.ContainsFunc(s.Validations, func(v report.Validation) bool { return v.Decision == report.Deny && v.Error == "" })
}

// admits reports whether the server admits, and a policy was evaluated.
func admits(r *report.Report, policy string) bool {
	if !r.Outcome.Allowed {
		return false
	}
	for _, s := range r.Steps {
		if isPolicy(s) && (policy == "" || s.Policy == policy) && s.Status == report.Evaluated {
			return true
		}
	}
	return false
}

func isPolicy(s report.Step) bool {
	return s.Kind == "ValidatingAdmissionPolicy" || s.Kind == "MutatingAdmissionPolicy"
}

// UnknownPolicy is the error for the name of a policy that is not there.
type UnknownPolicy struct {
	Name     string
	Policies []string // those that are there
}

func (e UnknownPolicy) Error() string {
	if len(e.Policies) == 0 {
		return "no policy " + e.Name + ": there is none that the server accepts"
	}
	return "no policy " + e.Name + "; there is " + strings.Join(e.Policies, ", ")
}

func hasPolicy(c *engine.Configuration, name string) error {
	e := UnknownPolicy{Name: name}
	for _, s := range subjects(c) {
		if s.Document.Kind == "ValidatingAdmissionPolicy" || s.Document.Kind == "MutatingAdmissionPolicy" {
			e.Policies = append(e.Policies, s.Name)
		}
	}
	if slices.Contains(e.Policies, name) {
		return nil
	}
	return e
}

// search tries requests until one is what was asked for, and makes that smaller.
func search(ctx context.Context, sets []*engine.Configuration, policy string, limit int, own []string, is func([]*report.Report) bool) (answer Answer, err error) {
	defer guard.Error(&err)
	if limit <= 0 {
		limit = DefaultLimit
	}
	t := &trial{ctx: ctx, sets: sets, limit: limit, is: is, seen: map[string]bool{}}
	t.rest, _ = ctx.Value(restKey{}).(func())
	if policy != "" {
		if err := hasPolicy(sets[0], policy); err != nil {
			return Answer{}, err
		}
	}
	found := t.first(policy, own)
	if t.err != nil {
		return Answer{Tried: t.tried}, t.err
	}
	if found == nil {
		return Answer{Tried: t.tried}, nil
	}
	t.limit += shrinkTries
	found = t.shrunk(found)
	text, reports := t.confirmed(found)
	if t.err != nil || reports == nil {
		return Answer{Tried: t.tried}, t.err
	}
	answer = Answer{Found: true, Tried: t.tried, Request: text, Cluster: t.spaces.added(found.namespace()), Report: reports[len(reports)-1]}
	if len(reports) > 1 {
		answer.Before = reports[0]
	}
	return answer, nil
}

// trial evaluates requests.
type trial struct {
	ctx   context.Context
	sets  []*engine.Configuration
	is    func([]*report.Report) bool
	limit int
	tried int
	seen  map[string]bool
	err   error
	// rest, if there is one, lets other work go first.
	rest func()
	// spaces are the Namespaces of the requests.
	spaces *namespaces
}

// evaluate is what the sets answer; nil at the limit, and at an error.
func (t *trial) evaluate(r *request) []*report.Report {
	if !t.open() {
		return nil
	}
	return t.answers(r.text(), engine.Options{Defaulting: new(true)}) // as a client sends it
}

// created is when the objects of an AdmissionReview were created: a fixed time, so that the same question has the
// same answer.
const created = "2026-01-01T00:00:00Z"

// confirmed returns the text of a request and the answers to that text. It returns nil where the text gets other
// answers than the request did, as an AdmissionReview holds objects with the server's defaults.
func (t *trial) confirmed(r *request) (string, []*report.Report) {
	t.limit++
	reports := t.evaluate(r)
	if reports == nil || r.alone() {
		return r.text(), reports
	}
	r = r.clone()
	for name, object := range map[string]map[string]any{"object": reports[0].Input, "oldObject": reports[0].OldObject} {
		if object == nil || r.values[name] == nil {
			continue
		}
		stored, _ := untyped.Copy(object).(map[string]any)
		if metadata, ok := stored["metadata"].(map[string]any); ok && metadata["creationTimestamp"] != nil {
			metadata["creationTimestamp"] = created
		}
		r.values[name] = stored
	}
	t.limit++
	if reports = t.answers(r.text(), engine.Options{}); reports == nil || !t.is(reports) {
		return "", nil
	}
	return r.text(), reports
}

// answers are those of the sets to the text of a request.
func (t *trial) answers(text string, options engine.Options) []*report.Report {
	t.tried++
	var out []*report.Report
	for _, c := range t.sets {
		answer, err := c.Evaluate(t.ctx, engine.Text(text), options)
		if err != nil {
			t.err = err
			return nil
		}
		out = append(out, answer)
	}
	return out
}

// fits reports whether a request is what was asked for.
func (t *trial) fits(r *request) bool {
	text := r.text()
	if t.seen[text] {
		return false
	}
	t.seen[text] = true
	reports := t.evaluate(r)
	return reports != nil && t.is(reports)
}
