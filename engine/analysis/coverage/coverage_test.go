package coverage_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/coverage"
	"github.com/preadmit/preadmit/engine/scenario"
)

const policies = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: sizes}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  matchConditions:
  - {name: named, expression: "object.metadata.name != 'skip'"}
  variables:
  - {name: unused, expression: "object.data.size()"}
  validations:
  - expression: "has(object.data) && object.data.size != 'large' && object.data.all(k, k != 'x')"
    messageExpression: "has(object.data) ? 'too ' + object.data.size : 'no data'"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: sizes}
spec: {policyName: sizes, validationActions: [Deny]}
`

// gaps runs requests with the given data, and lists what they have not shown.
func gaps(t *testing.T, requests ...string) (list []string, shown, targets int) {
	t.Helper()
	c := coverage.Of(policies)
	for _, q := range requests {
		s := scenario.Scenario{Policies: policies, Request: "apiVersion: v1\nkind: ConfigMap\n" + q}
		r, err := engine.Evaluate(context.Background(), s, engine.Options{Explain: true})
		if err != nil {
			t.Fatal(err)
		}
		c.Add(r)
	}
	for _, x := range c.Expressions() {
		if got := policies[x.Span.Start:x.Span.End]; !strings.Contains(got, x.Expression) {
			t.Errorf("%s is at %q", x.Path, got)
		}
		for _, g := range x.Gaps() {
			list = append(list, g.String())
			if g.Part != nil && policies[g.Part.Span.Start:g.Part.Span.End] != g.Part.Text {
				t.Errorf("%s is at %q", g, policies[g.Part.Span.Start:g.Part.Span.End])
			}
		}
	}
	shown, targets = coverage.Total(c.Expressions())
	if targets-shown != len(list) {
		t.Errorf("%d of %d are shown, and there are %d gaps", shown, targets, len(list))
	}
	return list, shown, targets
}

func TestGaps(t *testing.T) {
	const (
		small   = "metadata: {name: a, namespace: default}\ndata: {size: small}"
		large   = "metadata: {name: a, namespace: default}\ndata: {size: large}"
		hasX    = "metadata: {name: a, namespace: default}\ndata: {size: small, x: z}"
		nothing = "metadata: {name: a, namespace: default}"
		skipped = "metadata: {name: skip, namespace: default}"
	)
	none, shown, _ := gaps(t)
	if len(none) != 4 || shown != 0 || slices.ContainsFunc(none, func(g string) bool { return !strings.HasSuffix(g, ": never ran") }) {
		t.Errorf("without a request: %q, %d shown", none, shown)
	}
	one, _, _ := gaps(t, small)
	for _, want := range []string{
		"object.metadata.name != 'skip': never false",
		"object.data.size(): never ran",
		"has(object.data) && object.data.size != 'large' && object.data.all(k, k != 'x'): never false",
		"has(object.data): never false",
		"object.data.all(k, k != 'x'): never false",
	} {
		if !slices.Contains(one, want) {
			t.Errorf("one request does not show that %s; it shows %q", want, one)
		}
	}
	// A part that short-circuiting left out is one gap, and what is below it none.
	denied, _, _ := gaps(t, nothing)
	if !slices.Contains(denied, "object.data.size != 'large': never ran") || !slices.Contains(denied, "'too ' + object.data.size: never ran") {
		t.Errorf("got %q", denied)
	}
	all, shown, targets := gaps(t, small, large, hasX, nothing, skipped)
	if want := []string{"object.data.size(): never ran"}; !slices.Equal(all, want) || shown != targets-1 {
		t.Errorf("%q is left, %d of %d shown; want %q", all, shown, targets, want)
	}
}
