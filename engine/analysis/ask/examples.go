package ask

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/policy/lint"
	"github.com/preadmit/preadmit/engine/report"
)

// mostDenied bounds the denied requests of Examples.
const mostDenied = 4

// Examples looks for requests that the policies deny, each by another validation, and for one that
// all of them admit, in steps: a caller has other work between them.
type Examples struct {
	// Denied and Admitted are what was found so far. Where no request is denied, Denied has an
	// answer that was not found. Admitted is a request that a policy changes, if there is one.
	Denied   []Answer
	Admitted Answer

	cancel context.CancelFunc
	pause  func() bool
	next   func() (struct{}, bool)
	stop   func()
	err    error
}

// NewExamples begins a search that evaluates about limit requests for each of the two, 0 is
// DefaultLimit. Stop must be called.
func NewExamples(c *engine.Configuration, limit int) *Examples {
	if limit <= 0 {
		limit = DefaultLimit
	}
	e := &Examples{}
	ctx, cancel := context.WithCancel(context.Background())
	e.cancel = cancel
	e.next, e.stop = iter.Pull(func(yield func(struct{}) bool) {
		resting := context.WithValue(ctx, restKey{}, func() {
			if ctx.Err() == nil && e.pause() && !yield(struct{}{}) {
				cancel()
			}
		})
		if e.Denied, e.err = denied(resting, c, limit); e.err == nil {
			e.Admitted, e.err = changedOrAdmitted(resting, c, limit)
		}
	})
	return e
}

// denied returns a denied request for each validation, up to mostDenied. If no validation is false for any, it
// returns one for which an expression fails, or an answer that was not found.
func denied(ctx context.Context, c *engine.Configuration, limit int) ([]Answer, error) {
	var out []Answer
	seen := map[string]bool{}
	var all []string // the names of all validations, in the order of the policies
	for _, s := range subjects(c) {
		for i := range s.Validations {
			all = append(all, validationName(s.Name, i))
		}
	}
	tried := 0
	for len(out) < min(len(all), mostDenied) && tried < limit {
		answer, err := search(ctx, []*engine.Configuration{c}, "", limit-tried, nil, func(r []*report.Report) bool {
			by := falseValidation(r[0])
			return by != "" && !seen[by]
		})
		tried += answer.Tried
		if err != nil {
			return nil, err
		}
		if !answer.Found {
			break
		}
		seen[falseValidation(answer.Report)] = true
		out = append(out, answer)
	}
	if len(out) > 0 {
		slices.SortStableFunc(out, func(a, b Answer) int {
			return slices.Index(all, falseValidation(a.Report)) - slices.Index(all, falseValidation(b.Report))
		})
		return out, nil
	}
	failing, err := search(ctx, []*engine.Configuration{c}, "", limit, nil, func(r []*report.Report) bool { return denies(r[0], "", true) })
	failing.Tried += tried
	return []Answer{failing}, err
}

// falseValidation names the validation that denies a request, the first one of its policy; empty
// if none does.
func falseValidation(r *report.Report) string {
	if r.Outcome.Allowed || r.Outcome.DecidedBy < 0 || r.Outcome.DecidedBy >= len(r.Steps) {
		return ""
	}
	s := r.Steps[r.Outcome.DecidedBy]
	for i, v := range s.Validations {
		if v.Decision == report.Deny {
			if v.Error != "" {
				return ""
			}
			return validationName(s.Policy, i)
		}
	}
	return ""
}

func validationName(policy string, index int) string { return fmt.Sprint(policy, " ", index) }

// changedOrAdmitted returns a request that a policy changes, or else one that all policies admit.
func changedOrAdmitted(ctx context.Context, c *engine.Configuration, limit int) (Answer, error) {
	tried := 0
	if slices.ContainsFunc(subjects(c), func(s lint.Subject) bool { return s.Mutates }) {
		answer, err := search(ctx, []*engine.Configuration{c}, "", limit/2, nil, func(r []*report.Report) bool { return changes(r[0]) })
		if err != nil || answer.Found {
			return answer, err
		}
		tried = answer.Tried
	}
	answer, err := Admitted(ctx, c, "", max(limit-tried, 1))
	answer.Tried += tried
	return answer, err
}

// changes reports whether the server admits, and a policy changed the object.
func changes(r *report.Report) bool {
	return r.Outcome.Allowed && slices.ContainsFunc(r.Steps, func(s report.Step) bool { return isPolicy(s) && len(s.Diff) > 0 })
}

// Step goes on until pause reports true, and reports whether the search has ended. pause is called
// between two requests.
func (e *Examples) Step(pause func() bool) (done bool, err error) {
	e.pause = pause
	_, more := e.next()
	if more {
		return false, nil
	}
	return true, e.err
}

// Stop ends the search.
func (e *Examples) Stop() {
	e.cancel()
	e.stop()
}

// restKey is the key, in a context, of what a search calls between two requests.
type restKey struct{}
