package match

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"
)

// also collects the reasons after the deciding one. The server stops at the first, but a reader who
// fixes it would meet the next. Each test runs on a comparison of its own.
func (c *comparison) also(tests ...func(*comparison)) {
	for _, test := range tests {
		own := &comparison{matcher: c.matcher, request: c.request, target: c.target}
		if test(own); own.why.Reason != "" {
			c.why.Also = append(c.why.Also, own.why.Reason)
		}
		c.why.Also = append(c.why.Also, own.why.Also...)
	}
}

// otherRequirements adds the requirements of a selector after the first that labels do not meet.
func (c *comparison) otherRequirements(kind, who string, failing []requirement) {
	for _, r := range failing[1:] {
		c.why.Also = append(c.why.Also, fmt.Sprintf("%s wants %s, but %s %s", kind, r.wants, who, r.has))
	}
}

// objectSelectorReason says why the objectSelector does not match.
func objectSelectorReason(c *comparison) { _, _ = c.objectSelector() }

// excludedReasons say which rules exclude the request from the given one on.
func excludedReasons(from int) func(*comparison) {
	return func(c *comparison) {
		for i := from; i < len(c.target.excluded); i++ {
			own := *c
			own.target.excluded = c.target.excluded[i : i+1]
			if found := own.findRule("excludeRule", own.target.excluded, &c.target.names.excluded); found.matched && found.err == nil {
				found.path = c.target.names.excluded.item(i).path
				c.why.Also = append(c.why.Also, own.excludedSentence(found))
			}
		}
	}
}

// ruleReason says why no rule matches.
func ruleReason(c *comparison) {
	if len(c.target.rules) == 0 {
		return
	}
	if found := c.findRule("rule", c.target.rules, &c.target.names.rules); !found.matched && found.err == nil {
		c.explainNoRule(c.target.names.rules.path)
		otherParts(c)
	}
}

// otherParts adds what else of the rule about the request's resource does not match that has the fewest such parts.
func otherParts(c *comparison) {
	best, parts := -1, []mismatch(nil)
	for i := range c.target.rules {
		if !isAbout(&c.target.rules[i].RuleWithOperations, c.request) {
			continue
		}
		if all := mismatches(c.target.rules[i], c.request); best < 0 || len(all) < len(parts) {
			best, parts = i, all
		}
	}
	for i := 1; i < len(parts); i++ {
		c.why.Also = append(c.why.Also, parts[i].sentence(c.ruleName(best)))
	}
}

// mismatches are all parts of a rule about the request's resource that the request does not match, in the server's order.
func mismatches(rule v1.NamedRuleWithOperations, request *Request) (all []mismatch) {
	for {
		mis := compareRule(&rule.RuleWithOperations, request, request.Resource)
		if mis == (mismatch{}) {
			mis = compareNames(rule.ResourceNames, request)
		}
		switch mis.field {
		case "scope":
			rule.Scope = nil
		case "operations":
			rule.Operations = []v1.OperationType{v1.OperationAll}
		case "apiVersions":
			rule.APIVersions = []string{"*"}
		case "resourceNames":
			rule.ResourceNames = nil
		default:
			return all
		}
		all = append(all, mis)
	}
}

// isAbout reports whether a rule is about the request's resource, perhaps for other operations or names, or in another
// scope or version.
func isAbout(rule *v1.RuleWithOperations, request *Request) bool {
	return holds(rule.APIGroups, request.Resource.Group) && resourceMatches(rule.Resources, request.Resource.Resource, request.SubResource)
}

// near reports whether a rule is about the request's resource.
func (c *comparison) near() bool {
	if len(c.target.rules) == 0 {
		return c.target.emptyMatches
	}
	return slices.ContainsFunc(c.target.rules, func(rule v1.NamedRuleWithOperations) bool { return isAbout(&rule.RuleWithOperations, c.request) })
}
