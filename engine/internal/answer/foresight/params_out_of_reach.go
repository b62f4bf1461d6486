package foresight

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// paramsOutOfReach finds requests for which a paramRef cannot find a param: with a namespace one of the whole cluster, and
// without a namespace one in a namespace, where the object is in none, or is a new Namespace, in which the server looks
// for the param.
func (f *foresight) paramsOutOfReach(s *subject) {
	if s.param == nil || s.unbound || s.binding.Document == nil {
		return
	}
	resource, _ := f.Catalog.ResourceForKind(s.param.GVK)
	if resource.Namespaced == (s.binding.ParamRef.Namespace != "") {
		return
	}
	without := *s
	without.param = nil
	for _, e := range foresee.Endpoints(f.Catalog, s.rules, s.names) {
		creates := e.Operation == "CREATE" && e.SubResource == ""
		if resource.Namespaced && (e.Namespaced || e.Any || e.Resource.Resource == "namespaces" && e.Resource.Group == "" && !creates) {
			continue
		}
		for _, state := range s.source.States(e) {
			r, ok := s.source.Request(e, state)
			if f.dear || f.tries >= maxTries || ok && f.reportOutOfReach(&without, e, r) {
				return
			}
		}
	}
}

func (f *foresight) reportOutOfReach(s *subject, e foresee.Endpoint, r *foresee.Request) bool {
	if steps := f.quick(s, r); len(steps) != 1 || steps[0].Status == report.NotMatched || steps[0].Status == report.Excluded {
		return false
	}
	full, text, ok := f.confirm(s, r)
	if !ok {
		return false
	}
	i := slices.IndexFunc(steps(full), (*report.Step).OfPolicy)
	if i < 0 {
		return false
	}
	step := &full.Steps[i]
	reason := "The object is in no namespace, and the paramRef names none."
	if r.Namespace != "" {
		reason = "The server looks for the param in the new Namespace, which is empty."
	}
	answer := "The server does not evaluate the policy then, because of parameterNotFoundAction Allow."
	switch act := s.binding.ParamRef.ParameterNotFoundAction; {
	case step.Error != "" && denied(steps(full)):
		answer = fmt.Sprintf("The server denies each such request: %s.", strings.TrimPrefix(step.Error, "failed to configure binding: "))
	case step.Error != "":
		answer = fmt.Sprintf("The server then admits the request unchecked (failurePolicy Ignore): %s.", strings.TrimPrefix(step.Error, "failed to configure binding: "))
	case act == nil || *act != v1.AllowAction:
		return false
	}
	d := s.binding.Document
	found := diag.Diagnostic{Code: codes.MissingParam, Severity: diag.Warning, Accepted: true, Text: d.Text, Span: d.LocateKey("spec.paramRef"), Path: "spec.paramRef",
		Document: d.Kind + "/" + d.Name, Example: text,
		Summary: fmt.Sprintf("the paramRef finds no %s for %s: it names no namespace", s.kind.Kind, requested(e)),
		Detail:  fmt.Sprintf("%s %s Add paramRef.namespace.", reason, answer)}
	if namespace := s.binding.ParamRef.Namespace; namespace != "" {
		found.Path = "spec.paramRef.namespace"
		found.Span = d.Locate(found.Path)
		found.Summary = fmt.Sprintf("the paramRef finds no %s: it names namespace %s, and the kind is cluster-scoped", s.kind.Kind, namespace)
		found.Detail = fmt.Sprintf("Preadmit evaluated %s. %s", requested(e), answer)
		if edit, ok := d.Remove(found.Path); ok {
			found.Fixes = []diag.Fix{{Title: "Remove namespace", Edits: []diag.Edit{edit}}}
		}
	}
	f.found = append(f.found, found)
	return true
}
