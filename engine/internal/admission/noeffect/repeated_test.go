package noeffect_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

const repeated = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: a}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'team': 'a'}}}"}
  - patchType: JSONPatch
    jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/metadata/labels/team', value: 'a'}]"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: a}
spec: {policyName: a}
`

// TestRepeated removes a mutation that repeats another one: the object stays the same, and nothing is left to report.
func TestRepeated(t *testing.T) {
	evaluate := func(policies string) (object map[string]any, list []diag.Diagnostic) {
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Policies: policies, Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: default}\n"}, engine.Options{Explain: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range r.Diagnostics {
			if d.Code == codes.NoChange {
				list = append(list, d)
			}
		}
		return r.Steps[0].After, list
	}
	before, found := evaluate(repeated)
	if len(found) != 1 || len(found[0].Fixes) != 1 {
		t.Fatalf("found %+v", found)
	}
	policies, err := found[0].Fixes[0].Apply(diag.Policies, repeated)
	if err != nil {
		t.Fatal(err)
	}
	after, left := evaluate(policies)
	if len(left) > 0 || before == nil || !reflect.DeepEqual(before, after) {
		t.Errorf("%v is left, and %v became %v", left, before, after)
	}
}
