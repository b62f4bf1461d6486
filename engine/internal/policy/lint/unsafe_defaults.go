package lint

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// unsafeDefaults are fields of a container's securityContext with the value that counts where the field is absent,
// and what that means. The Pod's securityContext has none of them.
var unsafeDefaults = map[string]struct {
	value   bool
	meaning string
}{
	"allowPrivilegeEscalation": {true, "its processes may gain more privileges than their parent"},
	"readOnlyRootFilesystem":   {false, "its root file system is writable"},
}

// absentUnsafe finds validations that deny the unsafe value of a field and admit a container without the field,
// which means the same.
func absentUnsafe(p *policy) {
	effects := p.effects()
	for name, absent := range unsafeDefaults {
		sign := 1 // of a part that is true where the value is safe
		if absent.value {
			sign = -1
		}
		part, fixed := (*values.Node)(nil), (*values.Node)(nil)
		for _, v := range p.validations {
			if v.read == nil || part != nil || !p.deniesValue(v.expression, name, sign) {
				continue
			}
			p.eachBelow(v.read.Root(), func(n *values.Node) {
				switch {
				case part != nil || effects.in[n].read == nil:
				case isHas(n) && effects.sign[n] < 0 && (fieldOf(n) == name || fieldOf(n) == "securityContext"):
					part = n
				case n.Name == "orValue" && n.Kind == values.Call && len(n.Children) == 2 && fieldOf(n.Children[0]) == name && literal(n.Children[1]) == !absent.value && effects.sign[n] == sign:
					part, fixed = n, n.Children[1]
				}
			})
		}
		if part == nil || p.said(p.document, effects.in[part].path) || slices.ContainsFunc(p.all, func(o *policy) bool { return o.demands(name) }) {
			continue
		}
		path := effects.in[part].path
		out := p.report(p.document, codes.UnsafeDefault, diag.Warning, path, "a container without "+name+" passes, and "+absent.meaning, "Demand the field, or count an absent one as the default.")
		p.within(out, p.document, path, part.Start, part.End)
		if fixed != nil && out.Code != "" {
			out.Fixes = p.rewritten(p.document, path, fixed.Start, fixed.End, map[bool]string{true: "true", false: "false"}[absent.value])
		}
	}
}

// deniesValue reports whether an expression admits or denies by the value of a field, in the direction of sign.
func (p *policy) deniesValue(e expression, name string, sign int) bool {
	return p.anyBelow(e.read.Root(), func(n *values.Node) bool {
		return n.Kind == values.Select && n.Name == name && p.effects().sign[n] == sign
	})
}

// demands reports whether a policy denies an object without a field, or sets the field.
func (p *policy) demands(name string) bool {
	sets := func(m expression) bool { return m.read != nil && slices.Contains(p.fields(m.read), name) }
	return slices.ContainsFunc(p.mutations, sets) || slices.ContainsFunc(p.validations, func(v validation) bool {
		return v.read != nil && p.anyBelow(v.read.Root(), func(n *values.Node) bool {
			return isHas(n) && fieldOf(n) == name && p.effects().sign[n] > 0
		})
	})
}

// isHas reports whether a part is the macro has.
func isHas(n *values.Node) bool { return n.Kind == values.Macro && n.Name == "has" }
