package lint

import (
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

const ephemeralResource = "pods/ephemeralcontainers"

// leftOutEphemeral finds policies that test the rights or images of a Pod's containers and init containers, but not
// those of the containers that kubectl debug adds. They come by a subresource, which needs a rule of its own.
func leftOutEphemeral(p *policy) {
	rule := p.podRule()
	if rule < 0 || p.mentions("ephemeralContainers") || !p.mentions("initContainers") {
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
	r, fix := &p.match.ResourceRules[rule], diag.Fix{Title: "Check " + strings.Join(lists, " and ") + " too", Edits: fixes[0].Edits}
	at := p.matchField + fieldpath.Item(p.rulesField, rule)
	add := func(field string, n int, item string) bool {
		e, ok := p.document.Append(at+"."+field, n, item)
		fix.Edits = append(fix.Edits, e)
		return ok
	}
	if !slices.Contains(expanded(r.Operations), "UPDATE") && !add("operations", len(r.Operations), "UPDATE") || !namesResource(r.Resources, "pods", "ephemeralcontainers") && !add("resources", len(r.Resources), ephemeralResource) {
		return nil
	}
	if len(fix.Edits) > len(fixes[0].Edits) {
		fix.Title += ", with a rule for " + ephemeralResource
	}
	return []diag.Fix{fix}
}
