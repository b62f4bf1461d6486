package bridge

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// Problems of future requests follow the outcome, in slices, each with a request that shows it.
func TestForesee(t *testing.T) {
	ctx := context.Background()
	s := scenario.Scenario{Policies: `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, DELETE], resources: [deployments]}]}
  validations: [{expression: object.spec.replicas < 5}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]}
`, Request: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: default}\nspec: {replicas: 3, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b}]}}}\n"}
	shown, err := evaluate(ctx, EvaluateParams{Scenario: s, First: true, Parts: []html.Part{html.StepsPart}})
	if err != nil {
		t.Fatal(err)
	}
	p := ForeseeParams{ID: shown.ID, Scenario: s}
	calls := 0
	var out Foreseen
	for ; !out.Done; calls++ {
		if out, err = foresee(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	if calls < 2 {
		t.Errorf("%d calls: the first one only compiles", calls)
	}
	if out.Late == nil {
		t.Fatal("nothing was foreseen")
	}
	i := slices.IndexFunc(out.Late.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == "fails-when-null" })
	if i < 0 || !strings.Contains(out.Late.Diagnostics[i].Example, `"DELETE"`) {
		t.Fatalf("found %v", out.Late.Diagnostics)
	}
	if !strings.Contains(out.Late.Problems, "Open the request") {
		t.Errorf("the list of problems does not offer the request: %s", out.Late.Problems)
	}

	// The same policies with another request are not searched again.
	again, err := evaluate(ctx, EvaluateParams{Scenario: s, First: true, Parts: []html.Part{html.StepsPart}})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := foresee(ctx, ForeseeParams{ID: again.ID, Scenario: s}); err != nil || !out.Done || out.Late == nil {
		t.Errorf("the second search: %v, %v", out, err)
	}
}

// TestForeseenStops shows among the steps what a policy stops in the cluster, when that is found.
func TestForeseenStops(t *testing.T) {
	ctx := context.Background()
	s := scenario.Scenario{Policies: `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [coordination.k8s.io], apiVersions: [v1], operations: [UPDATE], resources: [leases]}]}
  validations: [{expression: "'owner' in object.metadata.?labels.orValue({})"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]}
`}
	shown, err := evaluate(ctx, EvaluateParams{Scenario: s, First: true, Parts: []html.Part{html.StepsPart}})
	if err != nil {
		t.Fatal(err)
	}
	const title = "What policies stop in the cluster"
	if strings.Contains(shown.HTML.Parts[html.StepsPart], title) {
		t.Fatal("the graph is there before anything is found")
	}
	var out Foreseen
	for !out.Done {
		if out, err = foresee(ctx, ForeseeParams{ID: shown.ID, Scenario: s}); err != nil {
			t.Fatal(err)
		}
	}
	rendered, err := render(ctx, RenderParams{ID: shown.ID, Parts: []html.Part{html.StepsPart}})
	if err != nil || !out.Stops || !strings.Contains(rendered.Parts[html.StepsPart], title) {
		t.Errorf("stops: %v, %v\n%s", out.Stops, err, rendered.Parts[html.StepsPart])
	}
}
