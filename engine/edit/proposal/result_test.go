package proposal

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

// sizes sets data.size of every ConfigMap, last by its name.
const sizes = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: sizes}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  failurePolicy: Fail
  reinvocationPolicy: IfNeeded
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{data: {"size": "big"}}'}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: sizes}
spec: {policyName: sizes}
`

func TestFromResult(t *testing.T) {
	s := scenario.Scenario{Policies: sizes, Request: emptyMap}
	for name, test := range map[string]struct {
		data    string
		changes int
		warned  bool
	}{
		"what the other policies did is no change": {"{size: big}", 0, false},
		"a change beside theirs":                   {"{size: big, mode: fast}", 1, false},
		"a change that another policy undoes":      {"{size: small}", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := FromResult(context.Background(), s, object(t, emptyMap+"data: "+test.data+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Changes) != test.changes || got.JSONPatch.Verified != (test.changes > 0) {
				t.Errorf("changes %v, verified %v: %v", got.Changes, got.JSONPatch.Verified, got.JSONPatch.Reasons)
			}
			if notes := strings.Join(got.JSONPatch.Notes, " "); strings.Contains(notes, "the result is another object") != test.warned {
				t.Errorf("notes: %q", notes)
			}
		})
	}
}
