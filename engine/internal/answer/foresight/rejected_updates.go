package foresight

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// maxStored bounds the stored objects that are updated for one policy at one endpoint.
const maxStored = 12

// rejectedUpdates finds mutations that change a field of stored objects which the server lets nobody change: each
// update of an object from before the policy is rejected, also one that changes nothing.
func (f *foresight) rejectedUpdates(s *subject) {
	if s.mutating == nil {
		return
	}
	for _, e := range foresee.Endpoints(f.Catalog, s.rules, s.names) {
		if e.Operation != "UPDATE" || e.SubResource != "" {
			continue
		}
		for i, state := range s.source.States(e) {
			r, ok := s.source.Request(e, state)
			if i == maxStored || f.dear || f.tries >= maxTries {
				break
			}
			if !ok {
				continue
			}
			r.Object = r.OldObject
			if f.rejectsUpdate(s, e, r) {
				return
			}
		}
	}
}

// rejectsUpdate reports the update, if the server rejects it, and admits it without the policy.
func (f *foresight) rejectsUpdate(s *subject, e foresee.Endpoint, r *foresee.Request) bool {
	changed := func(step *report.Step) bool {
		return step.OfPolicy() && slices.ContainsFunc(step.Mutations, func(m report.Mutation) bool { return m.Error == "" })
	}
	if !slices.ContainsFunc(f.quick(s, r), changed) {
		return false
	}
	full, text, ok := f.confirm(s, r)
	if !ok || full.Outcome.Allowed || full.Outcome.Code != 422 || denied(steps(full)) {
		return false
	}
	without, unbound := *s, *s.mutating
	unbound.Bindings = []run.Binding{}
	without.mutating = &unbound
	if other, _, ok := f.confirm(&without, r); !ok || !other.Outcome.Allowed {
		return false
	}
	message, _, _ := strings.Cut(full.Outcome.Message, "\n")
	path := "spec.mutations"
	f.found = append(f.found, diag.Diagnostic{Code: codes.MutationRejected, Severity: diag.Warning, Accepted: true, Document: s.document.Kind + "/" + s.document.Name,
		Text: s.document.Text, Span: s.document.Locate(path), Path: path, Example: text,
		Summary: fmt.Sprintf("the mutation makes the server reject updates of every %s from before the policy", e.Kind.Kind),
		Detail:  fmt.Sprintf("Preadmit evaluated %s with an unchanged object. The server answers: %s. Match only CREATE.", requested(e), strings.TrimSuffix(message, "."))})
	return true
}
