package lint

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// leftOutContainers finds policies that test the rights of containers and not those of init containers.
func leftOutContainers(p *policy) {
	if p.mentions("initContainers") || p.mentions("ephemeralContainers") {
		return
	}
	others := p.policiesOfInit()
	found := false
	p.eachPart(func(e expression, n *values.Node, of func(*values.Node) *place) bool {
		if found || n.Kind != values.Macro || n.Name != "all" && n.Name != "exists" || len(n.Children) != 3 || !slices.ContainsFunc(p.validations, func(v validation) bool { return v.path == e.path }) {
			return false
		}
		list := of(n.Children[0])
		if list == nil || list.typ == nil || list.steps[0] != "object" || list.steps[len(list.steps)-1] != "containers" || list.typ.Elem == nil || !strings.HasSuffix(list.typ.Elem.ID, ".Container") || !readsSecurity(n.Children[2]) {
			return false
		}
		if slices.ContainsFunc(others, func(o *policy) bool { return o.testsAny(lastFields(n.Children[2])) }) {
			return true // a policy of its own is about them
		}
		found = true
		out := p.report(p.document, codes.ContainersLeftOut, diag.Warning, e.path, "initContainers are not checked, so they bypass this validation",
			"An init container has the same rights on the node. Test both lists. Ephemeral containers come by pods/ephemeralcontainers.")
		if out.Code == "" {
			return true
		}
		p.within(out, p.document, e.path, n.Children[0].Start, n.Children[0].End)
		text := string([]rune(e.text)[n.Children[0].Start:n.Children[0].End])
		if base, ok := strings.CutSuffix(text, ".containers"); ok {
			out.Fixes = p.rewritten(p.document, e.path, n.Children[0].Start, n.Children[0].End, "("+text+" + "+base+".?initContainers.orValue([]))")
		}
		return true
	})
}

// policiesOfInit are the other policies that read initContainers of a kind that this one is about.
func (p *policy) policiesOfInit() []*policy {
	return slices.DeleteFunc(slices.Clone(p.all), func(o *policy) bool {
		return o == p || !o.mentions("initContainers") || !slices.ContainsFunc(o.targets(o.match.ResourceRules), func(t target) bool { return p.matchedBy(t, p.match.ResourceRules) })
	})
}

// testsAny reports whether a validation reads a field with one of the names.
func (p *policy) testsAny(names []string) bool {
	return slices.ContainsFunc(p.validations, func(v validation) bool {
		return slices.ContainsFunc(p.fields(v.read), func(name string) bool { return slices.Contains(names, name) })
	})
}

// lastFields are the names of the fields that a part reads, without those that they are in.
func lastFields(n *values.Node) []string {
	var out []string
	if n.Kind == values.Select && n.Name != "securityContext" && n.Name != "capabilities" {
		out = append(out, n.Name)
	}
	for _, child := range n.Children {
		out = append(out, lastFields(child)...)
	}
	return out
}

// mentions reports whether any expression of the policy has a word in it.
func (p *policy) mentions(word string) bool {
	return slices.ContainsFunc(p.expressions(), func(e expression) bool { return strings.Contains(e.text, word) })
}
