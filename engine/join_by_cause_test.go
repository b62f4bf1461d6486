package engine_test

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestOneCauseIsToldOnce: what the server says several times of one mistake is one problem, with
// the other places in it.
func TestOneCauseIsToldOnce(t *testing.T) {
	const costly = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: carts.shop.io}
spec:
  group: shop.io
  scope: Namespaced
  names: {kind: Cart, plural: carts, singular: cart, listKind: CartList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              items: {type: array, items: {type: string}}
            x-kubernetes-validations:
            - rule: self.items.all(i, self.items.exists_one(j, i == j))
`
	const misnamed = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: No_Root}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: object.metadata.name != 'x'}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: no-root}
spec: {policyName: No_Root, validationActions: [Deny]}
`
	message := strings.NewReplacer("items: {type: array, items: {type: string}}", "items: {type: integer}",
		"self.items.all(i, self.items.exists_one(j, i == j))", "self.items < 5\n              messageExpression: \"'not ' + string(self.items)\"").Replace(costly)
	for _, test := range []struct{ policies, code, summary string }{
		{costly, codes.CRD, "estimated rule cost exceeds budget"},
		{message, codes.CRD, "estimated messageExpression cost exceeds budget"},
		{misnamed, codes.InvalidName, "No_Root"},
	} {
		r := evaluated(t, scenario.Scenario{Policies: test.policies})
		var told []diag.Diagnostic
		for _, d := range r.Diagnostics {
			if d.Code == test.code && d.Severity == diag.Error {
				told = append(told, d)
			}
		}
		if len(told) != 1 || !strings.Contains(told[0].Summary, test.summary) || len(told[0].Fixes) == 0 || len(told[0].Related) == 0 {
			t.Errorf("%s: %d problems: %+v", test.code, len(told), told)
			continue
		}
		after := applied(t, scenario.Scenario{Policies: test.policies}, told[0].Fixes[0])
		if n := refused(evaluated(t, after)); n != 0 {
			t.Errorf("%s: after the repair %d documents are refused:\n%s", test.code, n, after.Policies)
		}
	}
}
