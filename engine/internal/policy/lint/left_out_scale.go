package lint

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// leftOutScale finds validations of the number of replicas on updates, where no policy matches the subresource by
// which kubectl scale and autoscalers change it.
func leftOutScale(p *policy) {
	if p.webhook || len(p.bindings) > 0 && !slices.ContainsFunc(p.bindings, binding.denies) ||
		!slices.ContainsFunc(p.validations, func(v validation) bool { return v.read != nil && p.readsReplicas(v) }) {
		return
	}
	for i := range p.match.ResourceRules {
		resources, _ := p.ofRule(&p.match.ResourceRules[i].RuleWithOperations)
		for _, t := range resources {
			t.operation = "UPDATE"
			if _, scales := t.resource.Subresources["scale"]; !scales || !t.resource.Builtin || t.sub != "" || !p.matchedBy(t, p.match.ResourceRules) {
				continue
			}
			t.sub = "scale"
			if slices.ContainsFunc(p.all, func(o *policy) bool { return o.matchedBy(t, o.match.ResourceRules) }) {
				continue
			}
			name := t.resource.GVR.Resource + "/scale"
			out := p.report(p.document, codes.ScaleLeftOut, diag.Info, p.matchField+fieldpath.Item(p.rulesField, i)+".resources", "no rule matches "+name+", so kubectl scale and autoscalers set replicas unchecked",
				"They change the number by UPDATE of this subresource, whose object is a Scale with spec.replicas.")
			if edits, ok := p.matching(i, name); ok && out.Code != "" {
				out.Fixes = []diag.Fix{{Title: "Match " + name + ", too", Edits: edits}}
			}
			return
		}
	}
}

// readsReplicas reports whether the number of replicas is all that a validation reads of the object's spec.
func (p *policy) readsReplicas(v validation) bool {
	reads := false
	for _, path := range p.paths(v.read) {
		path = strings.ReplaceAll(path, "has ", "")
		_, field, ok := strings.Cut(path, "bject.spec.")
		if ok && field != "replicas" {
			return false
		}
		reads = reads || ok
	}
	return reads
}
