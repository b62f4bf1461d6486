package lint

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// ignoredFailures finds policies that deny by such fields and admit where an expression fails.
func ignoredFailures(p *policy) {
	if p.webhook || p.failurePolicy == nil || *p.failurePolicy != v1.Ignore {
		return
	}
	if len(p.bindings) > 0 && !slices.ContainsFunc(p.bindings, func(b binding) bool { return slices.Contains(b.actions, v1.Deny) }) {
		return
	}
	for _, v := range p.validations {
		for _, name := range p.fields(v.read) {
			if slices.Contains(securityFields, name) {
				out := p.report(p.document, codes.IgnoredFailures, diag.Warning, "spec.failurePolicy", fmt.Sprintf("failurePolicy Ignore admits an object when an expression fails, and the policy checks %s", name),
					"Write failurePolicy: Fail, and test with has() for fields that may be absent.")
				if e, ok := p.document.Rewrite("spec.failurePolicy", string(v1.Fail)); ok && out.Code != "" {
					out.Fixes = []diag.Fix{{Title: "Change to Fail", Edits: []diag.Edit{e}}}
				}
				return
			}
		}
	}
}
