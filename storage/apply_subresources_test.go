package storage_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestApplyToSubresources checks what kube-apiserver 1.37.2 answers to applies to subresources. The managed
// fields of a Scale are those of the scaled object, which the cluster text has.
func TestApplyToSubresources(t *testing.T) {
	const deployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, namespace: lab, managedFields: [{manager: maker, operation: Update, apiVersion: apps/v1, time: "2026-01-01T00:00:00Z", fieldsType: FieldsV1, fieldsV1: {'f:spec': {'f:replicas': {}, 'f:paused': {}}}}]},
 spec: {replicas: 2, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}}}`
	const scale = "{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: w, namespace: lab, uid: u, resourceVersion: '7'}, spec: {replicas: 2}, status: {replicas: 2}}"
	const pod = `{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: lab, uid: u, resourceVersion: '7', creationTimestamp: "2026-01-01T00:00:00Z", managedFields: [{manager: maker, operation: Update, apiVersion: v1, time: "2026-01-01T00:00:00Z", fieldsType: FieldsV1,
 fieldsV1: {'f:spec': {'f:containers': {'k:{"name":"a"}': {.: {}, 'f:image': {}, 'f:name': {}, 'f:resources': {.: {}, 'f:requests': {.: {}, 'f:cpu': {}}}}}}}}]},
 spec: {serviceAccountName: default, containers: [{name: a, image: i, resources: {requests: {cpu: "1"}}}]}, status: {phase: Running, qosClass: Burstable}}`
	of := func(kind, fields string) string {
		return map[string]string{"scale": "{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: w, namespace: lab}, " + fields + "}",
			"pod": "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: lab}, spec: {" + fields + "}}"}[kind]
	}
	const conflict = "Apply failed with 1 conflict: conflict with "
	for name, c := range map[string]struct {
		subResource, stored, applied string
		force                        bool
		code                         int
		message                      string
		has                          string // in the admitted object, as JSON
	}{
		"replicas of another":      {"scale", scale, of("scale", "spec: {replicas: 5}"), false, 409, conflict + `"maker" using autoscaling/v1: .spec.replicas`, ""},
		"replicas by force":        {"scale", scale, of("scale", "spec: {replicas: 5}"), true, 200, "", `"replicas":5`},
		"replicas as they are":     {"scale", scale, of("scale", "spec: {replicas: 2}"), false, 200, "", `"replicas":2`},
		"negative replicas":        {"scale", scale, of("scale", "spec: {replicas: -5}"), true, 422, `Scale.autoscaling "w" is invalid: spec.replicas: Invalid value: -5: must be greater than or equal to 0`, ""},
		"an unknown field":         {"scale", scale, of("scale", "foo: 1"), false, 500, "failed to create typed patch object (lab/w; autoscaling/v1, Kind=Scale): .foo: field not declared in schema", ""},
		"an ephemeral container":   {"ephemeralcontainers", pod, of("pod", "ephemeralContainers: [{name: d, image: x}]"), false, 200, "", `"f:ephemeralContainers":{"k:{\"name\":\"d\"}"`},
		"an image of another":      {"ephemeralcontainers", pod, of("pod", "containers: [{name: a, image: j}]"), false, 409, conflict + `"maker" using v1: .spec.containers[name="a"].image`, ""},
		"a field that stays":       {"ephemeralcontainers", pod, of("pod", "nodeSelector: {a: b}, ephemeralContainers: [{name: d, image: x}]"), false, 200, "", `"f:nodeSelector":{}`},
		"resources of another":     {"resize", pod, of("pod", "containers: [{name: a, resources: {requests: {cpu: 500m}}}]"), false, 409, conflict + `"maker" using v1: .spec.containers[name="a"].resources.requests.cpu`, ""},
		"resources of a container": {"resize", pod, of("pod", "containers: [{name: a, resources: {requests: {cpu: 500m}}}]"), true, 200, "", `"cpu":"500m"`},
	} {
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.37", Cluster: deployment, Request: c.applied,
			Options: scenario.Options{Request: &scenario.RequestSettings{User: "admin", Groups: []string{"system:masters"}, SubResource: c.subResource, OldObject: c.stored,
				Apply: &scenario.ApplySettings{FieldManager: "me", Force: c.force}}}}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Outcome; got.Code != c.code || got.Message != c.message {
			t.Errorf("%s: %d %s\n%v", name, got.Code, got.Message, r.Diagnostics)
		} else if got.Allowed && !strings.Contains(asJSON(t, r.Object), c.has) {
			t.Errorf("%s: %s", name, asJSON(t, r.Object))
		}
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
