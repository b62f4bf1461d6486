package lint

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
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
			if len(p.variables) == 1 {
				path = "spec.variables"
			}
			out.Fixes = removed("Remove the variable", p.document, path)
		}
	}
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
