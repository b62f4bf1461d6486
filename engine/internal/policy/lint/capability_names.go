package lint

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// capabilityNames finds capabilities with the kernel's prefix CAP_, which Pods write without it.
func capabilityNames(p *policy) {
	if p.webhook || !p.mentions("capabilities") {
		return
	}
	for _, e := range p.expressions() {
		if e.read == nil || p.said(p.document, e.path) {
			continue
		}
		var first *values.Node
		var changes []rewrite.Change
		for _, n := range e.read.Nodes() {
			text, _ := literalText(n)
			name, prefixed := strings.CutPrefix(text, "CAP_")
			if !prefixed || name == "" || strings.ToUpper(name) != name || p.anyLiteral(func(other string) bool { return other == name }) {
				continue
			}
			if first == nil {
				first = n
			}
			changes = append(changes, rewrite.Replace(n.Start, n.End, "'"+name+"'"))
		}
		if first == nil {
			continue
		}
		name, _ := literalText(first)
		out := p.report(p.document, codes.NeverEqual, diag.Warning, e.path, "Pods write the capability "+name+" as "+strings.TrimPrefix(name, "CAP_"), "The container runtime adds the prefix CAP_.")
		p.within(out, p.document, e.path, first.Start, first.End)
		if s := rewrite.In(p.document, p.Plain[p.document.Text], e.path); s != nil && out.Code != "" {
			out.Fixes = []diag.Fix{s.Fix("Write "+changes[0].Text, changes...)}
		}
	}
}
