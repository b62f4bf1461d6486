package lint

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// overridden are the fields of a Pod's securityContext that a container's own securityContext overrides.
var overridden = []string{"runAsNonRoot", "runAsUser", "runAsGroup", "seccompProfile", "seLinuxOptions", "appArmorProfile", "windowsOptions"}

// podLevelOnly finds validations of a field in the Pod's securityContext where no policy looks at the one of containers.
func podLevelOnly(p *policy) {
	done := false
	p.eachPart(func(e expression, n *values.Node, of func(*values.Node) *place) bool {
		name := fieldOf(n)
		if done || !slices.Contains(overridden, name) || !slices.ContainsFunc(p.validations, func(v validation) bool { return p.includes(v.read, n) }) {
			return false
		}
		at := of(n.Children[0])
		if at == nil || at.typ == nil || at.typ.Name != "v1.PodSecurityContext" || at.steps[0] != "object" || p.said(p.document, e.path) {
			return false
		}
		done = true
		if slices.ContainsFunc(p.all, func(o *policy) bool {
			return slices.ContainsFunc(o.loops(), func(l loop) bool { return slices.Contains(l.fields, name) })
		}) {
			return true
		}
		out := p.report(p.document, codes.PodLevelOnly, diag.Warning, e.path, "a container overrides the Pod's "+name+", and no container is checked",
			"Test securityContext."+name+" of the containers, initContainers and ephemeralContainers that set it, too.")
		p.within(out, p.document, e.path, n.Start, n.End)
		return true
	})
}

// includes reports whether a part belongs to an expression or to a variable that it reads.
func (p *policy) includes(e interface{ Root() *values.Node }, part *values.Node) bool {
	found := false
	p.eachBelow(e.Root(), func(n *values.Node) { found = found || n == part })
	return found
}
