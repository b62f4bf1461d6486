package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// What is behind a value that is no YAML is told with it, at its place in the text as
// it is, and its repairs fit that text.
func TestBehindSyntax(t *testing.T) {
	policies := `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limit}
spec:
  failurePolicy: Deny
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
  - expression: 'owner' in object.metadata.labels
  - expression: object.spec.replicas <= 5 and object.spec.paused
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: limit}
spec: {policyName: limit, validationActions: [Deny]}
`
	s := scenario.Scenario{Policies: policies}
	r := evaluated(t, s)
	want := map[string]string{codes.YAMLSyntax: "in", codes.UnsupportedValue: "Deny", codes.CELCompile: "and"}
	for _, d := range r.Diagnostics {
		if d.Severity != diag.Error {
			continue
		}
		if got := policies[d.Span.Start:d.Span.End]; got != want[d.Code] && d.Code != codes.YAMLSyntax {
			t.Errorf("%s is at %q", d.Code, got)
		}
		if d.Next != (d.Code != codes.YAMLSyntax) {
			t.Errorf("%s: next is %v", d.Code, d.Next)
		}
		if len(d.Fixes) == 0 {
			t.Fatalf("%s has no repair", d.Code)
		}
		s = applied(t, scenario.Scenario{Policies: s.Policies}, shifted(d.Fixes[0], policies, s.Policies))
		delete(want, d.Code)
	}
	if len(want) > 0 {
		t.Errorf("not told: %v", want)
	}
	for _, d := range evaluated(t, s).Diagnostics {
		if d.Severity == diag.Error && d.Text == diag.Policies {
			t.Errorf("is left: %s %s", d.Code, d.Summary)
		}
	}
}

// shifted is a repair of a text in one that other repairs, none of them at the same
// line, have changed.
func shifted(f diag.Fix, from, to string) diag.Fix {
	var edits []diag.Edit
	for _, e := range f.Edits {
		line := strings.Count(from[:e.Span.Start], "\n")
		column := e.Span.Start - strings.LastIndexByte(from[:e.Span.Start], '\n') - 1
		lines := strings.SplitAfter(to, "\n")
		start := len(strings.Join(lines[:line], "")) + column
		e.Span = diag.Span{Start: start, End: start + e.Span.End - e.Span.Start}
		edits = append(edits, e)
	}
	f.Edits = edits
	return f
}

// Each document that is no YAML is looked behind, at its own places.
func TestBehindEach(t *testing.T) {
	document := func(name, wrong string) string {
		return `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ` + name + `}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
  - expression: 'owner' in object.metadata.labels
  - expression: ` + wrong + `
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ` + name + `}
spec: {policyName: ` + name + `, validationActions: [Deny]}
`
	}
	policies := document("first", "object.spec.paused and true") + "---\n" + document("second", "object.spec.replicas == true or false")
	var behind []string
	unreadable := 0
	for _, d := range evaluated(t, scenario.Scenario{Policies: policies}).Diagnostics {
		switch {
		case d.Code == codes.YAMLSyntax:
			unreadable++
		case d.Severity == diag.Error && d.Next:
			behind = append(behind, d.Document+" "+policies[d.Span.Start:d.Span.End])
		}
	}
	want := []string{"ValidatingAdmissionPolicy/first and", "ValidatingAdmissionPolicy/second or"}
	if unreadable != 2 || !slices.Equal(behind, want) {
		t.Errorf("%d documents cannot be read, and behind them is %q", unreadable, behind)
	}
}
