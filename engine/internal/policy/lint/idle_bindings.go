package lint

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// idleBindings finds bindings that have no request with their policy in common. What the
// policy's conditions exclude is for idleConditions.
func idleBindings(p *policy) {
	for _, b := range p.bindings {
		if b.match == nil {
			continue
		}
		name := p.document.Name
		at, summary := p.disjoint(b.match)
		if at == "" {
			continue
		}
		p.report(b.document, codes.BindingMatchesNothing, diag.Warning, "spec.matchResources."+at, summary,
			fmt.Sprintf("A request must match both the binding and policy %s. No request can, so this binding has no effect.", name))
	}
}

// disjoint is the field of a binding that has nothing in common with the policy, and what to say.
func (p *policy) disjoint(m *v1.MatchResources) (field, summary string) {
	if contradiction(m.NamespaceSelector) == "" && contradiction(p.match.NamespaceSelector) == "" {
		if key := contradiction(m.NamespaceSelector, p.match.NamespaceSelector); key != "" && !p.reachesCluster(m) {
			return "namespaceSelector", "no namespace has both labels: " + bothDemands(p.match.NamespaceSelector, m.NamespaceSelector, key)
		}
	}
	if contradiction(m.ObjectSelector) == "" && contradiction(p.match.ObjectSelector) == "" && !p.mayUpdate(m) {
		if key := contradiction(m.ObjectSelector, p.match.ObjectSelector); key != "" {
			return "objectSelector", "no object has both labels: " + bothDemands(p.match.ObjectSelector, m.ObjectSelector, key)
		}
	}
	if len(m.ResourceRules) == 0 || len(p.match.ResourceRules) == 0 {
		return "", ""
	}
	for i := range p.match.ResourceRules {
		for j := range m.ResourceRules {
			if p.meet(&p.match.ResourceRules[i], &m.ResourceRules[j]) {
				return "", ""
			}
		}
	}
	return "resourceRules", "no request matches both a rule of the binding and a rule of the policy"
}

// bothDemands says what the selectors of a policy and of its binding demand of a label, the first of several.
func bothDemands(policy, binding *metav1.LabelSelector, keys string) string {
	key, _, _ := strings.Cut(keys, ", ")
	return fmt.Sprintf("the policy demands %s, the binding %s", requirements(policy)[key].of(key), requirements(binding)[key].of(key))
}

// reachesCluster reports whether requests without a namespace may match, which no namespaceSelector
// excludes.
func (p *policy) reachesCluster(m *v1.MatchResources) bool {
	return slices.ContainsFunc(p.targets(p.match.ResourceRules), func(t target) bool {
		return (t.resource == nil || !t.resource.Namespaced && t.resource.GVK.Kind != "Namespace") && (len(m.ResourceRules) == 0 || p.matchedBy(t, m.ResourceRules))
	})
}

// mayUpdate reports whether updates may match: an objectSelector is content with one of the two objects.
func (p *policy) mayUpdate(m *v1.MatchResources) bool {
	return slices.ContainsFunc(p.targets(p.match.ResourceRules), func(t target) bool {
		return t.operation == "UPDATE" && (len(m.ResourceRules) == 0 || p.matchedBy(t, m.ResourceRules))
	})
}

// meet reports whether two rules may match one request.
func (p *policy) meet(a, b *v1.NamedRuleWithOperations) bool {
	operations := slices.ContainsFunc(expanded(a.Operations), func(o string) bool { return slices.Contains(expanded(b.Operations), o) })
	names := len(a.ResourceNames) == 0 || len(b.ResourceNames) == 0 || slices.ContainsFunc(a.ResourceNames, func(n string) bool { return slices.Contains(b.ResourceNames, n) })
	if !operations || !names || scopesExclude(a.Scope, b.Scope) {
		return false
	}
	targets, all := p.ofRule(&a.RuleWithOperations)
	others, ofAll := p.ofRule(&b.RuleWithOperations)
	if !all && !ofAll {
		return true
	}
	if !all {
		targets, a, b = others, b, a
	}
	for _, t := range targets {
		for _, operation := range expanded(a.Operations) {
			t.operation = operation
			if p.matchedBy(t, []v1.NamedRuleWithOperations{*b}) {
				return true
			}
		}
	}
	return len(targets) == 0 // a rule that matches nothing has a finding of its own
}

func scopesExclude(a, b *v1.ScopeType) bool {
	return a != nil && b != nil && *a != *b && *a != v1.AllScopes && *b != v1.AllScopes
}
