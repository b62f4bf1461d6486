package foresight

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// collectionDeletes finds policies that protect objects by request.name, which is empty for each object of a collection
// that is deleted: a deletion that they deny by name passes there.
func (f *foresight) collectionDeletes(s *subject) {
	if s.validating == nil || !s.denies() || f.assumes(s) || s.source.Reads["request"].Child("name") == nil {
		return
	}
	for _, e := range foresee.Endpoints(f.Catalog, s.rules, s.names) {
		if e.Operation != "DELETE" || e.SubResource != "" || e.Resource.Resource == "namespaces" { // these are deleted one by one
			continue
		}
		for _, state := range s.source.States(e) {
			if f.dear || f.tries >= maxTries {
				return
			}
			r, ok := s.source.Request(e, state)
			if !ok || !denied(f.quick(s, r)) {
				continue
			}
			all := *r
			all.Name = ""
			if denied(f.quick(s, &all)) {
				continue
			}
			if f.reportCollection(s, e, r) {
				return
			}
		}
	}
}

// reportCollection reports it with the request that names the object. An AdmissionReview without a name stands for one with
// the name of its object, so no request shows the other one.
func (f *foresight) reportCollection(s *subject, e foresee.Endpoint, r *foresee.Request) bool {
	by, text, ok := f.confirm(s, r)
	if !ok {
		return false
	}
	at := deciding(by)
	if at == nil || at.Error != "" {
		return false
	}
	f.found = append(f.found, diag.Diagnostic{Code: codes.EmptyRequestField, Severity: diag.Warning, Accepted: true, Text: at.Text, Span: at.Span, Path: at.Path, Document: s.document.Kind + "/" + s.document.Name, Example: text,
		Summary: fmt.Sprintf("a deletion of all %s passes: request.name is empty for each of them", e.Resource.Resource),
		Detail:  fmt.Sprintf("Preadmit evaluated DELETE %s of %s: the policy denies it by name, and admits it where the collection is deleted. Read oldObject.metadata.name instead.", e.Resource.Resource, r.Name)})
	return true
}
