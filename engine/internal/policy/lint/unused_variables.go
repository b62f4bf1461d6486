package lint

import (
	"slices"

	"github.com/google/cel-go/common/operators"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// unusedVariables finds variables that no expression reads, directly or through another variable.
func unusedVariables(p *policy) {
	for i, v := range p.variables {
		if !p.unread()[v.path] || slices.ContainsFunc(p.variables[:i], func(o variable) bool { return o.name == v.name }) {
			continue
		}
		path := v.path[:len(v.path)-len(".expression")]
		if out := p.report(p.document, codes.UnusedVariable, diag.Warning, path+".name", "no expression reads variables."+v.name, "Remove it, or use it."); out.Code != "" {
			if p.exempts(v) {
				out.Detail = "A message promises the exemption, and nothing grants it."
				out.Fixes = p.rewritten(p.document, p.validations[0].path, 0, len([]rune(p.validations[0].text)), "variables."+v.name+" || ("+p.validations[0].text+")")
				continue
			}
			if len(p.variables) == 1 {
				path = "spec.variables"
			}
			out.Fixes = removed("Remove the variable", p.document, path)
		}
	}
}

// saysExempt are words about what a policy leaves out.
var saysExempt = lazy.Regexp{Text: `(?i)exempt|except|exclu`}

// exempts reports whether a variable says what the policy's only validation leaves out, according to its message.
func (p *policy) exempts(v variable) bool {
	if len(p.validations) != 1 || v.read == nil || !saysExempt.MatchString(v.name) || !saysExempt.MatchString(p.validations[0].message) {
		return false
	}
	root := v.read.Root()
	return root.Kind == values.Logical || root.Kind == values.Call && slices.Contains([]string{operators.Equals, operators.NotEquals, operators.In, operators.LogicalNot, "startsWith"}, root.Name) || isHas(root) || isLoop(root, "exists") || isLoop(root, "all")
}

// unread are the variables that no expression reads, by the path of their expression. What does not compile is read as
// words.
func (p *policy) unread() map[string]bool {
	if p.unreadVariables != nil {
		return p.unreadVariables
	}
	out := map[string]bool{}
	for _, v := range p.variables {
		out[v.path] = true
	}
	var read func(text string)
	read = func(text string) {
		tokens := source.Lex(text)
		for i, t := range tokens {
			if t.Text != "variables" || i+2 >= len(tokens) {
				continue
			}
			name := tokens[i+2].Text
			if name == "?" && i+3 < len(tokens) {
				name = tokens[i+3].Text
			}
			for _, v := range p.variables {
				if v.name == name && out[v.path] {
					delete(out, v.path)
					read(v.text)
				}
			}
		}
	}
	all := slices.DeleteFunc(p.expressions(), func(e expression) bool { return out[e.path] })
	for _, e := range all {
		read(e.text)
	}
	p.unreadVariables = out
	return out
}

// evaluated are the expressions of the policy that the server evaluates: a variable only where another expression
// reads it.
func (p *policy) evaluated() []expression {
	return slices.DeleteFunc(p.expressions(), func(e expression) bool { return p.unread()[e.path] })
}
