package lint

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// unusedVariables finds variables that no expression reads, directly or through another variable. What does
// not compile is read as words.
func unusedVariables(p *policy) {
	used := map[string]bool{}
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
			if used[name] {
				continue
			}
			used[name] = true
			for _, v := range p.variables {
				if v.name == name {
					read(v.text)
				}
			}
		}
	}
	defined := map[string]bool{}
	for _, v := range p.variables {
		defined[v.path] = true
	}
	for _, e := range p.expressions() {
		if !defined[e.path] {
			read(e.text)
		}
	}
	for i, v := range p.variables {
		if used[v.name] || slices.ContainsFunc(p.variables[:i], func(o variable) bool { return o.name == v.name }) {
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
