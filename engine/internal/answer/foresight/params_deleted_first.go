package foresight

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// paramsDeletedFirst finds bindings that demand a param in the namespace of each object, for requests without which a
// namespace that is being deleted stays: the namespace controller deletes its objects in any order, so the param may be
// gone before. The server looks for params before it evaluates match conditions.
func (f *foresight) paramsDeletedFirst(s *subject) {
	if s.validating == nil || s.param == nil || s.unbound || s.ignores || s.binding.Document == nil {
		return
	}
	ref := s.binding.ParamRef
	resource, _ := f.Catalog.ResourceForKind(s.param.GVK)
	if !resource.Namespaced || ref.Namespace != "" || ref.ParameterNotFoundAction == nil || *ref.ParameterNotFoundAction != v1.DenyAction {
		return
	}
	without := *s
	without.param = nil
	for _, e := range foresee.Endpoints(f.Catalog, s.rules, s.names) {
		if !e.Namespaced || !s.source.CanLinger(e) || e.Operation == "UPDATE" && !e.Finalized() {
			continue
		}
		l, ok := s.source.Lingering(e, foresee.State{})
		if !ok || !denied(f.quick(&without, l.Request)) {
			continue
		}
		full, text, ok := f.confirm(&without, l.Request)
		if !ok || !denied(steps(full)) {
			continue
		}
		d := s.binding.Document
		path := "spec.paramRef.parameterNotFoundAction"
		f.found = append(f.found, diag.Diagnostic{Code: codes.KeepsObject, Severity: diag.Warning, Accepted: true, Text: d.Text, Span: d.Locate(path), Path: path, Document: d.Kind + "/" + d.Name, Example: text,
			Summary: fmt.Sprintf("a namespace that is being deleted stays: its %s may go first, and the policy then denies %s", s.kind.Kind, requested(e)),
			Detail: fmt.Sprintf("Preadmit evaluated %s as %s, in a namespace without a param. The server answers: %s. Match conditions do not help, because the server looks for the param first. Use one param for all namespaces (paramRef.namespace), or allow that there is none.",
				requested(e), l.User.Name, strings.TrimSuffix(full.Outcome.Message, "."))})
		return
	}
}
