package lint

import (
	"slices"

	"github.com/google/cel-go/common/operators"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// overridden are the fields of a Pod's securityContext that a container's own securityContext overrides.
var overridden = []string{"runAsNonRoot", "runAsUser", "runAsGroup", "seccompProfile", "seLinuxOptions", "appArmorProfile", "windowsOptions"}

// podLevelOnly finds validations of a field in the Pod's securityContext where no policy looks at the one of containers,
// and those for which the Pod's field is enough.
func podLevelOnly(p *policy) {
	done := p.podLevelEnough()
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

// podLevelEnough reports a validation that looks at a field of containers only where the Pod's is not set, as in
// POD || CONTAINERS. It is silent where another expression looks at the field of containers.
func (p *policy) podLevelEnough() bool {
	signs := p.effects().sign
	for _, v := range p.validations {
		if v.read == nil || p.said(p.document, v.path) {
			continue
		}
		for _, n := range v.read.Nodes() {
			if n.Kind != values.Logical || n.Name != operators.LogicalOr || signs[n] <= 0 {
				continue
			}
			list := operands(n, operators.LogicalOr)
			for _, name := range overridden {
				pod := slices.IndexFunc(list, func(part *values.Node) bool { return p.isPodLevel(part, name) && !p.isOfContainers(part, name) })
				if pod < 0 || !slices.ContainsFunc(list, func(part *values.Node) bool { return p.isOfContainers(part, name) && !p.isPodLevel(part, name) }) || p.looksElsewhere(n, name) {
					continue
				}
				out := p.report(p.document, codes.PodLevelOnly, diag.Warning, v.path, "the Pod's "+name+" is enough here, and a container overrides it",
					"A Pod passes whose container sets another value. Test the value of each container, and the Pod's only for those without one.")
				p.within(out, p.document, v.path, list[pod].Start, list[pod].End)
				return true
			}
		}
	}
	return false
}

// isPodLevel reports whether a part demands a field of the Pod's securityContext.
func (p *policy) isPodLevel(n *values.Node, name string) bool {
	if n.Kind == values.Call && n.Name == operators.LogicalNot {
		return false // it may be about Pods without the field
	}
	return p.readsSecurity(n, name, func(typ string) bool { return typ == "v1.PodSecurityContext" })
}

// isOfContainers reports whether a part reads a field of the securityContext of containers.
func (p *policy) isOfContainers(n *values.Node, name string) bool {
	return p.readsSecurity(n, name, func(typ string) bool { return typ == "v1.SecurityContext" })
}

// readsSecurity reports whether a part reads a field of a type of securityContext.
func (p *policy) readsSecurity(part *values.Node, name string, is func(typ string) bool) bool {
	below := map[*values.Node]bool{}
	p.eachBelow(part, func(n *values.Node) { below[n] = true })
	found := false
	p.eachPart(func(_ expression, n *values.Node, of func(*values.Node) *place) bool {
		if !below[n] || fieldOf(n) != name {
			return false
		}
		at := of(n.Children[0])
		ok := at != nil && at.typ != nil && at.steps[0] == "object" && is(at.typ.Name)
		found = found || ok
		return ok
	})
	return found
}

// looksElsewhere reports whether a policy reads a field of containers outside a part.
func (p *policy) looksElsewhere(part *values.Node, name string) bool {
	return slices.ContainsFunc(p.all, func(o *policy) bool {
		return slices.ContainsFunc(o.validations, func(v validation) bool {
			return v.read != nil && !p.includes(v.read, part) && o.isOfContainers(v.read.Root(), name)
		})
	})
}

// includes reports whether a part belongs to an expression or to a variable that it reads.
func (p *policy) includes(e interface{ Root() *values.Node }, part *values.Node) bool {
	found := false
	p.eachBelow(e.Root(), func(n *values.Node) { found = found || n == part })
	return found
}
