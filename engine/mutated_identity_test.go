package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// The note about a policy that changes what tells an object from others says what storage does
// with it, as far as that is known in the end.
func TestNoteOfAChangedIdentity(t *testing.T) {
	const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: m}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]}
  reinvocationPolicy: Never
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'replace', path: '/metadata/%s', value: 'other'}]"}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: m}
spec: {policyName: m}
`
	const object = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}`
	const update = "{object: " + object + ", oldObject: " + object + "}"
	for _, c := range []struct {
		field, request string
		code           int
		says           string
	}{
		{"namespace", object, 400, "storage rejects the object for it, as the last step says"},
		{"name", update, 422, "storage rejects the object for it, as the last step says"},
		{"name", object, 201, "storage may reject the object or set the field again"},
	} {
		r, err := Evaluate(context.Background(), scenario.Scenario{Policies: fmt.Sprintf(policy, c.field), Request: c.request}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		notes := ""
		for _, s := range r.Steps {
			for _, n := range s.Notes {
				if n.Code == codes.IdentityChanged {
					notes += n.Text
				}
			}
		}
		if r.Outcome.Code != c.code || !strings.Contains(notes, c.says) {
			t.Errorf("%s of %s: %d %s, %q", c.field, c.request, r.Outcome.Code, r.Outcome.Message, notes)
		}
	}
}
