package repairs_test

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/edit/repairs"
	"github.com/preadmit/preadmit/engine/scenario"
)

// policy is a policy for one resource with a validation.
func policy(group, resource, operations, expression, message string) string {
	return `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: a}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: ["` + group + `"], apiVersions: [v1], operations: [` + operations + `], resources: [` + resource + `]}
  validations:
  - expression: |-
      ` + expression + `
    message: ` + message + `
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: a}
spec: {policyName: a, validationActions: [Deny]}
`
}

// TestGuesses applies a unit that the message names, and leaves a guess to the reader.
func TestGuesses(t *testing.T) {
	const claim, storage = "persistentvolumeclaims", "object.spec.resources.requests.storage"
	const expires = "timestamp(object.metadata.annotations['expires']) > now()"
	for _, tc := range []struct{ policies, applied, first string }{
		{policy("", claim, "CREATE", "int("+storage+") <= 100", "at most 100Gi"), "quantity('100Gi')", ""},
		{policy("", claim, "CREATE", "int("+storage+") <= 500", "at most 500 GiB"), "quantity('500Gi')", ""},
		{policy("", claim, "CREATE", "int("+storage+") <= 100", "too much"), "", "quantity('100Gi')"},
		{policy("", claim, "CREATE", storage+" <= '100'", "at most 100Gi"), "quantity('100Gi')", ""},
		{policy("", "namespaces", "CREATE, UPDATE", expires, "expired"), "", "Compare with the time of creation"},
		{policy("", "namespaces", "CREATE", expires, "expired"), "creationTimestamp", ""},
		{policy("", "namespaces", "CREATE", "has(object.metadata.deletionTimestamp) ? object.metadata.deletionTimestamp > now() : true", "expired"), "? timestamp(object.metadata.deletionTimestamp) > timestamp(object.metadata.creationTimestamp) :", ""},
		{policy("", "namespaces", "CREATE", "now() - duration('1h') < object.metadata.annotations['expires']", "expired"), "timestamp(object.metadata.creationTimestamp) - duration('1h') < timestamp(object.metadata.annotations['expires'])", ""},
	} {
		result, err := repairs.All(context.Background(), scenario.Scenario{Policies: tc.policies})
		if err != nil {
			t.Fatal(err)
		}
		if tc.applied != "" && !strings.Contains(result.Scenario.Policies, tc.applied) {
			t.Errorf("%s\nis not applied: %+v", tc.applied, result.Report.Diagnostics)
		}
		if tc.applied != "" {
			continue
		}
		first := ""
		for _, d := range result.Report.Diagnostics {
			if len(d.Fixes) > 0 && first == "" {
				first = d.Fixes[0].Title
			}
		}
		if result.Scenario.Policies != tc.policies || !strings.Contains(first, tc.first) {
			t.Errorf("applied %v, offered %q, want %q", result.Applied, first, tc.first)
		}
	}
}

// TestExclusion offers the negation of a match condition that holds for what its name leaves out.
func TestExclusion(t *testing.T) {
	for condition, want := range map[string]bool{
		"{name: exclude-kube-system, expression: \"request.namespace == 'kube-system'\"}": true,
		"{name: exclude-kube-system, expression: \"request.namespace != 'kube-system'\"}": false,
		"{name: exclude-non-prod, expression: \"request.namespace == 'prod'\"}":           false,
		"{name: only-kube-system, expression: \"request.namespace == 'kube-system'\"}":    false,
	} {
		policies := strings.Replace(policy("", "pods", "CREATE", "object.metadata.name != 'x'", "no x"), "  validations:", "  matchConditions: ["+condition+"]\n  validations:", 1)
		result, err := repairs.All(context.Background(), scenario.Scenario{Policies: policies})
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, d := range result.Report.Diagnostics {
			got = got || d.Code == "message-contradicts" && len(d.Fixes) == 1
		}
		if got != want || result.Scenario.Policies != policies {
			t.Errorf("%s: %v, applied %v", condition, got, result.Applied)
		}
	}
}

// TestParamElsewhere changes a reference to nearly the same name in its namespace, and to no other namespace.
func TestParamElsewhere(t *testing.T) {
	params := strings.Replace(policy("apps", "deployments", "CREATE", "object.spec.replicas <= int(params.data.max)", "too many"), "spec:\n", "spec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n", 1)
	const request = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {replicas: 2, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: a}]}}}\n"
	const limits = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: limits, namespace: default}\ndata: {max: '5'}\n"
	for ref, want := range map[string]string{
		"{name: limit, namespace: default, parameterNotFoundAction: Deny}":        "name: limits",
		"{name: limits, namespace: policy-system, parameterNotFoundAction: Deny}": "namespace: policy-system",
	} {
		policies := strings.Replace(params, "policyName: a,", "policyName: a, paramRef: "+ref+",", 1)
		result, err := repairs.All(context.Background(), scenario.Scenario{Policies: policies, Request: request, Cluster: limits})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(result.Scenario.Policies, want) {
			t.Errorf("%s: applied %v", ref, result.Applied)
		}
	}
}
