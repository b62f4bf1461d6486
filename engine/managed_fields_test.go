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
	for _, c := range []struct {
		expression, more string
		says             bool
	}{
		{"object.metadata.managedFields.exists(m, m.manager == 'kubectl-client-side-apply' && m.operation == 'Update')", "}, data: {b: c}", true},
		{"'f:labels' in object.metadata.managedFields[0].fieldsV1['f:metadata']", ", labels: {b: c}}", true},
		{"!has(object.metadata.managedFields)", "}", true}, // nobody manages a name
		{"object.metadata.name == 'a'", "}, data: {b: c}", false},
	} {
		expression, says := c.expression, c.says
		r, err := Evaluate(context.Background(), scenario.Scenario{Policies: policy(expression), Request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a" + c.more + "}"}, Everything())
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(r.NotSimulated, func(s string) bool { return strings.HasPrefix(s, "metadata.managedFields ") })
		if !r.Outcome.Allowed || said != says {
			t.Errorf("%s: %s, not simulated: %q", expression, r.Outcome.Message, r.NotSimulated)
		}
	}
}
