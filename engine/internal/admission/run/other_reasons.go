package run

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/internal/admission/condition"
	"github.com/preadmit/preadmit/engine/report"
)

// otherReasons adds to why a policy does not apply what else keeps it from the request: the server stops at
// the first reason, a reader who repairs it would meet them one after the other. Nothing is added where nobody
// looks at the parts of expressions.
func (c *Chain) otherReasons(why *report.Match, p *Policy, bindings []Binding) {
	if !c.Evaluator.Traces() {
		return
	}
	for i := range bindings {
		b := &bindings[i]
		if bound := c.Matcher.Binding(&c.Attributes.Request, b.Match); !bound.Matched && bound.Err == nil {
			why.Also = append(why.Also, fmt.Sprintf("binding %s: %s", b.Name, bound.Why.Reason))
		}
	}
	object, err := c.Versioned(c.Attributes.Object, c.Attributes.Kind)
	if err != nil || p.ParamKind != nil || len(p.Conditions) == 0 {
		return
	}
	in, err := c.ConditionInputs(object, c.Attributes.Kind)
	if err != nil {
		return
	}
	c.quietly(func() {
		outcome := condition.Evaluate(c.Evaluator, p.Conditions, p.Compiler.Variables, in, p.Ignore())
		for i := range outcome.Evaluations {
			if e := &outcome.Evaluations[i]; e.Error == "" && e.Result == false {
				why.Also = append(why.Also, fmt.Sprintf("match condition %q is false", e.Name))
			}
		}
	})
}
