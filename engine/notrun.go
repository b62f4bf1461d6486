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

// notRun lists the policies and webhooks that had no say in the request, in the order
// in which the server comes to them.
func (e *evaluation) notRun() []report.Unmatched {
	if e.chain == nil || e.ended != nil {
		return nil
	}
	var out []report.Unmatched
	for _, p := range e.installedPolicies() {
		if u := e.silent(p); u != nil {
			out = append(out, *u)
		}
	}
	return out
}

func (e *evaluation) installedPolicies() []installed {
	var out []installed
	for _, p := range e.mutatingPolicies {
		out = append(out, installed{name: p.Name, mutatingPolicy: true})
	}
	for _, h := range e.mutatingHooks {
		out = append(out, installed{name: h.Name(), configuration: h.Configuration()})
	}
	for _, p := range e.validatingPolicies {
		out = append(out, installed{name: p.Name})
	}
	for _, h := range e.validatingHooks {
		out = append(out, installed{name: h.Name(), configuration: h.Configuration()})
	}
	return out
}

// silent is what there is to say of a policy that had no say; nil when it had one.
func (e *evaluation) silent(p installed) *report.Unmatched {
	var out *report.Unmatched
	for i := range e.report.Steps {
		s := &e.report.Steps[i]
		if !p.is(s) {
			continue
		}
		if s.HadSay() {
			return nil
		}
		if out == nil {
			out = &report.Unmatched{Name: p.name, Reason: s.Reason, Step: i}
		}
	}
	switch {
	case out != nil:
		return out
	case p.mutatingPolicy && e.initial.Operation == request.Delete:
		return &report.Unmatched{Name: p.name, Reason: notForDelete, Step: -1}
	}
	return &report.Unmatched{Name: p.name, Reason: "the request was denied before it was asked", Step: -1}
}

func (p installed) is(s *report.Step) bool {
	if p.configuration != "" {
		return s.Webhook == p.name && s.Configuration == p.configuration
	}
	return s.OfPolicy() && s.Policy == p.name && p.mutatingPolicy == (s.Phase == report.Mutating)
}

const notForDelete = "mutating policies do not run for a DELETE"
