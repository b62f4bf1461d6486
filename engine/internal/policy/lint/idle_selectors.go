package lint

import (
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// idleSelectors finds namespaceSelectors of what is in no namespace, objectSelectors of what has no labels, and rules
// all of which are excluded.
func idleSelectors(p *policy) {
	targets := p.targets(p.match.ResourceRules)
	if p.webhook || len(targets) == 0 {
		return
	}
	look := func(d *scenario.Document, path string, m *v1.MatchResources) {
		if m == nil {
			return
		}
		of := slices.DeleteFunc(slices.Clone(targets), func(t target) bool { return len(m.ResourceRules) > 0 && !p.matchedBy(t, m.ResourceRules) })
		if len(of) == 0 {
			return
		}
		if demands(m.NamespaceSelector) && !slices.ContainsFunc(of, inNamespaces) {
			p.report(d, codes.SelectorWithoutEffect, diag.Warning, path+"namespaceSelector", "this namespaceSelector has no effect: the rules match only cluster-scoped resources",
				"A request without a namespace passes every namespaceSelector. Use an objectSelector or a match condition.")
		}
		if demands(m.ObjectSelector) && requires(m.ObjectSelector) && !slices.ContainsFunc(of, func(t target) bool { return t.operation != "CONNECT" }) {
			p.report(d, codes.ContradictorySelector, diag.Warning, path+"objectSelector", "a CONNECT request has no labels, so this objectSelector never matches",
				"Its object holds the connection's options. Use a namespaceSelector or a match condition about request.name.")
		}
		if len(m.ExcludeResourceRules) > 0 && !slices.ContainsFunc(of, func(t target) bool { return !p.excluded(t, m.ExcludeResourceRules) }) {
			p.report(d, codes.ContradictorySelector, diag.Warning, path+"excludeResourceRules", "these rules exclude everything that matches", "Requests that match both are excluded.")
		}
	}
	look(p.document, p.matchField, &p.match)
	for _, b := range p.bindings {
		look(b.document, "spec.matchResources.", b.match)
	}
}

func demands(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0
}

// requires reports whether a selector wants a label to be there.
func requires(s *metav1.LabelSelector) bool {
	for _, r := range requirements(s) {
		if r.Exists {
			return true
		}
	}
	return false
}

func inNamespaces(t target) bool {
	return t.resource == nil || t.resource.Namespaced || t.resource.GVK.Kind == "Namespace"
}

// excluded reports whether rules exclude every request of a target, by whatever name.
func (p *policy) excluded(t target, rules []v1.NamedRuleWithOperations) bool {
	return slices.ContainsFunc(rules, func(rule v1.NamedRuleWithOperations) bool {
		if len(rule.ResourceNames) > 0 || rule.Scope != nil && *rule.Scope != v1.AllScopes || !slices.Contains(expanded(rule.Operations), t.operation) {
			return false
		}
		if t.resource == nil {
			return slices.Contains(rule.APIGroups, "*") && slices.Contains(rule.APIVersions, "*") && slices.Contains(rule.Resources, "*/*")
		}
		return holds(rule.APIGroups, t.resource.GVR.Group) && holds(rule.APIVersions, t.resource.GVR.Version) && namesResource(rule.Resources, t.resource.GVR.Resource, t.sub)
	})
}
