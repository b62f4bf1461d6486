package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestExpressionLimits checks expressions at the limits of the parser and past
// them, where cel-go reports a problem without a position: the server rejects
// the policy, in these words.
func TestExpressionLimits(t *testing.T) {
	sum := func(terms int) string { return strings.Repeat("1 + ", terms-1) + "1 > 0" }
	sized := func(size int) string { return "'" + strings.Repeat("x", size-8) + "' != ''" }
	const nested, deep = "expression recursion limit exceeded: 250", "max recursion depth exceeded"
	for _, c := range []struct{ name, expression, want string }{
		{"sum at the limit", sum(250), ""},
		{"sum past it", sum(251), deep},
		{"brackets at the limit", strings.Repeat("(", 249) + "true" + strings.Repeat(")", 249), ""},
		{"brackets past it", strings.Repeat("(", 250) + "true" + strings.Repeat(")", 250), nested},
		{"selections past it", "object" + strings.Repeat(".a", 300) + " == 1", deep},
		{"calls past it", "''" + strings.Repeat(".trim()", 300) + " == ''", deep},
		{"length at the limit", sized(100_000), ""},
		{"length past it", sized(100_001), "expression code point size exceeds limit: size: 100001, limit 100000"},
	} {
		for _, field := range []string{"validations", "matchConditions"} {
			t.Run(c.name+" in "+field, func(t *testing.T) { checkLimit(t, field, c.expression, c.want) })
		}
		t.Run(c.name+" alone", func(t *testing.T) {
			r, err := engine.Evaluate(context.Background(), scenario.Scenario{Expression: c.expression}, engine.Everything())
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Expression.Error; c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got the error %.200q, want %q", got, c.want)
			}
			checkMark(t, r.Diagnostics, diag.Expression, c.expression, c.expression, c.want)
		})
	}
}

func checkLimit(t *testing.T, field, expression, want string) {
	name := ""
	if field == "matchConditions" {
		name = ", name: c"
	}
	s := scenario.Scenario{Policies: fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]}
  validations: [{expression: "true"}]
  %s: [{expression: "%s"%s}]
`, strings.Replace(field, "validations", "auditAnnotations: []\n  validations", 1), expression, name)}
	if field == "validations" {
		s.Policies = strings.Replace(s.Policies, "  validations: [{expression: \"true\"}]\n", "", 1)
	}
	r, err := engine.Evaluate(context.Background(), s, engine.Everything())
	if err != nil {
		t.Fatal(err)
	}
	if want == "" {
		if len(r.Install) > 0 {
			t.Errorf("refused: %.300q", r.Install[0].Message)
		}
		return
	}
	words := fmt.Sprintf("compilation failed: ERROR: <input>:-1:0: %s", want)
	if len(r.Install) != 1 || r.Install[0].Code != 422 || !strings.Contains(r.Install[0].Message, words) {
		t.Fatalf("want a refusal with %q, got %.300s", words, fmt.Sprint(r.Install))
	}
	checkMark(t, r.Diagnostics, diag.Policies, s.Policies, expression, want)
}

// checkMark checks that a problem underlines all of the expression, as it is
// about all of it.
func checkMark(t *testing.T, list []diag.Diagnostic, text diag.Text, plain, expression, want string) {
	t.Helper()
	for _, d := range list {
		if want != "" && d.Text == text && strings.Contains(d.Summary, want) {
			if got := plain[d.Span.Start:d.Span.End]; got != expression {
				t.Errorf("underlined are %d bytes: %.100q", len(got), got)
			}
			return
		}
	}
	if want != "" {
		t.Errorf("no diagnostic says %q", want)
	}
}

// TestFreeExpressionMark checks what the problems of a free expression
// underline: all of what is wrong.
func TestFreeExpressionMark(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		{"undefinedName + 1", "undefinedName"},
		{"1 ==\n  'ä' + undefinedName", "undefinedName"},
		{"size(5) == 1", "size"},
		{"'ä'.nope()", "nope"},
		{"1 == 'a'", "=="},
		{"a +", "+"},
	} {
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Expression: c.expression}, engine.Everything())
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, d := range r.Diagnostics {
			found = found || d.Text == diag.Expression && c.expression[d.Span.Start:d.Span.End] == c.want
		}
		if !found {
			t.Errorf("%s: want %q underlined, got %+v", c.expression, c.want, r.Diagnostics)
		}
	}
}
