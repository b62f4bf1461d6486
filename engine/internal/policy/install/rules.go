package install

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/report/codes"
)

// The values of the fields with a fixed set, in the server's order.
var (
	failurePolicies      = []string{"Fail", "Ignore"}
	matchPolicies        = []string{"Equivalent", "Exact"}
	reinvocationPolicies = []string{"IfNeeded", "Never"}
	scopes               = []string{"*", "Cluster", "Namespaced"}
	operations           = []string{"*", "CONNECT", "CREATE", "DELETE", "UPDATE"}
	mutatingOperations   = []string{"*", "CONNECT", "CREATE", "UPDATE"}
)

// matchResources checks matchConstraints of a policy or matchResources of a
// binding (semantics §11.2).
func (c *checker) matchResources(path *field.Path, m *v1.MatchResources) {
	if m == nil {
		return
	}
	requiredOneOf(c, path.Child("matchPolicy"), m.MatchPolicy, matchPolicies)
	c.requiredSelector(path.Child("namespaceSelector"), m.NamespaceSelector)
	c.requiredSelector(path.Child("objectSelector"), m.ObjectSelector)
	for i := range m.ResourceRules {
		c.namedRule(path.Child("resourceRules").Index(i), &m.ResourceRules[i])
	}
	for i := range m.ExcludeResourceRules {
		c.namedRule(path.Child("excludeResourceRules").Index(i), &m.ExcludeResourceRules[i])
	}
}

// noDelete rejects DELETE in the rules of a mutating policy or its binding. The
// server names neither the rule nor the operation.
func (c *checker) noDelete(path *field.Path, m *v1.MatchResources) {
	if m == nil {
		return
	}
	rules := path.Child("resourceRules")
	for i, rule := range m.ResourceRules {
		for j, operation := range rule.Operations {
			if p := oneOf(c, rules.Child("operations"), operation, mutatingOperations); p != nil {
				p.at = rules.Index(i).Child("operations").Index(j).String()
				p.hint = "Mutating policies run on CREATE, UPDATE and CONNECT only; a DELETE has no object to change."
			}
		}
	}
}

func (c *checker) namedRule(path *field.Path, r *v1.NamedRuleWithOperations) {
	seen := map[string]bool{}
	for i, name := range r.ResourceNames {
		at := path.Child("resourceNames").Index(i)
		for _, msg := range content.IsPathSegmentName(name) {
			c.invalid(codes.InvalidRule, at, name, msg)
		}
		if seen[name] {
			c.duplicate(at, name)
		}
		seen[name] = true
	}
	c.rule(path, &r.RuleWithOperations)
}

// rule checks a rule of a policy, a binding or a webhook.
func (c *checker) rule(path *field.Path, r *v1.RuleWithOperations) {
	at := path.Child("operations")
	if len(r.Operations) == 0 {
		c.required(at, "")
	}
	if len(r.Operations) > 1 && slices.Contains(r.Operations, v1.OperationAll) {
		value := goList[v1.OperationType]{r.Operations, "[]admissionregistration.OperationType"}
		c.invalid(codes.InvalidRule, at, value, "if '*' is present, must not specify other operations")
	}
	for i, operation := range r.Operations {
		oneOf(c, at.Index(i), operation, operations)
	}

	c.wildcardAlone(path.Child("apiGroups"), r.APIGroups, "if '*' is present, must not specify other API groups")
	c.wildcardAlone(path.Child("apiVersions"), r.APIVersions, "if '*' is present, must not specify other API versions")
	for i, version := range r.APIVersions {
		if version == "" {
			c.required(path.Child("apiVersions").Index(i), "")
		}
	}
	c.ruleResources(path.Child("resources"), r.Resources)
	if r.Scope != nil {
		oneOf(c, path.Child("scope"), *r.Scope, scopes)
	}
}

func (c *checker) wildcardAlone(path *field.Path, list []string, text string) {
	if len(list) == 0 {
		c.required(path, "")
	}
	if len(list) > 1 && slices.Contains(list, "*") {
		c.invalid(codes.InvalidRule, path, stringList(list), text)
	}
}

// ruleResources checks the resources of a rule: r, r/sub, r/*, */sub, * and
// */*. A wildcard is only compared with the entries after it, and '*' only
// with the last entry that has no slash: so does the server (semantics §11.2).
func (c *checker) ruleResources(path *field.Path, resources []string) {
	if len(resources) == 0 {
		c.required(path, "")
	}
	allSubresources := map[string]bool{} // r of r/*
	allResources := map[string]bool{}    // sub of */sub
	lastIsPlain := false
	for i, entry := range resources {
		at := path.Index(i)
		if entry == "" {
			c.required(at, "")
			continue
		}
		resource, sub, slash := strings.Cut(entry, "/")
		if !slash {
			lastIsPlain = entry != "*"
			continue
		}
		if allSubresources[resource] {
			c.invalid(codes.InvalidRule, at, entry, fmt.Sprintf("if '%s/*' is present, must not specify %s", resource, entry))
		}
		if allResources[sub] {
			c.invalid(codes.InvalidRule, at, entry, fmt.Sprintf("if '*/%s' is present, must not specify %s", sub, entry))
		}
		if sub == "*" {
			allSubresources[resource] = true
		}
		if resource == "*" {
			allResources[sub] = true
		}
	}
	if len(resources) > 1 && slices.Contains(resources, "*/*") {
		c.invalid(codes.InvalidRule, path, stringList(resources), "if '*/*' is present, must not specify other resources")
	}
	if lastIsPlain && slices.Contains(resources, "*") {
		c.invalid(codes.InvalidRule, path, stringList(resources), "if '*' is present, must not specify other resources without subresources")
	}
}
