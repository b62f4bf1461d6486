package match

import (
	"slices"

	v1 "k8s.io/api/admissionregistration/v1"
)

// also collects the reasons after the deciding one. The server stops at the first, but a reader who
// fixes it would meet the next.
func (c *comparison) also(reasons ...func() string) {
	for _, reason := range reasons {
		if text := reason(); text != "" {
			c.why.Also = append(c.why.Also, text)
		}
	}
}

// apart returns the same comparison before its first test.
func (c *comparison) apart() *comparison {
	return &comparison{matcher: c.matcher, request: c.request, target: c.target}
}

// objectSelectorReason says why the objectSelector does not match; empty if it does.
func (c *comparison) objectSelectorReason() string {
	own := c.apart()
	if matches, err := own.objectSelector(); matches || err != nil {
		return ""
	}
	return own.why.Reason
}

// excludedReason says which rule excludes the request; empty if none does.
func (c *comparison) excludedReason() string {
	own := c.apart()
	found := own.findRule("excludeRule", c.target.excluded, &c.target.names.excluded)
	if found.err != nil || !found.matched {
		return ""
	}
	return own.excludedSentence(found)
}

// near reports whether a rule is about the request's resource, for any operation.
func (c *comparison) near() bool {
	if len(c.target.rules) == 0 {
		return c.target.emptyMatches
	}
	return slices.ContainsFunc(c.target.rules, func(rule v1.NamedRuleWithOperations) bool {
		any := rule.RuleWithOperations
		any.Operations = []v1.OperationType{v1.OperationAll}
		return compareRule(&any, c.request, c.request.Resource) == (mismatch{})
	})
}

// ruleReason says why no rule matches; empty if one does.
func (c *comparison) ruleReason() string {
	if len(c.target.rules) == 0 {
		return ""
	}
	own := c.apart()
	if found := own.findRule("rule", c.target.rules, &c.target.names.rules); found.matched || found.err != nil {
		return ""
	}
	own.explainNoRule(c.target.names.rules.path)
	return own.why.Reason
}
