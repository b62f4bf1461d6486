package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

const (
	validatingPods = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods, configmaps]}]}
  validations: [{expression: "%s"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]}
`
	mutatingPods = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: p}
spec:
  reinvocationPolicy: Never
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: "%s"}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p}
`
	labelledPod = `
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: shop, labels: {app.kubernetes.io/nmae: x}}
spec: {containers: [{name: a, image: b, args: [run], env: [{name: e, value: f}], livenessProbe: {httpGet: {port: 80}}, readinessProbe: {httpGet: {port: web}}}]}
`
)

var reinvokedPods = strings.Replace(mutatingPods, "Never", "IfNeeded", 1)

// TestFirstRepairs: which repair of a mistake is offered first.
func TestFirstRepairs(t *testing.T) {
	for _, c := range []struct{ template, expression, code, title string }{
		{validatingPods, "object.metadata.labels['app.kubernetes.io/name'] == 'x'", codes.CELRuntime, "Change app.kubernetes.io/nmae to app.kubernetes.io/name"},
		{validatingPods, "object.metadata.labels['app.kubernetes.io/instance'] == 'x'", codes.CELRuntime, "Deny when object.metadata.labels['app.kubernetes.io/instance'] is absent"},
		{validatingPods, "'a'.matches(object.metadata.labels['pattern'])", codes.CELRuntime, "Allow when object.metadata.labels['pattern'] is absent"},
		{validatingPods, "object.kind == 'pod'", codes.NeverEqual, "Write 'Pod'"},
		{mutatingPods, "[JSONPatch{op: 'multiply', path: '/metadata/labels/a', value: 'b'}]", codes.PatchOperation, "Write add"},
		{mutatingPods, "[JSONPatch{op: 'drop', path: '/metadata/labels/a'}]", codes.PatchOperation, "Write remove"},
		{mutatingPods, "[JSONPatch{op: 'replace', path: '/spec/containers/1/image', value: 'b'}]", codes.MissingParent, "Replace /spec/containers/1/image only where it exists"},
		{mutatingPods, "[JSONPatch{op: 'replace', path: '/metadata/annotations/a', value: 'b'}]", codes.MissingParent, "Use add, which replaces, too"},
		{mutatingPods, "[JSONPatch{op: 'replace', path: '/spec/nodeSelector', value: {'a': 'b'}}]", codes.NotRFC6902, "Use add, which replaces, too"},
		{mutatingPods, "[JSONPatch{op: 'add', path: '/spec/nodeName', value: 'n-' + object.metadata.annotations['node']}]", codes.CELRuntime, "Create the operation only where object.metadata.annotations['node'] exists"},
		{reinvokedPods, "[JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{image: 'i', name: 'a-' + object.metadata.name}}]", codes.NotIdempotent, "Add it only if it is not there yet"},
		{reinvokedPods, "[JSONPatch{op: 'add', path: '/spec/containers/0/args/-', value: '-v'}]", codes.NotIdempotent, "Add it only if it is not there yet"},
		{mutatingPods, "[JSONPatch{op: 'remove', path: '/spec/containers/*/env/*/value'}]", codes.PatchOperation, "Create the operation for each item of object.spec.containers"},
		{validatingPods, "object.spec.containers[0].livenessProbe.httpGet.port.endsWith('0')", codes.CELRuntime, "Convert the value with string() first"},
		{validatingPods, "object.spec.containers[0].readinessProbe.httpGet.port < 1024", codes.CELRuntime, "Compare only numbers: type(object.spec.containers[0].readinessProbe.httpGet.port) != int || object.spec.containers[0].readinessProbe.httpGet.port < 1024"},
		{validatingPods, "object.metadata.annotations == null || object.metadata.annotations['tier'] != 'gold'", codes.CELRuntime, "Write !has(object.metadata.annotations) and test the keys that are read"},
		{mutatingPods, "contains(object.metadata.labels) ? [] : [JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'b'}}]", codes.CELCompile, "Change contains to has"},
	} {
		s := scenario.Scenario{Policies: fmt.Sprintf(c.template, c.expression), Request: labelledPod}
		r, err := engine.Evaluate(context.Background(), s, engine.Everything())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range r.Diagnostics {
			if d.Code == c.code && len(d.Fixes) > 0 {
				got = d.Fixes[0].Title
				break
			}
		}
		if got != c.title {
			t.Errorf("%s: %q, not %q", c.expression, got, c.title)
		}
	}
}

// TestHandwrittenReview: the old object of a review that no server sent has what every stored object has.
func TestHandwrittenReview(t *testing.T) {
	const expression = "['uid', 'creationTimestamp', 'resourceVersion'].all(f, f in dyn(oldObject.metadata) && f in dyn(object.metadata)) && size(object.metadata.managedFields) == 1"
	const object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop%s}, data: {a: b}}"
	for metadata, want := range map[string]bool{"": true, ", uid: 1b2c": false} {
		old := fmt.Sprintf(object, metadata)
		s := scenario.Scenario{Policies: fmt.Sprintf(validatingPods, expression), Request: "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {operation: UPDATE, oldObject: " + old + ", object: " + old + "}}"}
		r, err := engine.Evaluate(context.Background(), s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome.Allowed != want {
			t.Errorf("%q: %v %s", metadata, r.Outcome.Allowed, r.Outcome.Message)
		}
	}
}

// TestDevicesOfRequest: a class and a slice of the request take part in the evaluation of selectors.
func TestDevicesOfRequest(t *testing.T) {
	const class = `{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: c}, spec: {selectors: [{cel: {expression: "device.attributes['d.example.com'].model == 'x'"}}]}}`
	const slice = `{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: d.example.com, nodeName: node, pool: {name: node, generation: 1, resourceSliceCount: 1}, devices: [{name: one, attributes: {model: {string: x}}}, {name: two, attributes: {model: {string: z}}}]}}`
	for _, s := range []scenario.Scenario{{Request: class, Cluster: slice}, {Request: slice, Cluster: class}} {
		r, err := engine.Evaluate(context.Background(), s, engine.Everything())
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, d := range r.Diagnostics {
			if d.Code == codes.CELResult {
				found += d.Summary + "\n"
			}
		}
		if found != "the selector selects 1 of 2 devices: one\n" {
			t.Errorf("%s: %q", s.Request[:60], found)
		}
	}
}

// TestStandingFindingsLast: what is found whatever is requested comes after what decided.
func TestStandingFindingsLast(t *testing.T) {
	s := scenario.Scenario{Request: labelledPod, Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: w}
webhooks:
- name: w.example.com
  clientConfig: {service: {name: w, namespace: net}}
  admissionReviewVersions: [v1]
  sideEffects: None
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  matchConditions: [{name: c, expression: "object.metadata.annotations['a'] == 'b'"}]
`}
	r, err := engine.Evaluate(context.Background(), s, engine.Everything())
	if err != nil {
		t.Fatal(err)
	}
	standing := 0
	for _, d := range r.Diagnostics {
		if codes.Standing(d.Code) {
			standing++
		} else if standing > 0 {
			t.Errorf("%s comes after %d findings that need no request", d.Code, standing)
		}
	}
	if standing == 0 || standing == len(r.Diagnostics) {
		t.Errorf("%d of %d findings need no request", standing, len(r.Diagnostics))
	}
}
