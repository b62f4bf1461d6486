package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

// gadgetScale is an update of the scale of a custom resource.
const gadgetScale = `{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u, operation: UPDATE, name: x, namespace: default, subResource: scale, requestSubResource: scale,
  kind: {group: autoscaling, version: v1, kind: Scale}, resource: {group: example.com, version: v1, resource: gadgets}, userInfo: {username: admin},
  object: {apiVersion: autoscaling/v1, kind: Scale, metadata: {name: x, namespace: default, uid: a, labels: {a: b}}, spec: {replicas: 2}, status: {replicas: 1}},
  oldObject: {apiVersion: autoscaling/v1, kind: Scale, metadata: {name: x, namespace: default, uid: a, labels: {a: b}}, spec: {replicas: 1}, status: {replicas: 1}}}}`

// TestEmptyListOfObject: Object{} with a list that is empty gives the object no list, which
// shows in fields that are always written: what reads it next finds null
// (convertField in apiserver/pkg/cel/mutation/dynamic, and 1/251128649 of conformance).
func TestEmptyListOfObject(t *testing.T) {
	policy := `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: p}
spec:
  reinvocationPolicy: Never
  failurePolicy: Fail
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}
  mutations:
  - {patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'remove', path: '/spec/containers/0'}]"}}
  - {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name})}}"}}
  - {patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'n': string(object.spec.containers == null)}}]"}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p}
`
	r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.37", Policies: policy, Request: "apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: default}\nspec: {containers: [{name: a, image: b}]}"}, Everything())
	if err != nil {
		t.Fatal(err)
	}
	annotations, _ := r.Mutated["metadata"].(map[string]any)["annotations"].(map[string]any)
	if annotations["n"] != "true" {
		t.Errorf("the annotations are %v: %s", annotations, r.Outcome.Message)
	}
}

// TestMutatedKinds: what the server does with a patched object depends on whether it has a
// Go type for it. Custom resources have none, so they are first looked at when the policies
// are done. The scale of a custom resource has one, so since 1.37 expressions see Go values,
// of which a patch cannot take a map. (The reference answers 1/241141539 and, with webhooks,
// 1/241139290 of conformance.)
func TestMutatedKinds(t *testing.T) {
	const labels = "[JSONPatch{op: 'add', path: '/metadata/labels/c', value: object.metadata.labels}]"
	for _, test := range []struct {
		name, version, request, condition string
		patches                           []string
		code                              int
		want                              string
	}{
		{"a custom resource of another group", "1.37", gadget, "true", []string{"[JSONPatch{op: 'replace', path: '/apiVersion', value: 'v1'}, JSONPatch{op: 'replace', path: '/kind', value: 'Secret'}]", "[JSONPatch{op: 'add', path: '/metadata/labels/c', value: 'd'}]"}, 500,
			`Internal error occurred: failed to convert object: /v1, Kind=Secret is unstructured and is not suitable for converting to "example.com/v1"`},
		{"and back", "1.37", gadget, "true", []string{"[JSONPatch{op: 'replace', path: '/apiVersion', value: 'v1'}, JSONPatch{op: 'replace', path: '/kind', value: 'Secret'}]", "[JSONPatch{op: 'test', path: '/spec', value: {'b': '1', 'a': '2'}}, JSONPatch{op: 'replace', path: '/apiVersion', value: 'example.com/v1'}, JSONPatch{op: 'replace', path: '/kind', value: 'Gadget'}]"}, 201, ""},
		{"a typed object of another group", "1.37", configMap, "true", []string{"[JSONPatch{op: 'replace', path: '/apiVersion', value: 'autoscaling/v1'}, JSONPatch{op: 'replace', path: '/kind', value: 'Scale'}]"}, 403,
			`policy 'p' with binding 'b' denied request: v1.Scale is not suitable for converting to "v1" in scheme "`},
		{"a map of a Go value in a patch", "1.37", gadgetScale, "true", []string{labels}, 403,
			"policy 'p' with binding 'b' denied request: JSONPath valueExpression evaluated to a type that could not marshal to JSON: type conversion error from 'map(dyn, dyn)' to '*structpb.Value'"},
		{"which no condition has read", "1.37", gadgetScale, "", []string{labels}, 500,
			"Internal error occurred: json: cannot unmarshal object into Go struct field ObjectMeta.metadata.labels of type string"},
		{"before 1.37", "1.36", gadgetScale, "true", []string{labels}, 500,
			"Internal error occurred: json: cannot unmarshal object into Go struct field ObjectMeta.metadata.labels of type string"},
	} {
		t.Run(test.name, func(t *testing.T) {
			policies := "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  reinvocationPolicy: Never\n  failurePolicy: Fail\n" +
				"  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']}]}\n"
			if test.condition != "" {
				policies += "  matchConditions: [{name: c, expression: \"object.metadata.name != '' && " + test.condition + "\"}]\n"
			}
			policies += "  mutations:\n"
			for _, patch := range test.patches {
				policies += fmt.Sprintf("  - {patchType: JSONPatch, jsonPatch: {expression: %q}}\n", patch)
			}
			policies += "---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: b}\nspec: {policyName: p}\n"
			object := test.request
			if object == gadget {
				object += "\nspec: {b: '1', a: '2'}"
			}
			yes := true
			r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: test.version, Options: scenario.Options{Defaulting: &yes}, Policies: policies, Request: object,
				Cluster: "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}" + strings.ReplaceAll(gadgets, "storage: true,", "storage: true, subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}},")}, Everything())
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome.Code != test.code || !strings.HasPrefix(r.Outcome.Message, test.want) {
				t.Errorf("got %d %s, want %d %s", r.Outcome.Code, r.Outcome.Message, test.code, test.want)
			}
		})
	}
}
