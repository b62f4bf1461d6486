package engine

import (
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestStrain tries repairs of a mutation that fails for a Pod without labels: one changes what
// the policy makes of Pods with labels, one fails for Pods with other labels, one does neither.
func TestStrain(t *testing.T) {
	const before = `[JSONPatch{op: "remove", path: "/metadata/labels/tier"}]`
	policies := func(expression string) string {
		return `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: tier}
spec:
  failurePolicy: Fail
  reinvocationPolicy: Never
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: ` + scenario.Quoted(expression) + `}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: tier}
spec: {policyName: tier}
`
	}
	s := scenario.Scenario{Policies: policies(before), Request: "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec: {containers: [{name: a, image: i}]}\n"}
	of := diag.Diagnostic{Code: codes.MissingParent, Severity: diag.Warning, Text: diag.Policies, Document: "MutatingAdmissionPolicy/tier", Path: "spec.mutations[0].jsonPatch.expression"}
	fix := func(expression string) diag.Fix {
		return diag.Fix{Title: expression, Edits: []diag.Edit{{Text: diag.Policies, Span: diag.Span{End: len(s.Policies)}, New: policies(expression)}}}
	}
	other := fix(`has(object.metadata.labels) ? [JSONPatch{op: "replace", path: "/metadata/labels", value: {"tier": "b"}}] : []`)
	partly := fix(`has(object.metadata.labels) ? ` + before + ` : []`)
	whole := fix(`has(object.metadata.labels) && has(object.metadata.labels.tier) ? ` + before + ` : []`)
	run, err := standard().begin(t.Context(), s, Options{}, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := answer.Of(t.Context(), run, false)
	if err != nil {
		t.Fatal(err)
	}
	r.Diagnostics = append(r.Diagnostics[:0], of)
	r.Diagnostics[0].Fixes = []diag.Fix{other, partly, whole}
	answer.TryRepairs(t.Context(), run)
	var got []string
	for _, f := range r.Diagnostics[0].Fixes {
		got = append(got, f.Title)
	}
	if want := []string{whole.Title, partly.Title, other.Title}; !slices.Equal(got, want) {
		t.Errorf("the order is %q, not %q", got, want)
	}
}
