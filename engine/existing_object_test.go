package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestExistingObjects: what a request meets in the cluster before and after admission, as kube-apiserver
// 1.37.2 answers it.
func TestExistingObjects(t *testing.T) {
	const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: lab}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: here, namespace: lab, labels: {was: "1"}}, data: {a: "1"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: going, namespace: lab, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [a.b/c]}}
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: gadgets.example.com}, spec: {group: example.com, scope: Namespaced, names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList},
  versions: [{name: v1, served: true, storage: true, subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}
`
	// The policy tells what it sees of the request.
	const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: tell}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}]}
  matchConditions: [{name: told, expression: "oldObject != null"}]
  validations: [{expression: "false", messageExpression: "oldObject.metadata.labels.was + ' ' + request.options.kind"}]
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: tell}, spec: {policyName: tell, validationActions: [Deny]}}
`
	const told = `configmaps "here" is forbidden: ValidatingAdmissionPolicy 'tell' with binding 'tell' denied request: 1 `
	request := func(operation, resource, sub, name, more string) string {
		return fmt.Sprintf("operation: %s\nresource: {group: %q, version: v1, resource: %s}\nsubResource: %q\nnamespace: lab\nname: %s\nuserInfo: {username: admin, groups: ['system:masters']}\n%s",
			operation, strings.TrimSuffix(map[string]string{"gadgets": "example.com", "deployments": "apps"}[resource], "."), resource, sub, name, more)
	}
	configMap := func(name, more string) string {
		return "object: {apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + ", namespace: lab" + more + "}}\n"
	}
	scale := func(replicas, uid string) string {
		return "object: {apiVersion: autoscaling/v1, kind: Scale, metadata: {name: web, namespace: lab" + uid + "}, spec: {replicas: " + replicas + "}}\n" +
			"oldObject: {apiVersion: autoscaling/v1, kind: Scale, metadata: {name: web, namespace: lab, uid: u1, resourceVersion: '7'}, spec: {replicas: 1}}\n"
	}
	for name, c := range map[string]struct {
		request string
		open    bool // the cluster text may lack objects
		code    int
		want    string
	}{
		"an update of a missing object":   {request: request("UPDATE", "configmaps", "", "gone", configMap("gone", "")), code: 404, want: `configmaps "gone" not found`},
		"a deletion":                      {request: request("DELETE", "configmaps", "", "gone", ""), code: 404, want: `configmaps "gone" not found`},
		"one in an open cluster":          {request: request("DELETE", "configmaps", "", "gone", ""), open: true, code: 200},
		"an update that creates":          {request: request("UPDATE", "limitranges", "", "gone", "object: {apiVersion: v1, kind: LimitRange, metadata: {name: gone, namespace: lab}, spec: {limits: []}}\n"), code: 200},
		"an update of what is there":      {request: request("UPDATE", "configmaps", "", "here", configMap("here", "")), open: true, code: 422, want: told + "UpdateOptions"},
		"a deletion of it":                {request: request("DELETE", "configmaps", "", "here", "options: {gracePeriodSeconds: 5}\n"), open: true, code: 422, want: told + "DeleteOptions"},
		"a second creation":               {request: request("CREATE", "configmaps", "", "here", configMap("here", "")), code: 409, want: `configmaps "here" already exists`},
		"one of what is going":            {request: request("CREATE", "configmaps", "", "going", configMap("going", "")), code: 409, want: `object is being deleted: configmaps "going" already exists`},
		"one in an open cluster again":    {request: request("CREATE", "configmaps", "", "here", configMap("here", "")), open: true, code: 201},
		"more than a server reads":        {request: request("CREATE", "configmaps", "", "big", "object: {apiVersion: v1, kind: ConfigMap, metadata: {name: big, namespace: lab}, data: {a: "+strings.Repeat("x", 3<<20)+"}}\n"), code: 413, want: "Request entity too large: limit is 3145728"},
		"managed fields that nobody read": {request: request("CREATE", "configmaps", "", "new", configMap("new", ", managedFields: [{manager: m, operation: Other, apiVersion: v1}]")), code: 201},
		"a scale of another":              {request: request("UPDATE", "deployments", "scale", "web", scale("3", ", uid: u2")), code: 409, want: `Operation cannot be fulfilled on deployments.apps "web": StorageError: invalid object, Code: 4, Key: /deployments/lab/web, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: u2, UID in object meta: u1`},
		"a scale that is no number":       {request: request("UPDATE", "deployments", "scale", "web", scale("'3'", "")), code: 400, want: `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32`},
		"one of a custom resource":        {request: request("UPDATE", "gadgets", "scale", "web", scale("'3'", "")), code: 400, want: `no kind is registered for the type v1.Scale in scheme "pkg/api/legacyscheme/scheme.go:30"`},
	} {
		t.Run(name, func(t *testing.T) {
			yes := true
			r, err := engine.Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.37", Policies: policy, Cluster: cluster, Request: c.request,
				Options: scenario.Options{Defaulting: &yes, CompleteCluster: !c.open}}, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Outcome; got.Code != c.code || got.Message != c.want {
				t.Errorf("%d %s\n%v", got.Code, got.Message, r.Diagnostics)
			}
		})
	}
}
