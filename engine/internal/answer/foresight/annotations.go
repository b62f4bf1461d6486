package foresight

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// annotationsOfAdmitted finds audit annotations that speak of a violation for a request that the
// policy admits: what the answer to such a request says, before anybody sends one.
func (f *foresight) annotationsOfAdmitted(s *subject) {
	if s.validating == nil || !s.document.Has("spec.auditAnnotations") {
		return
	}
	for _, e := range foresee.Endpoints(f.Catalog, s.rules, s.names) {
		for _, state := range s.source.States(e) {
			r, ok := s.source.Request(e, state)
			if f.tries >= maxTries {
				return
			}
			if !ok || !slices.ContainsFunc(f.quick(s, r), admits) {
				continue
			}
			full, text, ok := f.confirm(s, r)
			if !ok {
				continue
			}
			for _, d := range full.Diagnostics {
				known := slices.ContainsFunc(f.found, func(k diag.Diagnostic) bool { return k.Code == d.Code && k.Text == d.Text && k.Span == d.Span })
				if d.Code == codes.AnnotationAlways && d.Text == s.document.Text && !known {
					d.Accepted, d.Example, d.Document = true, text, s.document.Kind+"/"+s.document.Name
					f.found = append(f.found, d)
				}
			}
			return
		}
	}
}

// admits reports whether all validations of a policy are true.
func admits(s *report.Step) bool {
	return s.OfPolicy() && s.Status == report.Evaluated && len(s.Validations) > 0 &&
		!slices.ContainsFunc(s.Validations, func(v report.Validation) bool { return v.Result != true })
}
