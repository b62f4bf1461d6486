package engine

import (
	"context"
	"reflect"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/scenario"
)

// seenBefore writes into a label which system fields the mutating phase finds.
const seenBefore = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: seen}
spec:
  reinvocationPolicy: Never
  matchConstraints: {resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: [configmaps, keys]}]}
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'seen': [has(object.metadata.uid) && object.metadata.uid != '', has(object.metadata.deletionTimestamp), has(object.metadata.creationTimestamp) && object.metadata.creationTimestamp != null, has(object.metadata.selfLink)].map(b, b ? 'y' : 'n').join('')}}]"}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: seen}
spec: {policyName: seen}
`

const keyDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: keys.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: Key, plural: keys}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}
`

// TestSystemFieldsOfNewObject: what kubectl get writes of an object is wiped when it is
// created again, before any policy sees it; an update and a captured request keep it.
func TestSystemFieldsOfNewObject(t *testing.T) {
	const fields = `{name: a, namespace: default, uid: mine, creationTimestamp: "2020-01-01T00:00:00Z", deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 3, selfLink: /x}`
	configMap := `{apiVersion: v1, kind: ConfigMap, metadata: ` + fields + `}`
	yes := true
	for name, test := range map[string]struct {
		request    string
		defaulting *bool
		seen       string
		left       bool // the fields that storage does not set
	}{
		"built-in":             {configMap, nil, "nnnn", false},
		"custom":               {`{apiVersion: example.com/v1, kind: Key, metadata: ` + fields + `}`, nil, "nnnn", false},
		"written as a request": {`{operation: CREATE, object: ` + configMap + `}`, &yes, "nnnn", false},
		"captured":             {`{operation: CREATE, object: ` + configMap + `}`, nil, "yyyy", true},
		"an update":            {`{operation: UPDATE, object: ` + configMap + `, oldObject: ` + configMap + `}`, &yes, "yyyy", true},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.36", Policies: seenBefore, Cluster: keyDefinition, Request: test.request, Now: "2026-01-01T00:00:00Z",
				Options: scenario.Options{Defaulting: test.defaulting}}, Everything())
			if err != nil {
				t.Fatal(err)
			}
			metadata := untyped.Child(r.Object, "metadata")
			if got := untyped.Child(metadata, "labels")["seen"]; got != test.seen {
				t.Errorf("the mutating phase sees %v, want %s", got, test.seen)
			}
			if _, left := metadata["deletionTimestamp"]; left != test.left {
				t.Errorf("in the end: %v", metadata)
			}
		})
	}
}

// TestOwnersTwice: an owner that is there twice stays once, with a warning for each time
// that it was found; two that only share the uid both stay.
func TestOwnersTwice(t *testing.T) {
	const (
		owner   = `{apiVersion: v1, kind: Pod, name: a, uid: "7"}`
		object  = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default, ownerReferences: [`
		advice  = "; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: 7"
		before  = ".metadata.ownerReferences contains duplicate entries" + advice
		after   = ".metadata.ownerReferences contains duplicate entries after mutating admission happens" + advice
		appends = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: owned}
spec:
  reinvocationPolicy: Never
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/metadata/ownerReferences/-', value: {'apiVersion': 'v1', 'kind': 'Pod', 'name': 'a', 'uid': '7'}}]"}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: owned}
spec: {policyName: owned}
`
	)
	for name, test := range map[string]struct {
		policies, owners string
		captured         bool
		warnings         []string
		left             int
	}{
		"once":                  {"", owner, false, nil, 1},
		"twice":                 {"", owner + ", " + owner, false, []string{before}, 1},
		"twice in a review":     {"", owner + ", " + owner, true, []string{after}, 1},
		"once more by a policy": {appends, owner, false, []string{after}, 1},
		"and before":            {appends, owner + ", " + owner, false, []string{before, after}, 1},
		"of another name":       {"", owner + `, {apiVersion: v1, kind: Pod, name: b, uid: "7"}`, false, nil, 2},
		"another controller":    {"", owner + `, {apiVersion: v1, kind: Pod, name: a, uid: "7", controller: false}`, false, nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			request := object + test.owners + "]}}"
			if test.captured {
				request = "{operation: CREATE, object: " + request + "}"
			}
			r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.36", Policies: test.policies, Request: request}, Everything())
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(r.Outcome.Warnings, test.warnings) {
				t.Errorf("warnings %q, want %q", r.Outcome.Warnings, test.warnings)
			}
			if got := untyped.Items(untyped.Child(r.Object, "metadata")["ownerReferences"]); len(got) != test.left {
				t.Errorf("owners left: %v", got)
			}
		})
	}
}

// TestObjectOfAnotherKind: the server names an object whose kind is wrong by that kind.
func TestObjectOfAnotherKind(t *testing.T) {
	request := `{operation: UPDATE, kind: {group: example.com, version: v1, kind: Key}, resource: {group: example.com, version: v1, resource: keys}, name: a, namespace: default,
 object: {apiVersion: example.com/v1, kind: Lock, metadata: {name: a, namespace: default, uid: "1", resourceVersion: "1"}}, oldObject: {apiVersion: example.com/v1, kind: Key, metadata: {name: a, namespace: default, uid: "1", resourceVersion: "1"}}}`
	r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.36", Cluster: keyDefinition, Request: request}, Everything())
	if err != nil {
		t.Fatal(err)
	}
	if want := `Lock.example.com "a" is invalid: kind: Invalid value: "Lock": must be Key`; r.Outcome.Message != want {
		t.Errorf("got %q, want %q", r.Outcome.Message, want)
	}
}

// TestHandWrittenUpdate: a review whose old object has no uid was sent by no server, so both objects get
// what a server gives them. With a uid, or where the scenario says so, they stay as they are.
func TestHandWrittenUpdate(t *testing.T) {
	const policies = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE, DELETE], resources: [pods, services]}]}
  validations: [{expression: "has(oldObject.metadata.uid) && (oldObject.kind == 'Pod' ? oldObject.status.phase == 'Pending' : has(oldObject.spec.clusterIP))"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]}
`
	pod := func(metadata, image string) string {
		return `{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: default` + metadata + `}, spec: {containers: [{name: a, image: ` + image + `}]}}`
	}
	const service = `{apiVersion: v1, kind: Service, metadata: {name: a, namespace: default}, spec: {ports: [{port: 80}]}}`
	const stored = ", uid: u, resourceVersion: '5', creationTimestamp: '2026-01-01T00:00:00Z'"
	off := false
	for _, c := range []struct {
		request    string
		defaulting *bool
		admitted   bool
	}{
		{"operation: UPDATE, oldObject: " + pod("", "x") + ", object: " + pod("", "z"), nil, true},
		{"operation: DELETE, oldObject: " + pod("", "x"), nil, true},
		{"operation: UPDATE, oldObject: " + service + ", object: " + service, nil, true},
		{"operation: UPDATE, oldObject: " + pod(stored, "x") + ", object: " + pod(stored, "z"), nil, false},
		{"operation: UPDATE, oldObject: " + pod("", "x") + ", object: " + pod("", "z"), &off, false},
	} {
		s := scenario.Scenario{Policies: policies, Request: "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {" + c.request + "}}", Options: scenario.Options{Defaulting: c.defaulting}}
		r, err := Evaluate(context.Background(), s, Everything())
		if err != nil || r.Outcome.Allowed != c.admitted {
			t.Errorf("%s: %+v, %v", c.request, r.Outcome, err)
		}
	}
}
