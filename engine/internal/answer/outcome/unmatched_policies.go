package outcome

import (
	"iter"

	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/report"
)

// installed is a policy or a webhook that the server has.
type installed struct {
	name, configuration string
	mutatingPolicy      bool
}

// notRun lists the policies and webhooks that did not run in the request, in the order
// in which the server comes to them.
func notRun(e *evaluate.Evaluation) []report.Unmatched {
	if e.Chain == nil || e.Ended != nil {
		return nil
	}
	var out []report.Unmatched
	steps := stepsByPolicy(e)
	for p := range installedPolicies(e) {
		if u := silent(e, p, steps); u != nil {
			out = append(out, *u)
		}
	}
	return out
}

func installedPolicies(e *evaluate.Evaluation) iter.Seq[installed] {
	return func(yield func(installed) bool) {
		for _, p := range e.MutatingPolicies {
			if !yield(installed{name: p.Name, mutatingPolicy: true}) {
				return
			}
		}
		for _, h := range e.MutatingHooks {
			if !yield(installed{name: h.Name(), configuration: h.Configuration()}) {
				return
			}
		}
		for _, p := range e.ValidatingPolicies {
			if !yield(installed{name: p.Name}) {
				return
			}
		}
		for _, h := range e.ValidatingHooks {
			if !yield(installed{name: h.Name(), configuration: h.Configuration()}) {
				return
			}
		}
	}
}

// stepsByPolicy are the places of the steps of each policy and webhook; nil where there
// are so few steps that they are looked through one by one.
func stepsByPolicy(e *evaluate.Evaluation) map[installed][]int {
	if len(e.Report.Steps) <= fewNames {
		return nil
	}
	out := make(map[installed][]int, len(e.Report.Steps))
	for i := range e.Report.Steps {
		if p, ok := policyOf(&e.Report.Steps[i]); ok {
			out[p] = append(out[p], i)
		}
	}
	return out
}

// silent is what there is to say of a policy that did not run; nil when it had one.
func silent(e *evaluate.Evaluation, p installed, steps map[installed][]int) *report.Unmatched {
	first, said := -1, false
	look := func(i int) {
		if s := &e.Report.Steps[i]; s.HadSay() {
			said = true
		} else if first < 0 {
			first = i
		}
	}
	if steps != nil {
		for _, i := range steps[p] {
			look(i)
		}
	} else {
		for i := range e.Report.Steps {
			if of, ok := policyOf(&e.Report.Steps[i]); ok && of == p {
				look(i)
			}
		}
	}
	switch {
	case said:
		return nil
	case first >= 0:
		return &report.Unmatched{Name: p.name, Reason: e.Report.Steps[first].Reason, Step: first}
	case e.Deleted:
		return &report.Unmatched{Name: p.name, Reason: deletedAlready, Step: -1}
	case p.mutatingPolicy && e.Initial.Operation == request.Delete:
		return &report.Unmatched{Name: p.name, Reason: notForDelete, Step: -1}
	}
	return &report.Unmatched{Name: p.name, Reason: "the request was denied earlier", Step: -1}
}

// policyOf is the policy or webhook of a step, if it is that of one.
func policyOf(s *report.Step) (installed, bool) {
	switch {
	case s.Webhook != "":
		return installed{name: s.Webhook, configuration: s.Configuration}, true
	case s.OfPolicy():
		return installed{name: s.Policy, mutatingPolicy: s.Phase == report.Mutating}, true
	}
	return installed{}, false
}

const (
	notForDelete   = "mutating policies do not run for a DELETE"
	deletedAlready = "the object is being deleted already, and the server does not ask again"
)
