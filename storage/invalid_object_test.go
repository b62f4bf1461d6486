package storage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestInvalidObject checks that an invalid value is marked at its place and that the repair writes
// the intended one, in a plain object and in a review.
func TestInvalidObject(t *testing.T) {
	const object = `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: default}, spec: {selector: {app: web}, sessionAffinity: clientip, ports: [{port: 80}]}}`
	for _, test := range []struct{ name, request, path string }{
		{"an object", object, "spec.sessionAffinity"},
		{"a review", `{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: a, operation: CREATE, name: web, namespace: default,
 kind: {group: "", version: v1, kind: Service}, resource: {group: "", version: v1, resource: services}, userInfo: {username: a},
 object: ` + object + `}}`, "request.object.spec.sessionAffinity"},
	} {
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Request: test.request}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, d := range r.Diagnostics {
			if d.Code != codes.InvalidObject {
				continue
			}
			found = true
			if d.Path != test.path || test.request[d.Span.Start:d.Span.End] != "clientip" {
				t.Errorf("%s: %s is marked at %q", test.name, d.Path, test.request[d.Span.Start:d.Span.End])
			}
			if len(d.Fixes) != 1 || !strings.Contains(d.Fixes[0].Edits[0].New, "ClientIP") {
				t.Errorf("%s: the repairs are %+v", test.name, d.Fixes)
			}
		}
		if !found {
			t.Errorf("%s: nothing says what was meant: %v", test.name, r.Diagnostics)
		}
	}
}

// TestBrokenByMutation checks that a field which another one's change makes invalid is explained at
// the mutation that changed it, not at the request, and that a request which was invalid before is
// explained itself.
func TestBrokenByMutation(t *testing.T) {
	const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: select}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  mutations:
    - patchType: JSONPatch
      jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/spec/paused', value: true}]"}
    - patchType: JSONPatch
      jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/spec/selector', value: Object.spec.selector{matchLabels: {'app': 'test'}}}]"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: select}
spec: {policyName: select}
`
	const deployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: {selector: {matchLabels: {app: web}},
 template: {metadata: {labels: {app: %s}}, spec: {containers: [{name: a, image: b}]}}}}`
	for label, want := range map[string]diag.Text{"web": diag.Policies, "other": diag.Request} {
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Policies: policy, Request: fmt.Sprintf(deployment, label)}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Diagnostics) != 1 || r.Diagnostics[0].Text != want {
			t.Fatalf("label %s: %+v, want one in the text %s", label, r.Diagnostics, want)
		}
		if d := r.Diagnostics[0]; want == diag.Policies && (d.Code != codes.InvalidObject || d.Path != "spec.mutations[1].jsonPatch.expression") {
			t.Errorf("%s at %q: %s", d.Code, d.Path, d.Detail)
		}
	}
}

// TestZero: to the server, a number 0 is unset. Some then get a default, so that no check sees the
// 0; others are required.
func TestZero(t *testing.T) {
	const service = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: default}\nspec: {selector: {app: web}, ports: [{port: 80, targetPort: %d}]}"
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: default}\nspec: {containers: [{name: a, image: b, ports: [{containerPort: 80, hostPort: %d}]}]}"
	for _, test := range []struct{ version, request, want string }{
		{"1.30", fmt.Sprintf(service, 0), ""},
		{"1.37", fmt.Sprintf(service, 0), ""},
		{"1.37", fmt.Sprintf(service, -1), `Service "web" is invalid: spec.ports[0].targetPort: Invalid value: -1: must be between 1 and 65535, inclusive`},
		{"1.37", fmt.Sprintf(pod, 0), ""},
		{"1.37", fmt.Sprintf(pod, -1), `Pod "web" is invalid: spec.containers[0].ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive`},
		{"1.37", strings.Replace(fmt.Sprintf(pod, 0), "containerPort: 80", "containerPort: 0", 1), `Pod "web" is invalid: spec.containers[0].ports[0].containerPort: Required value`},
		{"1.37", "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: a}\nspec: {matchingPrecedence: 0, priorityLevelConfiguration: {name: exempt}}", ""},
	} {
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Kubernetes: test.version, Request: test.request}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome.Message != test.want {
			t.Errorf("%s, %s: got %q, want %q", test.version, test.request, r.Outcome.Message, test.want)
		}
		if strings.Contains(test.request, "targetPort: 0") {
			port := r.Object["spec"].(map[string]any)["ports"].([]any)[0].(map[string]any)
			if port["targetPort"] != int64(80) {
				t.Errorf("targetPort: 0 becomes %v", port["targetPort"])
			}
		}
	}
}

// TestEmptyObjectAdded checks that an update which adds an empty object is rejected for it: the stored
// object, which lacks it, is valid.
func TestEmptyObjectAdded(t *testing.T) {
	const request = `{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {operation: UPDATE, name: all,
 resource: {group: rbac.authorization.k8s.io, version: v1, resource: clusterroles}, userInfo: {username: admin, groups: [system:masters]},
 object: {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: all}, rules: [], aggregationRule: {}},
 oldObject: {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: all}, rules: []}}}`
	yes := true
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{Request: request, Options: scenario.Options{Defaulting: &yes}}, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome.Allowed || !strings.Contains(r.Outcome.Message, "aggregationRule.clusterRoleSelectors: Required value") {
		t.Errorf("the server rejects the empty rule: %+v", r.Outcome)
	}
}
