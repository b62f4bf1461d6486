package foresight

import (
	"fmt"
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// maxMutated bounds the requests that are mutated for one validating policy with one binding.
const maxMutated = 20

// brokenValidations finds validating policies that deny what the mutating policies make of every object. At the first
// request that passes the policy is left alone.
func (f *foresight) brokenValidations(s *subject) {
	if s.validating == nil || s.unbound || !s.denies() || len(f.MutatingPolicies) == 0 || f.assumes(s) {
		return
	}
	for _, e := range foresee.Endpoints(f.Catalog, s.rules, s.names) {
		if e.Operation == "CREATE" && e.SubResource == "" && f.breaksAll(s, e) {
			return
		}
	}
}

// breaksAll reports a validation that admits requests to an endpoint, but none after the mutations.
func (f *foresight) breaksAll(s *subject, e foresee.Endpoint) bool {
	var by *report.Step
	var d diag.Diagnostic
	sent, tried := map[string]bool{}, 0
	for _, state := range s.source.States(e) {
		r, ok := s.source.Request(e, state)
		if !ok || sent[r.Key()] {
			continue
		}
		if f.dear || f.tries >= maxTries || tried == maxMutated {
			break
		}
		sent[r.Key()] = true
		alone := slices.ContainsFunc(f.quick(s, r), admits)
		if !alone && by == nil {
			continue // until there is a request that the policy admits by itself
		}
		full, text, ok := f.confirmWith(s, r, f.MutatingPolicies)
		if !ok {
			return false
		}
		decided := deciding(full)
		if full.Outcome.Allowed || !denied(steps(full)) || decided == nil || decided.Error != "" {
			return false
		}
		tried++
		if by == nil {
			if by = changed(full); by == nil {
				return false
			}
			d = diag.Diagnostic{Code: codes.ValidationBrokenByMutation, Severity: diag.Warning, Accepted: true, Document: s.document.Kind + "/" + s.document.Name,
				Text: s.document.Text, Span: s.document.Locate(decided.Path), Path: decided.Path, Example: text,
				Summary: fmt.Sprintf("this validation denies what policy %s makes of the object", by.Policy)}
		}
	}
	if by == nil || tried < 2 {
		return false
	}
	d.Detail = fmt.Sprintf("Preadmit evaluated %d different %s requests. After the mutations, the policy denies each of them, also one that it admits without. Correct the mutation, or the validation.", tried, requested(e))
	f.found = append(f.found, d)
	return true
}

// changed is the last step of a mutating policy that changed the object; nil for none.
func changed(full *report.Report) *report.Step {
	var out *report.Step
	for _, s := range steps(full) {
		if s.Phase == report.Mutating && s.OfPolicy() && len(s.Diff) > 0 {
			out = s
		}
	}
	return out
}
