package lint

import (
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

const ephemeralResource = "pods/ephemeralcontainers"

// leftOutEphemeral finds policies that test the rights or images of a Pod's containers and init containers, but not
// those of the containers that kubectl debug adds. They come by a subresource, which needs a rule of its own.
func leftOutEphemeral(p *policy) {
	rule := p.podRule()
	if rule >= 0 && p.mentions("ephemeralContainers") {
		p.unmatchedEphemeral(rule)
		return
	}
	if rule < 0 || !p.mentions("initContainers") {
		return
	}
	p.leftOut("ephemeralContainers", func(l loop) {
		if p.said(p.document, l.in.path) || slices.Contains(l.fields, "ports") {
			return // API validation allows them no ports
		}
		out := p.report(p.document, codes.EphemeralLeftOut, diag.Info, l.in.path, "ephemeralContainers are not checked, so kubectl debug bypasses this validation",
			"Requests to "+ephemeralResource+" need a rule of their own, and the expression has to test the list.")
		p.within(out, p.document, l.in.path, l.list.Start, l.list.End)
		if out.Code != "" {
			out.Fixes = p.withEphemeral(rule, l, "ephemeralContainers")
		}
	})
	p.leftOutOfMaps()
}

// leftOutOfMaps finds lists of the images, or of fields of the security context, of containers and init containers.
func (p *policy) leftOutOfMaps() {
	if slices.ContainsFunc(p.loops(), func(l loop) bool { return (l.macro.Name == "all" || l.macro.Name == "exists") && l.over("containers") }) || slices.ContainsFunc(p.all, func(o *policy) bool { return o.mentions("ephemeralContainers") }) {
		return
	}
	origins := p.anyPart(func(n *values.Node) bool {
		return n.Kind == values.Call && (n.Name == "startsWith" || n.Name == "matches")
	})
	for _, e := range p.evaluated() {
		paths := p.paths(e.read)
		for _, path := range paths {
			field, ok := strings.CutPrefix(path, "object.spec.initContainers.*.")
			if !ok || !slices.ContainsFunc(e.read.Nodes(), func(n *values.Node) bool { return n.Kind == values.Macro && n.Name == "map" }) || !slices.Contains(paths, "object.spec.containers.*."+field) || !isSecurityField(field) && (field != "image" || !origins) || p.said(p.document, e.path) {
				continue
			}
			p.report(p.document, codes.EphemeralLeftOut, diag.Info, e.path, "ephemeralContainers are not checked, so kubectl debug bypasses this policy",
				"Requests to "+ephemeralResource+" need a rule of their own, and the expression has to read the list.")
			return
		}
	}
}

// podRule is the number of the policy's rule for Pods, negative for none and for a webhook.
func (p *policy) podRule() int {
	if p.webhook {
		return -1
	}
	return slices.IndexFunc(p.match.ResourceRules, func(r v1.NamedRuleWithOperations) bool {
		return slices.Contains(r.APIGroups, "") && slices.Contains(r.Resources, "pods")
	})
}

// withEphemeral is the fix that adds the subresource to a rule, and lists to a loop.
func (p *policy) withEphemeral(rule int, l loop, lists ...string) []diag.Fix {
	fixes := p.withLists(l, lists...)
	if len(fixes) == 0 {
		return nil
	}
	more, ok := p.matchEphemeral(rule)
	if !ok {
		return nil
	}
	title := "Check " + strings.Join(lists, " and ") + " too"
	if len(more) > 0 {
		title += ", with a rule for " + ephemeralResource
	}
	return []diag.Fix{{Title: title, Edits: append(fixes[0].Edits, more...)}}
}

// matchEphemeral are the edits with which a rule matches the subresource.
func (p *policy) matchEphemeral(rule int) (edits []diag.Edit, ok bool) {
	return p.matching(rule, ephemeralResource)
}

// matching are the edits with which a rule matches a subresource, and an operation that the server has for it.
func (p *policy) matching(rule int, name string) (edits []diag.Edit, ok bool) {
	r, at := &p.match.ResourceRules[rule], p.matchField+fieldpath.Item(p.rulesField, rule)
	add := func(field string, n int, item string) bool {
		e, ok := p.document.Append(at+"."+field, n, item)
		edits = append(edits, e)
		return ok
	}
	resource, sub, _ := strings.Cut(name, "/")
	used := slices.IndexFunc(operations, func(o string) bool { return likely(o, sub) })
	if used < 0 || !slices.Contains(expanded(r.Operations), operations[used]) && !add("operations", len(r.Operations), operations[used]) ||
		!namesResource(r.Resources, resource, sub) && !add("resources", len(r.Resources), name) {
		return nil, false
	}
	return edits, true
}

// unmatchedEphemeral finds policies that test ephemeral containers and match only requests that cannot add any.
func (p *policy) unmatchedEphemeral(rule int) {
	i := slices.IndexFunc(p.loops(), func(l loop) bool { return l.over("ephemeralContainers") && (l.consequent() || len(l.fields) == 0) })
	matched := slices.ContainsFunc(p.all, func(o *policy) bool {
		return (o == p || o.mentions("ephemeralContainers")) && slices.ContainsFunc(o.match.ResourceRules, func(r v1.NamedRuleWithOperations) bool {
			return slices.Contains(expanded(r.Operations), "UPDATE") && namesResource(r.Resources, "pods", "ephemeralcontainers")
		})
	})
	if i < 0 || matched {
		return
	}
	path, severity := p.matchField+fieldpath.Item(p.rulesField, rule)+".resources", diag.Info
	if slices.Contains(expanded(p.match.ResourceRules[rule].Operations), "UPDATE") {
		severity = p.bypassed()
	}
	out := p.report(p.document, codes.EphemeralLeftOut, severity, path, "no rule matches "+ephemeralResource+", so kubectl debug adds ephemeralContainers that are not checked",
		"They can only be added by UPDATE of this subresource, which a rule for pods does not match.")
	if edits, ok := p.matchEphemeral(rule); ok && out.Code != "" {
		out.Fixes = []diag.Fix{{Title: "Match " + ephemeralResource + ", too", Edits: edits}}
	}
}
