package customresource_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestRuleSteps: what the step of a custom resource shows of its rules, and how it sums
// them up.
func TestRuleSteps(t *testing.T) {
	const schema = `{type: object, properties: {a: {type: integer}, b: {type: integer}, c: {type: integer}, d: {type: integer}, e: {type: integer}}, x-kubernetes-validations: [{rule: "self.a < 3", messageExpression: "self.a > 3 ? 'far too large' : 'too large'"}, {rule: "self.a >= oldSelf.a", message: it only grows}]}`
	for _, c := range []struct {
		name, object, old string
		want              string // each rule with its decision and message, and the reason
	}{
		{"a new one", widget("{a: 1}", ""), "", "self.a < 3: admit; self.a >= oldSelf.a:, 1 notes; The object fits the schema, its rules hold."},
		{"a new one that is refused", widget("{a: 5}", ""), "", "self.a < 3: deny far too large (self.a > 3 ? 'far too large' : 'too large'); self.a >= oldSelf.a:, 1 notes; The object fits the schema, 1 rule fails."},
		{"an update", widget("{a: 2}", ""), widget("{a: 1}", ""), "self.a < 3: admit; self.a >= oldSelf.a: admit; The object fits the schema, its rules hold."},
		{"an update that is refused", widget("{a: 3}", ""), widget("{a: 4}", ""), "self.a < 3: deny too large (self.a > 3 ? 'far too large' : 'too large'); self.a >= oldSelf.a: deny it only grows; The object fits the schema, 2 rules fail."},
		{"an update that keeps a wrong type", widget("{a: 2, b: x, c: x, d: x, e: x}", ""), widget("{a: 1, b: x, c: x, d: x, e: x}", ""), "self.a < 3: admit; self.a >= oldSelf.a: admit; The schema rejects only values that stay as they were (spec.b, spec.c, spec.d and 1 more), its rules hold."},
		{"an update that keeps one wrong type and changes another", widget("{a: 2, b: x, c: y}", ""), widget("{a: 1, b: x, c: x}", ""), "1 error of the schema; the rules were not run."},
		{"a wrong type", widget("{a: x}", ""), "", "1 error of the schema; the rules were not run."},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := sent(t, "1.36", schema, c.object, c.old)
			var got []string
			for _, s := range r.Steps {
				if s.Policy != "widgets.example.com" && s.Kind != "CustomResourceDefinition" {
					continue
				}
				for _, v := range s.Validations {
					text := strings.TrimSpace(fmt.Sprintf("%s: %s %s", v.Expression, v.Decision, strings.TrimPrefix(v.Message, "spec: Invalid value: ")))
					if v.MessageExpression != nil {
						text += " (" + v.MessageExpression.Expression + ")"
					}
					if len(v.Notes) > 0 {
						text += fmt.Sprintf(", %d notes", len(v.Notes))
					}
					got = append(got, text)
				}
				got = append(got, s.Reason)
			}
			if text := strings.Join(got, "; "); text != c.want {
				t.Errorf("got\n%s\nwant\n%s", text, c.want)
			}
		})
	}
}
