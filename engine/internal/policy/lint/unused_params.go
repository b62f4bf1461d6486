package lint

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// unusedParams finds a paramKind of a policy whose expressions do not read params.
func unusedParams(p *policy) {
	if p.paramKind == nil || p.said(p.document, "spec.paramKind") {
		return
	}
	for _, e := range p.expressions() {
		if slices.ContainsFunc(source.Lex(e.text), func(t source.Token) bool { return t.Text == "params" }) {
			return
		}
	}
	out := p.report(p.document, codes.UnusedParams, diag.Warning, "spec.paramKind", "no expression reads params", "The server still looks up the params of each binding. Remove the paramKind, or use it.")
	if out.Code == "" {
		return
	}
	fixes := removed("Remove the paramKind", p.document, "spec.paramKind")
	for _, b := range p.bindings {
		if b.params == nil || len(fixes) == 0 {
			continue
		}
		e, ok := b.document.Remove("spec.paramRef")
		if !ok {
			return
		}
		fixes[0].Edits = append(fixes[0].Edits, e)
	}
	out.Fixes = fixes
}
