package requesttext

import "testing"

// liveObject is what kubectl get -o yaml --show-managed-fields prints.
const liveObject = `apiVersion: v1
kind: Pod
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"v1","kind":"Pod"}
  creationTimestamp: "2026-01-01T00:00:00Z"
  labels:
    app: web # which one
  managedFields:
  - apiVersion: v1
    fieldsV1:
      f:metadata:
        f:labels: {}
    manager: kubectl
  name: web
  namespace: shop
  resourceVersion: "12"
  uid: 11111111-2222-3333-4444-555555555555
spec:
  containers:
  - name: a
    image: a
status:
  phase: Running
`

func TestStripped(t *testing.T) {
	if !FromCluster(liveObject) || FromCluster(bare) || FromCluster("") {
		t.Error("an object of a cluster is one with a uid")
	}
	got, err := Stripped(liveObject)
	if err != nil {
		t.Fatal(err)
	}
	const want = `apiVersion: v1
kind: Pod
metadata:
  labels:
    app: web # which one
  name: web
  namespace: shop
spec:
  containers:
  - name: a
    image: a
`
	if got != want {
		t.Errorf("stripped:\n%s", got)
	}
	const inFlow = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"uid": "1", "name": "web", "annotations": {"a": "b"}, "resourceVersion": "3"}, "status": {}}`
	if got, err := Stripped(inFlow); err != nil || got != `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "annotations": {"a": "b"}}}` {
		t.Errorf("JSON stripped: %s (%v)", got, err)
	}
	if _, err := Stripped("a: ["); err == nil {
		t.Error("a broken text is stripped")
	}
}
