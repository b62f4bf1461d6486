package lint

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// exactMatches finds rules that another version of the same objects gets around.
func exactMatches(p *policy) {
	if p.match.MatchPolicy == nil || *p.match.MatchPolicy != v1.Exact {
		return
	}
	for _, t := range p.targets(p.match.ResourceRules) {
		if t.resource == nil || t.operation == "CONNECT" {
			continue
		}
		i := slices.IndexFunc(p.Catalog.Equivalents(t.resource.GVR, t.sub), func(r schema.GroupVersionResource) bool {
			return !slices.ContainsFunc(p.match.ResourceRules, func(rule v1.NamedRuleWithOperations) bool {
				return slices.Contains(expanded(rule.Operations), t.operation) && holds(rule.APIGroups, r.Group) && holds(rule.APIVersions, r.Version) && namesResource(rule.Resources, r.Resource, t.sub)
			})
		})
		if i < 0 {
			continue
		}
		other := p.Catalog.Equivalents(t.resource.GVR, t.sub)[i]
		path := p.matchField + "matchPolicy"
		out := p.report(p.document, codes.ExactMatchPolicy, diag.Warning, path, fmt.Sprintf("a request for %s in %s bypasses the rules", t.resource.GVR.Resource, other.GroupVersion()),
			"The server serves the same objects in that version. With matchPolicy Equivalent, it converts and checks them.")
		if e, ok := p.document.Rewrite(path, string(v1.Equivalent)); ok && out.Code != "" {
			out.Fixes = []diag.Fix{{Title: "Change to Equivalent", Edits: []diag.Edit{e}}}
		}
		return
	}
}
