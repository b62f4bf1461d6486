package apply_test

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/kube/apply"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestMerge runs in the browser's build as well, which reads and writes managed fields with code of its own.
// Package storage compares many applies with the server's.
func TestMerge(t *testing.T) {
	c, err := catalog.For(version.All()[len(version.All())-1])
	if err != nil {
		t.Fatal(err)
	}
	r := apply.Request{Catalog: c, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Service"}, Resource: schema.GroupResource{Resource: "services"}, Manager: "b", Now: "2026-01-02T03:04:05Z",
		Live: read(t, `
apiVersion: v1
kind: Service
metadata:
  name: web
  managedFields:
  - {manager: a, operation: Update, apiVersion: v1, time: "2026-01-01T00:00:00Z", fieldsType: FieldsV1, fieldsV1: {'f:metadata': {'f:finalizers': {'v:"x/z"': {}}}, 'f:spec': {'f:type': {}, 'f:ports': {'k:{"port":80,"protocol":"TCP"}': {.: {}, 'f:port': {}, 'f:name': {}}}}}}
  - {manager: b, operation: Apply, apiVersion: v1, time: "2026-01-01T00:00:00Z", fieldsType: FieldsV1, fieldsV1: {'f:spec': {'f:ports': {'k:{"port":81,"protocol":"TCP"}': {.: {}, 'f:port': {}}}}, 'f:metadata': {'f:finalizers': {'v:"x/y"': {}}}}}
  finalizers: [x/y, x/z]
spec: {type: ClusterIP, ports: [{name: one, port: 80, protocol: TCP}, {port: 81, protocol: TCP}]}`).(map[string]any),
		Config: read(t, `{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: NodePort, ports: [{name: two, port: 80}]}}`).(map[string]any)}
	_, status := apply.Merge(r)
	if status == nil || status.ErrStatus.Code != 409 {
		t.Fatalf("got %v", status)
	}
	const conflict = "Apply failed with 2 conflicts: conflicts with \"a\" using v1:\n- .spec.type\n- .spec.ports[port=80,protocol=\"TCP\"].name"
	if got := status.ErrStatus.Message; got != conflict {
		t.Errorf("got %s\nwant %s", got, conflict)
	}
	r.Force = true
	merged, status := apply.Merge(r)
	if status != nil {
		t.Fatal(status)
	}
	const want = `
apiVersion: v1
kind: Service
metadata:
  name: web
  managedFields:
  - {manager: b, operation: Apply, apiVersion: v1, time: "2026-01-02T03:04:05Z", fieldsType: FieldsV1, fieldsV1: {'f:spec': {'f:type': {}, 'f:ports': {'k:{"port":80,"protocol":"TCP"}': {.: {}, 'f:port': {}, 'f:name': {}}}}}}
  - {manager: a, operation: Update, apiVersion: v1, time: "2026-01-01T00:00:00Z", fieldsType: FieldsV1, fieldsV1: {'f:metadata': {'f:finalizers': {'v:"x/z"': {}}}, 'f:spec': {'f:ports': {'k:{"port":80,"protocol":"TCP"}': {.: {}, 'f:port': {}}}}}}
  finalizers: [x/z]
spec: {type: NodePort, externalTrafficPolicy: Cluster, ports: [{name: two, port: 80, protocol: TCP, targetPort: 80}], sessionAffinity: None, internalTrafficPolicy: Cluster}
status: {loadBalancer: {}}`
	if got, want := text(t, merged), text(t, read(t, want)); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func text(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	out, err := yaml.JSONToYAML(raw)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
