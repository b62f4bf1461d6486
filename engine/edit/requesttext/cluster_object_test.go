package requesttext

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

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

func TestAs(t *testing.T) {
	if !FromCluster(liveObject) || FromCluster(bare) || FromCluster("") {
		t.Error("an object of a cluster is one with a uid")
	}
	got, err := As(liveObject, Stripped)
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
	if got, err := As(inFlow, Stripped); err != nil || got != `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "annotations": {"a": "b"}}}` {
		t.Errorf("JSON stripped: %s (%v)", got, err)
	}
	for form, operation := range map[Form]string{Updated: "UPDATE", Deleted: "DELETE"} {
		text, err := As(liveObject, form)
		if err != nil {
			t.Fatal(err)
		}
		docs, found := scenario.ParseDocuments(diag.Request, text)
		if len(docs) != 1 || diag.HasErrors(found) {
			t.Fatalf("%s: %v\n%s", form, found, text)
		}
		if nested(docs[0].Value, "request", "operation") != operation || nested(docs[0].Value, "request", "oldObject", "metadata", "uid") == nil {
			t.Errorf("%s:\n%s", form, text)
		}
		if has := nested(docs[0].Value, "request", "object") != nil; has != (form == Updated) {
			t.Errorf("%s: object %v", form, has)
		}
	}
	if _, err := As("a: [", Stripped); err == nil {
		t.Error("a broken text is stripped")
	}
	if _, err := As(liveObject, "other"); err == nil || !strings.Contains(err.Error(), "other") {
		t.Errorf("an unknown form: %v", err)
	}
}
