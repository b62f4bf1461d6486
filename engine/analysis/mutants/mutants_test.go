package mutants_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/mutants"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

func policies(expression string) string {
	return `# a comment
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: sizes}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations:
  - message: wrong
    expression: >-
      ` + expression + `
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: sizes}
spec: {policyName: sizes, validationActions: [Deny]}
`
}

func evaluate(t *testing.T, policies string) *report.Report {
	t.Helper()
	s := scenario.Scenario{Policies: policies, Request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, data: {size: small, n: '3'}}"}
	r, err := engine.Evaluate(context.Background(), s, engine.Options{Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOf lists the mutants of expressions.
func TestOf(t *testing.T) {
	for expression, want := range map[string][]string{
		"object.data.size() <= 5": {"true", "false", "object.data.size() < 5", "object.data.size() <= 6"},
		"!has(object.data) || object.data.size != 'large'": {
			"true", "false", "!has(object.data) && object.data.size != 'large'", "(object.data.size != 'large')", "(!has(object.data))",
			"(has(object.data)) || object.data.size != 'large'", "!has(object.data) || object.data.size == 'large'",
		},
		"object.data.all(k, k.startsWith('s') || k == 'n')": {
			"true", "false", "object.data.exists(k, k.startsWith('s') || k == 'n')", "object.data.all(k, k.startsWith('s') && k == 'n')",
			"object.data.all(k, (k == 'n'))", "object.data.all(k, (k.startsWith('s')))", "object.data.all(k, k.endsWith('s') || k == 'n')",
			"object.data.all(k, k.startsWith('s') || k != 'n')",
		},
		"object.data.size == 'small' ? true : false": {
			"true", "false", "!(object.data.size == 'small') ? true : false", "object.data.size != 'small' ? true : false", "object.data.size == 'small' ? false : false",
		},
	} {
		text := policies(expression)
		r := evaluate(t, text)
		var got []string
		for _, m := range mutants.Of(r, r) {
			got = append(got, m.Mutated)
			changed, inPlace, err := m.Policies(text)
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Split(changed, "\n"); !inPlace || len(lines) != strings.Count(text, "\n")+1 || lines[len(lines)-2] != "spec: {policyName: sizes, validationActions: [Deny]}" {
				t.Errorf("%s: lines have moved: %s", m.Change, changed)
			}
			after := evaluate(t, changed)
			if len(after.Steps) == 0 || after.Steps[0].Validations[0].Expression != m.Mutated {
				t.Errorf("%s: the policies have not got %s: %s", expression, m.Mutated, changed)
			}
			if part := strings.TrimPrefix(text[m.Span.Start:m.Span.End], ">-"); !strings.Contains(expression, strings.TrimSpace(part)) {
				t.Errorf("%s: %s is at %q", expression, m.Change, part)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s has the mutants\n%s\nwant\n%s", expression, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestRewritten checks that the text without a change means the same.
func TestRewritten(t *testing.T) {
	text := policies("object.data.size() <= 5")
	plain, err := mutants.Rewritten(text)
	if err != nil {
		t.Fatal(err)
	}
	before, after := evaluate(t, text), evaluate(t, plain)
	if before.Outcome.State != after.Outcome.State || len(before.Steps) != len(after.Steps) {
		t.Errorf("%s became %s", before.Outcome.State, after.Outcome.State)
	}
	m := mutants.Mutant{Kind: "ValidatingAdmissionPolicy", Name: "other", Path: "spec.validations[0].expression"}
	if _, _, err := m.Policies(text); err == nil {
		t.Error("a policy that is not there is changed")
	}
	if _, err := mutants.Rewritten("a: ["); err == nil {
		t.Error("a text that cannot be read is written")
	}
}

// TestAlias: where another field has the same text by an alias, the policies are written
// anew, so that only the one changes.
func TestAlias(t *testing.T) {
	text := strings.Replace(policies("object.data.size() <= 5"), "  - message: wrong\n    expression: >-\n      object.data.size() <= 5\n",
		"  - message: &a object.data.size() <= 5\n    expression: *a\n", 1)
	m := mutants.Mutant{Kind: "ValidatingAdmissionPolicy", Name: "sizes", Path: "spec.validations[0].expression", Expression: "object.data.size() <= 5", Mutated: "true"}
	changed, inPlace, err := m.Policies(text)
	if err != nil || inPlace || !strings.Contains(changed, `expression: "true"`) && !strings.Contains(changed, "expression: 'true'") {
		t.Errorf("%v, in place %v: %s", err, inPlace, changed)
	}
	m.Path = "spec.validations[0].message" // what the alias refers to
	if changed, inPlace, err = m.Policies(text); err != nil || inPlace || !strings.Contains(changed, "expression: object.data.size() <= 5") {
		t.Errorf("%v, in place %v: %s", err, inPlace, changed)
	}
}
