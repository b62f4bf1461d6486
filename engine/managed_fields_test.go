package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

// TestManagedFields: a policy that speaks of managedFields sees an entry, which the report
// names; objects of other scenarios have none.
func TestManagedFields(t *testing.T) {
	policy := func(expression string) string {
		return `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: p}, spec: {
			matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]}, validations: [{expression: "` + expression + `"}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: p}, spec: {policyName: p, validationActions: [Deny]}}`
	}
	for expression, says := range map[string]bool{
		"object.metadata.managedFields.exists(m, m.manager == 'kubectl-client-side-apply' && m.operation == 'Update')": true,
		"object.metadata.name == 'a'": false,
	} {
		r, err := Evaluate(context.Background(), scenario.Scenario{Policies: policy(expression), Request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {b: c}}"}, Everything())
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(r.NotSimulated, func(s string) bool { return strings.HasPrefix(s, "metadata.managedFields ") })
		if !r.Outcome.Allowed || said != says {
			t.Errorf("%s: %s, not simulated: %q", expression, r.Outcome.Message, r.NotSimulated)
		}
	}
}
