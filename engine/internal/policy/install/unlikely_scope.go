package install

import (
	"fmt"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/repair/documents"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// scope looks for a rule whose scope none of its resources has, and reports whether it is one: Cluster
// for Pods. found are the resources of the API for each that the rule names.
func (p *plausible) scope(d *scenario.Document, at fieldpath.Path, r *v1.RuleWithOperations, found [][]catalog.Resource) bool {
	if r.Scope == nil || *r.Scope == v1.AllScopes {
		return false
	}
	for _, list := range found {
		if len(list) == 0 {
			return false // any resource, or one that is not known
		}
		for _, resource := range list {
			// Requests about a Namespace itself are those of a cluster.
			if resource.Namespaced == (*r.Scope == v1.NamespacedScope) {
				return false
			}
		}
	}
	if len(found) == 0 {
		return false
	}
	other, are := v1.NamespacedScope, "in namespaces"
	if *r.Scope == v1.NamespacedScope {
		other, are = v1.ClusterScope, "of the whole cluster"
	}
	path := at.Child("scope").String()
	out := p.in.report(d, codes.UnlikelyRule, diag.Warning, d.Locate(path), fmt.Sprintf("scope %s fits no resource of this rule", *r.Scope),
		fmt.Sprintf("The resources of this rule are %s, so the rule never matches.", are))
	out.Path, out.Fixes = path, documents.Fix("Change to "+string(other), p.in.texts.Of(d).ToRewrite(path, string(other)))
	return true
}
