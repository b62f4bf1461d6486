package ask_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/ask"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// mutates is a bound policy about Pods with a condition and a JSON Patch.
func mutates(name, reinvocation, condition, patch string) string {
	return fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: %[1]s}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  reinvocationPolicy: %[2]s
  matchConditions: [{name: c, expression: "%[3]s"}]
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: "%[4]s"}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: %[1]s}
spec: {policyName: %[1]s}
---
`, name, reinvocation, condition, patch)
}

// TestMutations finds two policies that undo each other, once for both, with an object that shows it.
func TestMutations(t *testing.T) {
	const (
		hasTeam = "'team' in object.metadata.?labels.orValue({})"
		labels  = "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'team': '%s'}}]"
		remove  = "[JSONPatch{op: 'remove', path: '/metadata/labels/team'}]"
	)
	for name, c := range map[string]struct {
		policies string
		want     []string
	}{
		"sets and removes":                   {mutates("a", "Never", "!has(object.metadata.labels)", fmt.Sprintf(labels, "x")) + mutates("b", "Never", hasTeam, remove), []string{"change-undone"}},
		"sets and removes, in another order": {mutates("b", "Never", "!has(object.metadata.labels)", fmt.Sprintf(labels, "x")) + mutates("a", "Never", hasTeam, remove), []string{"change-undone"}},
		"removes, if it runs again":          {mutates("z", "Never", "!has(object.metadata.labels)", fmt.Sprintf(labels, "x")) + mutates("b", "IfNeeded", "true", hasTeam+" ? "+remove+" : []"), []string{"change-undone"}},
		"sets another value":                 {mutates("a", "Never", "true", fmt.Sprintf(labels, "x")) + mutates("b", "Never", "true", fmt.Sprintf(labels, "y")), []string{"order-changes-object"}},
		"about other namespaces":             {mutates("a", "Never", "object.metadata.namespace == 'a'", fmt.Sprintf(labels, "x")) + mutates("b", "Never", "object.metadata.namespace == 'b'", fmt.Sprintf(labels, "y")), nil},
		"adds again in some namespaces":      {strings.Replace(mutates("a", "IfNeeded", "true", "[JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{name: 'log', image: 'log:1'}}]"), "spec: {policyName: a", "spec: {matchResources: {namespaceSelector: {matchLabels: {x: 'y'}}}, policyName: a", 1), []string{"not-idempotent"}},
		"two that set the same value":        {mutates("a", "IfNeeded", "true", fmt.Sprintf(labels, "x")) + mutates("b", "IfNeeded", "true", fmt.Sprintf(labels, "x")), nil},
	} {
		t.Run(name, func(t *testing.T) {
			compiled, _ := engine.Compile(scenario.Scenario{Policies: c.policies})
			found, err := ask.Mutations(context.Background(), compiled, 100)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range found {
				got = append(got, d.Code)
				r, err := engine.Evaluate(context.Background(), scenario.Scenario{Policies: c.policies, Request: d.Example}, engine.Options{Safety: true})
				if err != nil || d.Code == "change-undone" && !slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return f.Code == d.Code }) {
					t.Errorf("the example does not show %s: %v", d.Summary, err)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
