package bridge

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// TestLimits repeats the page's calls until the search ends. Another scenario in between replaces
// it.
func TestLimits(t *testing.T) {
	defer func(usual time.Duration) { limitsTime = usual }(limitsTime)
	limitsTime = time.Hour
	policy := func(expression string) scenario.Scenario {
		return scenario.Scenario{Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [{expression: "` + expression + `"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]}
`, Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: default}\ndata: {a: b}\n"}
	}
	call := func(s scenario.Scenario) Searched {
		t.Helper()
		out, err := searchLimits(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	dear := policy("object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != 'x')))")
	cheap := policy("object.data.a == 'b'")
	for range 3 {
		if call(dear).Done {
			t.Fatal("three slices are not enough for this")
		}
	}
	for _, test := range []struct {
		scenario scenario.Scenario
		want     string
	}{
		{cheap, "Cannot exceed the limit of 1,000,000"},
		{dear, "Exceeds the limit of 1,000,000 from 48 entries in object.data (now 1)"},
	} {
		reply, calls := call(test.scenario), 1
		for ; !reply.Done; calls++ {
			reply = call(test.scenario)
		}
		shown, err := render(context.Background(), RenderParams{ID: reply.ID, Parts: []html.Part{html.StepsPart}, Open: []string{"budgets"}})
		if err != nil {
			t.Fatal(err)
		}
		if steps := shown.Parts[html.StepsPart]; !strings.Contains(steps, test.want) {
			t.Errorf("after %d calls there is no %q in\n%s", calls, test.want, steps)
		}
	}
}

// TestLimitsOfRules checks that findings about rules without a definition are in the outcome, where
// the page shows them.
func TestLimitsOfRules(t *testing.T) {
	defer func(usual time.Duration) { limitsTime = usual }(limitsTime)
	limitsTime = time.Hour
	s := scenario.Scenario{ExpressionContext: scenario.RuleContext, Expression: `schema:
  type: array
  maxItems: 700
  items: {type: string, maxLength: 20}
  x-kubernetes-validations: [{rule: "self.all(a, self.exists_one(b, a == b))"}]
self: [a, b, c]
`}
	var reply Searched
	for !reply.Done {
		var err error
		if reply, err = searchLimits(context.Background(), s); err != nil {
			t.Fatal(err)
		}
	}
	shown, err := render(context.Background(), RenderParams{ID: reply.ID, Parts: []html.Part{html.OutcomePart}})
	if err != nil {
		t.Fatal(err)
	}
	if want := "items in self (now 3)"; !strings.Contains(shown.Parts[html.OutcomePart], want) {
		t.Errorf("there is no %q in\n%s", want, shown.Parts[html.OutcomePart])
	}
}
