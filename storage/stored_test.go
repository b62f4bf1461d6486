package storage_test

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestStored updates and deletes objects from manifests with the fields that creation sets. An
// expression about these fields holds.
func TestStored(t *testing.T) {
	for name, c := range map[string]struct{ request, expression, cluster string }{
		"a Job keeps its selector": {
			request:    "operation: UPDATE\nobject: {apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: b}, spec: {parallelism: 2, template: {spec: {restartPolicy: Never, containers: [{name: c, image: d}]}}}}\noldObject: {apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: b}, spec: {parallelism: 1, template: {spec: {restartPolicy: Never, containers: [{name: c, image: d}]}}}}\n",
			expression: "object.spec.selector == oldObject.spec.selector && object.spec.template.metadata.labels == oldObject.spec.template.metadata.labels && oldObject.metadata.generation == 1 && object.metadata.generation == 2",
		},
		"a Pod has a class": {
			request:    "operation: UPDATE\nobject: {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b, labels: {x: z}}, spec: {containers: [{name: c, image: d}]}}\noldObject: {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b}, spec: {containers: [{name: c, image: d}]}}\n",
			expression: "object.status.qosClass == 'BestEffort' && oldObject.status.phase == 'Pending'",
		},
		"a Namespace has a finalizer": {
			request:    "operation: DELETE\noldObject: {apiVersion: v1, kind: Namespace, metadata: {name: a}}\n",
			expression: "oldObject.spec.finalizers == ['kubernetes'] && oldObject.status.phase == 'Active'",
		},
		"what kubectl get printed stays": {
			request:    "operation: DELETE\noldObject: {apiVersion: v1, kind: Namespace, metadata: {name: a, uid: u, resourceVersion: '7'}, spec: {}, status: {phase: Terminating}}\n",
			expression: "oldObject.metadata.uid == 'u' && oldObject.status.phase == 'Terminating' && !has(oldObject.spec.finalizers)",
		},
		"a Service keeps its address": {
			request:    "operation: UPDATE\nobject: {apiVersion: v1, kind: Service, metadata: {name: a, namespace: b}, spec: {ports: [{port: 81}]}}\noldObject: {apiVersion: v1, kind: Service, metadata: {name: a, namespace: b}, spec: {ports: [{port: 80}], clusterIP: 10.0.0.9}}\n",
			expression: "object.spec.clusterIP == '10.0.0.9' && oldObject.spec.clusterIPs == ['10.0.0.9']",
		},
		"a LimitRange may be younger than what kubectl get printed": {
			request:    "operation: UPDATE\nobject: {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b, uid: u, labels: {x: z}}, spec: {containers: [{name: c, image: d}]}}\noldObject: {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b, uid: u}, spec: {containers: [{name: c, image: d}]}}\n",
			expression: "oldObject.spec.containers.all(c, !has(c.resources) || !has(c.resources.limits))",
			cluster:    "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l, namespace: b}\nspec: {limits: [{type: Container, default: {cpu: 1}}]}\n",
		},
		"the status of a PersistentVolume changes no source": {
			request:    "operation: UPDATE\nsubResource: status\nobject: {apiVersion: v1, kind: PersistentVolume, metadata: {name: a, uid: u}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], nfs: {server: s, path: /b}}}\noldObject: {apiVersion: v1, kind: PersistentVolume, metadata: {name: a, uid: u}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /a}}}\n",
			expression: "object.spec.hostPath.path == '/a' && object.spec.all(field, field != '' && field != 'nfs')",
		},
	} {
		t.Run(name, func(t *testing.T) {
			policies := `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]}
  validations: [{expression: "` + c.expression + `"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]}
`
			r, err := engine.Evaluate(context.Background(), scenario.Scenario{Policies: policies, Request: c.request, Cluster: c.cluster, Options: scenario.Options{Defaulting: new(true)}}, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Outcome.Allowed {
				t.Errorf("%s\nobject %v\nold object %v", r.Outcome.Message, r.Input, r.OldObject)
			}
		})
	}
}

// TestGivenEmpty: the server distinguishes an empty list from a missing one.
func TestGivenEmpty(t *testing.T) {
	for spec, want := range map[string]string{
		"{capacity: {}, accessModes: [ReadWriteOnce], nfs: {path: /, server: a}}": `spec.capacity: Unsupported value: {}: supported values: "storage"`,
		"{accessModes: [ReadWriteOnce], nfs: {path: /, server: a}}":               `spec.capacity: Unsupported value: null: supported values: "storage"`,
	} {
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Request: "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\nspec: " + spec + "\n"}, engine.Options{})
		if err != nil || !strings.Contains(r.Outcome.Message, want) {
			t.Errorf("%s: %s, %v", spec, r.Outcome.Message, err)
		}
	}
	for rules, want := range map[string]int{"{policies: []}": 422, "{}": 201} {
		hpa := "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: a}\nspec: {maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, behavior: {scaleDown: " + rules + "}}\n"
		if r, err := engine.Evaluate(context.Background(), scenario.Scenario{Request: hpa}, engine.Options{}); err != nil || r.Outcome.Code != want {
			t.Errorf("%s: %d %s, %v", rules, r.Outcome.Code, r.Outcome.Message, err)
		}
	}
}
