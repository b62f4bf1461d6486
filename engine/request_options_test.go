package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

// TestRequestOptions: a CONNECT has no options, which is null in the variable
// request and not absent. The answers are those of the reference of the
// conformance module.
func TestRequestOptions(t *testing.T) {
	const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: v}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: ['*/*']}]}
  validations:
  - {expression: "request.options.fieldManager == 'me'", messageExpression: "string(has(request.options)) + ' ' + string(request.options == null)"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: v}
spec: {policyName: v, validationActions: [Deny]}
`
	const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n"
	for _, test := range []struct{ request, want string }{
		{`{"operation": "CONNECT", "subResource": "exec", "kind": {"version": "v1", "kind": "PodExecOptions"}, "resource": {"version": "v1", "resource": "pods"}, "name": "web", "namespace": "default", "options": null,
			"object": {"apiVersion": "v1", "kind": "PodExecOptions", "command": ["sh"]}}`,
			"expression 'request.options.fieldManager == 'me'' resulted in error: no such key: fieldManager"},
		{`{"operation": "CREATE", "kind": {"version": "v1", "kind": "ConfigMap"}, "resource": {"version": "v1", "resource": "configmaps"}, "name": "web", "namespace": "default",
			"options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions", "fieldManager": "you"}, "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web", "namespace": "default"}}}`,
			"true false"},
	} {
		for _, minor := range []string{"1.30", "1.36", "1.37"} {
			got, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: minor, Policies: policy, Cluster: namespace,
				Request: `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": ` + test.request + `}`}, Everything())
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(got.Outcome.Message, "denied request: "+test.want) {
				t.Errorf("%s: %q, want it to end in %q", minor, got.Outcome.Message, test.want)
			}
		}
	}
}
