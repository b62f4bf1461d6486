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

// maxStored bounds the objects that are tried for one policy at one endpoint.
const maxStored = 12

// rejectedMutations finds mutations whose result the server rejects: of a new object, for which it may run a policy
// twice, and of a stored one, in which it lets nobody change some fields, so that each update of an object from before
// the policy is rejected, also one that changes nothing.
func (f *foresight) rejectedMutations(s *subject) {
	if s.mutating == nil {
		return
	}
	for _, e := range foresee.Endpoints(f.Catalog, s.rules, s.names) {
		if e.Operation != "UPDATE" && e.Operation != "CREATE" || e.SubResource != "" {
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
			if e.Operation == "UPDATE" {
				r.Object = r.OldObject
			}
			changed, rejected := f.rejectsMutated(s, e, r)
			if rejected {
				return
			}
			if changed && e.Operation == "CREATE" {
				break // a larger object may be one that nobody sends
			}
		}
	}
}

// rejectsMutated reports whether the policy changes the object, and says so if the server then rejects what it admits
// without the policy.
func (f *foresight) rejectsMutated(s *subject, e foresee.Endpoint, r *foresee.Request) (changed, rejected bool) {
	changed = slices.ContainsFunc(f.quick(s, r), func(step *report.Step) bool {
		return step.OfPolicy() && slices.ContainsFunc(step.Mutations, func(m report.Mutation) bool { return m.Error == "" })
	})
	if !changed {
		return false, false
	}
	full, text, ok := f.confirm(s, r)
	if !ok || full.Outcome.Allowed || full.Outcome.Code != 422 || denied(steps(full)) {
		return true, false
	}
	without, unbound := *s, *s.mutating
	unbound.Bindings = []run.Binding{}
	without.mutating = &unbound
	if other, _, ok := f.confirm(&without, r); !ok || !other.Outcome.Allowed {
		return true, false
	}
	message, _, _ := strings.Cut(full.Outcome.Message, "\n")
	summary, with, repair := fmt.Sprintf("the mutation makes the server reject updates of every %s from before the policy", e.Kind.Kind), "with an unchanged object", "Match only CREATE."
	if e.Operation == "CREATE" {
		summary, with, repair = fmt.Sprintf("the mutation makes the server reject a new %s", e.Kind.Kind), "with the smallest object", "Without the policy it admits the request."
		if ranTwice(full) {
			repair = "The second pass (reinvocationPolicy: IfNeeded) runs the mutation on its own result. Add a match condition that is false for it."
		}
	}
	path := "spec.mutations"
	f.found = append(f.found, diag.Diagnostic{Code: codes.MutationRejected, Severity: diag.Warning, Accepted: true, Document: s.document.Kind + "/" + s.document.Name,
		Text: s.document.Text, Span: s.document.Locate(path), Path: path, Example: text, Summary: summary,
		Detail: fmt.Sprintf("Preadmit evaluated %s %s. The server answers: %s. %s", requested(e), with, strings.TrimSuffix(message, "."), repair)})
	return true, true
}

// ranTwice reports whether a mutation was applied in both passes.
func ranTwice(full *report.Report) bool {
	applied := 0
	for _, step := range steps(full) {
		if step.OfPolicy() && slices.ContainsFunc(step.Mutations, func(m report.Mutation) bool { return m.Error == "" }) {
			applied++
		}
	}
	return applied > 1
}
