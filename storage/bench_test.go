package storage_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/storage"
)

// BenchmarkBefore creates a small Pod.
func BenchmarkBefore(b *testing.B) {
	var object map[string]any
	if err := yaml.Unmarshal([]byte(`
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, uid: u, creationTimestamp: "2026-01-01T00:00:00Z", labels: {app: web}}
spec:
  containers:
  - {name: web, image: example.com/web:1, resources: {requests: {cpu: 100m}}, imagePullPolicy: IfNotPresent, terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File}
`), &object); err != nil {
		b.Fatal(err)
	}
	r := storage.New()
	for b.Loop() {
		if _, err := r.Before(registry.Request{
			Kubernetes: "1.37", Create: true, Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"},
			Name: "web", Namespace: "shop", Object: object,
		}); err != nil {
			b.Fatal(err)
		}
	}
}
