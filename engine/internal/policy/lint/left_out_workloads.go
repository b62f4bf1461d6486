package lint

import (
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// templated are the resources with a Pod template.
var templated = []string{"deployments", "statefulsets", "daemonsets", "replicasets", "replicationcontrollers", "jobs", "cronjobs"}

// leftOutWorkloads finds policies about the rights of Pods that match only kinds with a Pod template, where nothing
// else matches Pods.
func leftOutWorkloads(p *policy) {
	name := p.securityField()
	if p.webhook || name == "" || len(p.bindings) > 0 && !slices.ContainsFunc(p.bindings, binding.denies) {
		return
	}
	for _, t := range p.targets(p.match.ResourceRules) {
		if t.resource == nil || !t.resource.Builtin || !slices.Contains(templated, t.resource.GVR.Resource) {
			return
		}
	}
	matchesPods := func(r v1.NamedRuleWithOperations) bool {
		return holds(r.APIGroups, "") && namesResource(r.Resources, "pods", "")
	}
	if !p.creates() || slices.ContainsFunc(p.all, func(o *policy) bool { return slices.ContainsFunc(o.match.ResourceRules, matchesPods) }) {
		return
	}
	p.report(p.document, codes.WorkloadsLeftOut, diag.Info, p.matchField+fieldpath.Item(p.rulesField, 0)+".resources", "who creates a Pod directly bypasses the check of "+name,
		"Every kind of workload creates Pods: a policy for pods checks all of them, also those of kinds that this one does not match.")
}
