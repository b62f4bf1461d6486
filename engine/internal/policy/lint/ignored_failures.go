package lint

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// ignoredFailures finds policies that deny by such fields and admit where an expression fails, and bindings of
// theirs that admit where the params with what is allowed are missing.
func ignoredFailures(p *policy) {
	if p.webhook || len(p.bindings) > 0 && !slices.ContainsFunc(p.bindings, binding.denies) {
		return
	}
	p.missingParams()
	name := p.securityField()
	if name == "" || p.failurePolicy == nil || *p.failurePolicy != v1.Ignore {
		return
	}
	out := p.report(p.document, codes.IgnoredFailures, diag.Warning, "spec.failurePolicy", fmt.Sprintf("failurePolicy Ignore admits an object when an expression fails, and the policy checks %s", name),
		"Write failurePolicy: Fail, and test with has() for fields that may be absent.")
	if e, ok := p.document.Rewrite("spec.failurePolicy", string(v1.Fail)); ok && out.Code != "" {
		out.Fixes = []diag.Fix{{Title: "Change to Fail", Edits: []diag.Edit{e}}}
	}
}

// missingParams finds bindings that name params with what images or rights are allowed, and admit without them.
func (p *policy) missingParams() {
	for _, v := range p.validations {
		fields := p.fields(v.read)
		i := slices.IndexFunc(fields, func(name string) bool { return name == "image" || slices.Contains(securityFields, name) })
		if i < 0 || !slices.Contains(p.reads(v.read), "params") {
			continue
		}
		for _, b := range p.bindings {
			if !b.denies() || b.params == nil || b.params.Name == "" || b.params.ParameterNotFoundAction == nil || *b.params.ParameterNotFoundAction != v1.AllowAction {
				continue
			}
			path := "spec.paramRef.parameterNotFoundAction"
			out := p.report(b.document, codes.IgnoredFailures, diag.Info, path, fmt.Sprintf("without the params %s, this binding admits every object, and the policy checks %s", b.params.Name, fields[i]),
				"Write parameterNotFoundAction: Deny if the policy must not end with its params.")
			if e, ok := b.document.Rewrite(path, string(v1.DenyAction)); ok && out.Code != "" {
				out.Fixes = []diag.Fix{{Title: "Change to Deny", Edits: []diag.Edit{e}}}
			}
		}
		return
	}
}

func (b binding) denies() bool { return slices.Contains(b.actions, v1.Deny) }
