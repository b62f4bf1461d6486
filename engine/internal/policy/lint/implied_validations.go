package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// impliedValidations finds validations that are true wherever another one is. One that comes first and asks for
// less has a message for what is missing, so it must read the same as the other one.
func impliedValidations(p *policy) {
	worlds := p.worlds(nil)
	for j, b := range p.validations {
		if p.said(p.document, b.path) || b.read == nil {
			continue
		}
		for i, a := range p.validations {
			if i == j || a.read == nil || !common(p.fields(a.read), p.fields(b.read)) || j < i && !p.sameFields(a.expression, b.expression) {
				continue
			}
			if j < i && p.implies(worlds, p.conditions, b.expression, a.expression) || !p.implies(worlds, p.conditions, a.expression, b.expression) {
				continue
			}
			out := p.report(p.document, codes.ValidationImplied, diag.Warning, b.path, fmt.Sprintf("%s implies this one, which denies nothing else", ordinal("validation", i)),
				"The other validation already denies the same requests. Remove this one, or correct the other."+p.proof())
			if out.Code != "" {
				out.Related = []diag.Related{{Text: p.document.Text, Span: p.document.Locate(a.path), Path: a.path, Summary: "the other validation"}}
				out.Fixes = removed("Remove the validation", p.document, strings.TrimSuffix(b.path, ".expression"))
			}
			break
		}
	}
}

// sameFields reports whether two expressions read the same fields, values apart.
func (p *policy) sameFields(a, b expression) bool {
	return slices.Equal(p.paths(a.read), p.paths(b.read))
}
