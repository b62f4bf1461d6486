package storage

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/preadmit/preadmit/engine/registry"
)

// invalidPod is a Pod with n containers and two errors in each.
func invalidPod(n int) registry.Request {
	var containers []any
	for i := range n {
		containers = append(containers, map[string]any{"name": fmt.Sprintf("C%d", i), "image": "web", "imagePullPolicy": "Later",
			"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"})
	}
	return registry.Request{
		Kubernetes: "1.37", Create: true, Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"},
		Name: "web", Namespace: "shop", Object: map[string]any{"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{"name": "web", "namespace": "shop", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"},
			"spec":     map[string]any{"containers": containers}},
	}
}

// rejected returns a request's response, and that of the server's function without validation in
// between.
func rejected(t *testing.T, q registry.Request) (ours, servers *metav1.Status) {
	t.Helper()
	answer, err := New().Before(q)
	if err != nil || answer.Status == nil {
		t.Fatal(answer, err)
	}
	_, object, err := decode(q.Kind, q.Object)
	if err != nil {
		t.Fatal(err)
	}
	var status *apierrors.StatusError
	if err := rest.BeforeCreate(kinds[q.Resource.GroupResource()].object, requestContext(q), object); !errors.As(err, &status) {
		t.Fatal(err)
	}
	return &answer.Status.ErrStatus, &status.ErrStatus
}

// TestGathered: the response is the server's, with one error, several, and a duplicate.
func TestGathered(t *testing.T) {
	none := invalidPod(0)
	one := invalidPod(1)
	one.Object["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)["name"] = "web"
	twice := invalidPod(2) // the second has the first's name
	twice.Object["spec"].(map[string]any)["containers"].([]any)[1].(map[string]any)["name"] = "C0"
	lease := registry.Request{ // declares some of its validation
		Kubernetes: "1.37", Create: true, Resource: schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"},
		Kind: schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"}, Name: "l", Namespace: "shop",
		Object: map[string]any{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
			"metadata": map[string]any{"name": "l", "namespace": "shop", "uid": "u", "creationTimestamp": "2026-01-01T00:00:00Z"},
			"spec":     map[string]any{"leaseDurationSeconds": int64(-1), "leaseTransitions": int64(-1), "holderIdentity": ""}},
	}
	for name, q := range map[string]registry.Request{"none": none, "one": one, "many": invalidPod(3), "twice": twice, "declared": lease} {
		t.Run(name, func(t *testing.T) {
			if ours, servers := rejected(t, q); !reflect.DeepEqual(ours, servers) {
				t.Errorf("got %+v\nwant %+v", ours, servers)
			}
		})
	}
}

// TestErrorsGrowLinearly: twice as many errors take twice the memory. The server's function copies
// all previous errors for each, which takes four times as much.
func TestErrorsGrowLinearly(t *testing.T) {
	r := New()
	allocated := func(n int) float64 {
		q := invalidPod(n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if answer, err := r.Before(q); err != nil || len(answer.Status.ErrStatus.Details.Causes) < 2*n {
			t.Fatal(answer, err)
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	allocated(100)
	if few, many := allocated(1000), allocated(4000); many > 6*few {
		t.Errorf("%.0f bytes for 1,000 containers, %.0f for 4,000", few, many)
	}
}
