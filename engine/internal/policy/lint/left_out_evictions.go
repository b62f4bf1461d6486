package lint

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// leftOutEvictions finds policies that protect Pods from deletion, where no rule matches evictions: the server deletes
// an evicted Pod without a request to delete it.
func leftOutEvictions(p *policy) {
	if p.webhook || p.deniesNothing() {
		return
	}
	for rule := range p.match.ResourceRules {
		resources, _ := p.ofRule(&p.match.ResourceRules[rule].RuleWithOperations)
		for _, t := range resources {
			if t.operation = "DELETE"; t.sub != "" || t.resource.GVR.Resource != "pods" || t.resource.GVR.Group != "" || !p.matchedBy(t, p.match.ResourceRules) ||
				!slices.ContainsFunc(p.validations, func(v validation) bool { return v.read != nil && p.mayDeny(t, v) }) {
				continue
			}
			evicts := target{operation: "CREATE", resource: t.resource, sub: "eviction"}
			if slices.ContainsFunc(p.all, func(o *policy) bool { return p.matchedBy(evicts, o.match.ResourceRules) }) {
				return
			}
			p.report(p.document, codes.EvictionLeftOut, diag.Info, p.matchField+fieldpath.Item(p.rulesField, rule)+".resources",
				"no rule matches pods/eviction, so kubectl drain deletes Pods that this policy protects",
				"An eviction is CREATE of pods/eviction, and the server sends no DELETE to policies after it. Its object is an Eviction, so the Pod's labels are not known there.")
			return
		}
	}
}
