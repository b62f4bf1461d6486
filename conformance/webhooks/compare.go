// Package webhooks runs generated scenarios with admission webhooks through the
// engine and through the API server's own webhook plugins, which call a real
// HTTPS server (conformance/reference), and reports the differences.
package webhooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/conformance/differential"
	"github.com/preadmit/preadmit/conformance/generate"
	"github.com/preadmit/preadmit/conformance/wire"
	"github.com/preadmit/preadmit/engine/report"
)

// Test compares n generated scenarios.
func Test(source generate.Source, first, n int) differential.Test {
	t := differential.Test{Compare: Compare, Exceptions: Exceptions}
	for i := range n {
		t.Scenarios = append(t.Scenarios, source.Webhooks(first+i))
	}
	return t
}

// Compare says where the report of the engine is not the answer of the
// reference: all that conformance/differential compares, and which webhooks
// were called with what.
func Compare(a wire.Answer, r *report.Report, counts map[string]int) []differential.Difference {
	a = cutInAnyOrder(oneOfSeveral(a, r, counts), r, counts)
	out := differential.Compare(a, r, counts)
	if strings.HasPrefix(a.Error, "panic: ") {
		return out
	}
	return append(out, calls(a.Calls, r, counts)...)
}

// oneOfSeveral takes the engine's choice when several validating webhooks
// reject the request: they are called at once, and the server takes the error
// that it happens to get first. It must be one of those that the engine knows.
func oneOfSeveral(a wire.Answer, r *report.Report, counts map[string]int) wire.Answer {
	if a.Allowed || r.Outcome.Allowed {
		return a
	}
	var errors []string
	for _, s := range r.Steps {
		if s.Phase == report.Validating && s.Webhook != "" && s.Verdict == report.Deny {
			errors = append(errors, s.Error)
		}
	}
	known := func(text string) bool { return differential.SameText(a.Message, text) }
	if len(errors) < 2 || !slices.ContainsFunc(errors, known) {
		return a
	}
	counts["rejections by several validating webhooks"]++
	a.Code, a.Reason, a.Message, a.Causes = r.Outcome.Code, r.Outcome.Reason, r.Outcome.Message, r.Outcome.Causes
	if a.Details = (wire.Details{}); r.Outcome.Details != nil {
		a.Details = wire.Details(*r.Outcome.Details)
	}
	return a
}

// The limit of all warnings of a response, and what each is cut to beyond it.
const (
	maxWarningRunes = 4096
	cutWarningRunes = 256
)

// cutInAnyOrder takes the engine's warnings when they exceed the limit and come
// from several validating webhooks, which warn at the same time: which ones the
// server then drops is random. Each must be one that the engine knows.
func cutInAnyOrder(a wire.Answer, r *report.Report, counts map[string]int) wire.Answer {
	all, validating := map[string]bool{}, 0
	for _, w := range r.Outcome.Warnings {
		all[w] = true
	}
	for _, s := range r.Steps {
		if s.Phase == report.Validating && s.Webhook != "" && len(s.Warnings) > 0 {
			validating++
		}
		for _, w := range s.Warnings {
			all[w] = true
		}
	}
	given, total := map[string]bool{}, 0
	for w := range all {
		runes := []rune(w)
		total += len(runes)
		given[string(runes[:min(len(runes), cutWarningRunes)])] = true
	}
	if validating < 2 || total <= maxWarningRunes || slices.ContainsFunc(a.Warnings, func(w string) bool { return !given[w] }) {
		return a
	}
	counts["warnings cut, from several validating webhooks"]++
	a.Warnings = r.Outcome.Warnings
	return a
}

// calls compares the calls: those of mutating webhooks in their order, those of
// validating ones, which are made at the same time, as a set.
func calls(reference []wire.Call, r *report.Report, counts map[string]int) []differential.Difference {
	if differential.RefusedByDefinition(r) {
		return nil // the reference goes on, the server does not
	}
	var engine []report.Step
	for _, s := range r.Steps {
		if s.Webhook == "" {
			continue
		}
		counts["webhooks: "+string(s.Status)]++
		if s.Called {
			engine = append(engine, s)
		}
	}
	reference = once(reference, counts)
	slices.SortStableFunc(reference, func(x, y wire.Call) int {
		switch {
		case x.Mutating != y.Mutating:
			return map[bool]int{true: -1, false: 1}[x.Mutating]
		case x.Mutating:
			return 0
		}
		return strings.Compare(x.Webhook, y.Webhook)
	})
	slices.SortStableFunc(engine, func(x, y report.Step) int {
		if x.Phase == report.Mutating || y.Phase == report.Mutating {
			return 0 // they are in order, and before the others
		}
		return strings.Compare(x.Webhook, y.Webhook)
	})
	if want, got := names(reference), engineNames(engine); want != got {
		return []differential.Difference{{What: "webhooks called", Reference: want, Engine: got}}
	}
	var out []differential.Difference
	for i, c := range reference {
		counts["calls of webhooks"]++
		out = append(out, call(c, engine[i], counts)...)
	}
	return out
}

// once leaves out the repetitions of calls that the server's client makes when it is
// asked to come later. The result is a copy.
func once(calls []wire.Call, counts map[string]int) []wire.Call {
	var out []wire.Call
	seen := map[string]bool{}
	for _, c := range calls {
		if seen[c.UID] {
			counts["calls made again"]++
			continue
		}
		seen[c.UID] = true
		out = append(out, c)
	}
	return out
}

func names(calls []wire.Call) string {
	var out []string
	for _, c := range calls {
		out = append(out, c.Webhook)
	}
	return strings.Join(out, " ")
}

func engineNames(steps []report.Step) string {
	var out []string
	for _, s := range steps {
		out = append(out, s.Webhook)
	}
	return strings.Join(out, " ")
}

// call compares what a webhook was sent: every field of the AdmissionReview but the uid.
func call(c wire.Call, s report.Step, counts map[string]int) []differential.Difference {
	if s.MatchedKind != "" {
		counts["calls with another version than the request's"]++
	}
	counts["reviews of webhooks"]++
	what := fmt.Sprintf("the review of %s in the %s phase, pass %d", c.Webhook, s.Phase, s.Pass)
	sent, err := review(s)
	if err != nil {
		return []differential.Difference{{What: what, Reference: "a review", Engine: err.Error()}}
	}
	return differential.Object(what, c.Review, sent)
}

// review is what the report says that a webhook is sent, without the uid of the request.
func review(s report.Step) (map[string]any, error) {
	data, err := json.Marshal(s.Sent)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, err
	}
	request, ok := out["request"].(map[string]any)
	if !ok {
		return nil, errors.New("the step has no review")
	}
	delete(request, "uid")
	return out, nil
}
