package engine

import (
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
func (e *evaluation) notRun() []report.Unmatched {
	if e.chain == nil || e.ended != nil {
		return nil
	}
	var out []report.Unmatched
	steps := e.stepsByPolicy()
	for p := range e.installedPolicies {
		if u := e.silent(p, steps); u != nil {
			out = append(out, *u)
		}
	}
	return out
}

// installedPolicies calls yield for each policy and webhook, until that is false.
func (e *evaluation) installedPolicies(yield func(installed) bool) {
	for _, p := range e.mutatingPolicies {
		if !yield(installed{name: p.Name, mutatingPolicy: true}) {
			return
		}
	}
	for _, h := range e.mutatingHooks {
		if !yield(installed{name: h.Name(), configuration: h.Configuration()}) {
			return
		}
	}
	for _, p := range e.validatingPolicies {
		if !yield(installed{name: p.Name}) {
			return
		}
	}
	for _, h := range e.validatingHooks {
		if !yield(installed{name: h.Name(), configuration: h.Configuration()}) {
			return
		}
	}
}

// stepsByPolicy are the places of the steps of each policy and webhook; nil where there
// are so few steps that they are looked through one by one.
func (e *evaluation) stepsByPolicy() map[installed][]int {
	if len(e.report.Steps) <= fewNames {
		return nil
	}
	out := make(map[installed][]int, len(e.report.Steps))
	for i := range e.report.Steps {
		if p, ok := policyOf(&e.report.Steps[i]); ok {
			out[p] = append(out[p], i)
		}
	}
	return out
}

// silent is what there is to say of a policy that did not run; nil when it had one.
func (e *evaluation) silent(p installed, steps map[installed][]int) *report.Unmatched {
	first, said := -1, false
	look := func(i int) {
		if s := &e.report.Steps[i]; s.HadSay() {
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
		for i := range e.report.Steps {
			if of, ok := policyOf(&e.report.Steps[i]); ok && of == p {
				look(i)
			}
		}
	}
	switch {
	case said:
		return nil
	case first >= 0:
		return &report.Unmatched{Name: p.name, Reason: e.report.Steps[first].Reason, Step: first}
	case e.deleted:
		return &report.Unmatched{Name: p.name, Reason: deletedAlready, Step: -1}
	case p.mutatingPolicy && e.initial.Operation == request.Delete:
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
