package match

// also collects the reasons behind the one that decided: the server stops there, a reader
// who repairs it would meet them one after another.
func (c *comparison) also(reasons ...func() string) {
	for _, reason := range reasons {
		if text := reason(); text != "" {
			c.why.Also = append(c.why.Also, text)
		}
	}
}

// apart is the same comparison before its first test.
func (c *comparison) apart() *comparison {
	return &comparison{matcher: c.matcher, request: c.request, target: c.target}
}

// objectSelectorReason says why the objectSelector does not match; empty where it does.
func (c *comparison) objectSelectorReason() string {
	own := c.apart()
	if matches, err := own.objectSelector(); matches || err != nil {
		return ""
	}
	return own.why.Reason
}

// ruleReason says which rule excludes the request, or why none matches; empty where one
// matches.
func (c *comparison) ruleReason() string {
	own := c.apart()
	if found := own.findRule("excludeRule", c.target.excluded, &c.target.names.excluded); found.err != nil {
		return ""
	} else if found.matched {
		return own.excludedSentence(found)
	}
	if len(c.target.rules) == 0 {
		return ""
	}
	if found := own.findRule("rule", c.target.rules, &c.target.names.rules); found.matched || found.err != nil {
		return ""
	}
	own.explainNoRule(c.target.names.rules.path)
	return own.why.Reason
}
