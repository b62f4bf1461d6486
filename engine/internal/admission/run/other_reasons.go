package run

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/internal/admission/condition"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
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
			for _, reason := range append([]string{bound.Why.Reason}, bound.Why.Also...) {
				why.Also = append(why.Also, fmt.Sprintf("binding %s: %s", b.Name, reason))
			}
		}
	}
	if p.ParamKind == nil {
		c.FalseConditions(why, p.Conditions, p.Compiler.Variables, p.Ignore())
	}
}

// FalseConditions adds to why a policy or webhook does not match the request its match conditions that are false as well.
// Nothing is added where nobody looks at the parts of expressions.
func (c *Chain) FalseConditions(why *report.Match, conditions []condition.Condition, variables []eval.Variable, ignore bool) {
	if !c.Evaluator.Traces() || len(conditions) == 0 {
		return
	}
	object, err := c.Versioned(c.Attributes.Object, c.Attributes.Kind)
	if err != nil {
		return
	}
	in, err := c.ConditionInputs(object, c.Attributes.Kind)
	if err != nil {
		return
	}
	c.quietly(func() {
		outcome := condition.Evaluate(c.Evaluator, conditions, variables, in, ignore)
		for i := range outcome.Evaluations {
			if e := &outcome.Evaluations[i]; e.Error == "" && e.Result == false {
				why.Also = append(why.Also, fmt.Sprintf("match condition %q is false", e.Name))
			}
		}
	})
}
