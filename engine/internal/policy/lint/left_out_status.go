package lint

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// leftOutStatus finds validations that compare the status with the old one, where no rule matches the subresource by
// which it changes: in an update of the object itself the server keeps the old status.
func leftOutStatus(p *policy) {
	if p.webhook || len(p.bindings) > 0 && !slices.ContainsFunc(p.bindings, binding.denies) {
		return
	}
	i := slices.IndexFunc(p.validations, func(v validation) bool { return v.read != nil && !p.said(p.document, v.path) && p.comparesStatus(v) })
	if i < 0 {
		return
	}
	for rule := range p.match.ResourceRules {
		resources, _ := p.ofRule(&p.match.ResourceRules[rule].RuleWithOperations)
		for _, t := range resources {
			t.operation = "UPDATE"
			if _, has := t.resource.Subresources["status"]; !has || t.sub != "" || !p.matchedBy(t, p.match.ResourceRules) {
				continue
			}
			t.sub = "status"
			if slices.ContainsFunc(p.all, func(o *policy) bool { return p.matchedBy(t, o.match.ResourceRules) }) {
				continue
			}
			name := t.resource.GVR.Resource + "/status"
			out := p.report(p.document, codes.StatusLeftOut, diag.Warning, p.matchField+fieldpath.Item(p.rulesField, rule)+".resources", "no rule matches "+name+", and only such requests change the status",
				"In an update of "+t.resource.GVR.Resource+" the server keeps the old status, so "+ordinal("validation", i)+" compares it with itself.")
			if edits, ok := p.matching(rule, name); ok && out.Code != "" {
				out.Fixes = []diag.Fix{{Title: "Match " + name + ", too", Edits: edits}}
			}
			return
		}
	}
}

// comparesStatus reports whether a validation reads a field of the status of both objects.
func (p *policy) comparesStatus(v validation) bool {
	paths := p.paths(v.read)
	return slices.ContainsFunc(paths, func(path string) bool {
		field, ok := strings.CutPrefix(path, "object.status")
		return ok && slices.Contains(paths, "oldObject.status"+field)
	})
}
