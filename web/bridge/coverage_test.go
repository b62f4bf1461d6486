package bridge

import (
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

// cover calls coverage with a limited number of cases per call.
func cover(t *testing.T, s scenario.Scenario, each int, cases ...Case) CoverageReply {
	t.Helper()
	var got CoverageReply
	for first := true; first || len(cases) > 0; first = false {
		next := CoverageReply{}
		run := CoverageRun{Scenario: s, Cases: cases[:min(each, len(cases))], Former: got.Former}
		if msg := callWith(t, "cases/coverage", run, &next); msg != "" {
			t.Fatal(msg)
		}
		next.Elsewhere += got.Elsewhere
		cases = cases[next.Done:]
		got = next
	}
	return got
}

const either = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: either}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations:
  - expression: "object.metadata.name == 'a' || object.metadata.name == 'b'"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: either}
spec: {policyName: either, validationActions: [Deny]}
`

// TestCoverage: gaps close case by case, in one call or in slices.
func TestCoverage(t *testing.T) {
	s := scenario.Scenario{Policies: either}
	named := func(name string) Case {
		return Case{Name: name, Request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + ", namespace: shop}}"}
	}
	gaps := func(r CoverageReply) []string {
		var out []string
		for _, g := range r.Gaps {
			if text := strings.Join(strings.Fields(either[g.Span.Start:g.Span.End]), " "); !strings.Contains(text, g.Text) {
				t.Errorf("the place of %q is %q", g.Text, text)
			}
			out = append(out, g.Text+": "+g.What)
		}
		return out
	}
	const a, b = "object.metadata.name == 'a'", "object.metadata.name == 'b'"
	for _, test := range []struct {
		cases []Case
		want  []string
	}{
		{nil, []string{a + " || " + b + ": never ran"}},
		{[]Case{named("a")}, []string{a + " || " + b + ": never false", a + ": never false", b + ": never ran"}},
		{[]Case{named("a"), named("c")}, []string{b + ": never true"}},
		{[]Case{named("a"), named("c"), named("b")}, nil},
	} {
		for _, each := range []int{1, 10} {
			got := cover(t, s, each, test.cases...)
			if !slices.Equal(gaps(got), test.want) {
				t.Errorf("%d cases, %d at a time: %q, not %q", len(test.cases), each, gaps(got), test.want)
			}
			if got.Targets-got.Shown != len(test.want) || got.Targets == 0 {
				t.Errorf("%d of %d are shown, with %d gaps", got.Shown, got.Targets, len(test.want))
			}
		}
	}
	other := named("a")
	other.Policies = new("# none")
	if got := cover(t, s, 10, other); got.Elsewhere != 1 || len(got.Gaps) != 1 {
		t.Errorf("a case with other policies: %+v", got)
	}
}
