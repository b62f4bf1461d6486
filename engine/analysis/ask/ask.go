// Package ask answers questions about policies with a request: one that a policy denies, one that it
// admits, one that two sets of policies answer differently. It tries requests that the expressions of the
// policies tell apart, and says nothing that an evaluation has not shown. That it finds none proves nothing.
package ask

import (
	"context"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/guard"
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
	// Report is what the policies answer to it; of two sets it is that of the second one.
	Report *report.Report `json:"-"`
	// Before is what the first one of two sets answers.
	Before *report.Report `json:"-"`
}

// DefaultLimit is how many requests are evaluated where no other limit is given.
const DefaultLimit = 2000

// Denied looks for a request that the policy of this name denies, or any policy if the name is empty. limit bounds the
// requests that are evaluated, 0 is DefaultLimit. The error is that of a context that ended, or a mistake of ours.
func Denied(ctx context.Context, c *engine.Configuration, policy string, limit int) (Answer, error) {
	return search(ctx, []*engine.Configuration{c}, policy, limit, func(r []*report.Report) bool { return denies(r[0], policy) })
}

// Admitted looks for a request that the policy of this name is evaluated for and admits, and the server too. With an
// empty name it is every policy that matches, at least one.
func Admitted(ctx context.Context, c *engine.Configuration, policy string, limit int) (Answer, error) {
	return search(ctx, []*engine.Configuration{c}, policy, limit, func(r []*report.Report) bool { return admits(r[0], policy) })
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
func Differs(ctx context.Context, before, after *engine.Configuration, how Difference, limit int) (Answer, error) {
	return search(ctx, []*engine.Configuration{before, after}, "", limit, func(r []*report.Report) bool { return how.between(r[0], r[1]) })
}

func (d Difference) between(before, after *report.Report) bool {
	switch d {
	case NowDenied:
		return before.Outcome.Allowed && denies(after, "")
	case NowAdmitted:
		return denies(before, "") && after.Outcome.Allowed
	}
	one, two := before.Outcome, after.Outcome
	return one.Allowed != two.Allowed || one.Code != two.Code || one.Message != two.Message || !sameObject(before, after)
}

// denies reports whether the answer is the denial of a policy.
func denies(r *report.Report, policy string) bool {
	if r.Outcome.Allowed {
		return false
	}
	for _, s := range r.Steps {
		if isPolicy(s) && (policy == "" || s.Policy == policy) && s.Verdict == report.Deny && s.Status == report.Evaluated && s.Error == "" {
			return true
		}
	}
	return false
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

// search tries requests until one is what was asked for, and makes that smaller.
func search(ctx context.Context, sets []*engine.Configuration, policy string, limit int, is func([]*report.Report) bool) (answer Answer, err error) {
	defer guard.Error(&err)
	if limit <= 0 {
		limit = DefaultLimit
	}
	t := &trial{ctx: ctx, sets: sets, limit: limit, is: is, seen: map[string]bool{}}
	found := t.first(policy)
	if t.err != nil {
		return Answer{Tried: t.tried}, t.err
	}
	if found == nil {
		return Answer{Tried: t.tried}, nil
	}
	t.limit += shrinkTries
	found = t.shrunk(found)
	reports := t.evaluate(found)
	if t.err != nil || reports == nil {
		return Answer{Tried: t.tried}, t.err
	}
	answer = Answer{Found: true, Tried: t.tried, Request: found.text(), Report: reports[len(reports)-1]}
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
}

// evaluate is what the sets answer; nil at the limit, and at an error.
func (t *trial) evaluate(r *request) []*report.Report {
	if t.tried >= t.limit || t.err != nil {
		return nil
	}
	t.tried++
	var out []*report.Report
	for _, c := range t.sets {
		answer, err := c.Evaluate(t.ctx, engine.Text(r.text()), engine.Options{})
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

