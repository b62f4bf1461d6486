package workload

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestWithPodOf: a Pod becomes each kind that has a template, and is the same Pod when it comes back.
func TestWithPodOf(t *testing.T) {
	pod := map[string]any{"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": "a", "labels": map[string]any{"app": "a"}},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": "a", "image": "i"}}}}
	kinds := append(slices.Collect(maps.Keys(controllers)), schema.GroupKind{Kind: "Pod"})
	for _, kind := range kinds {
		like := WithPodOf(pod, schema.GroupVersionKind{Group: kind.Group, Version: "v1", Kind: kind.Kind})
		if like == nil || like["kind"] != kind.Kind {
			t.Errorf("%s: %v", kind, like)
			continue
		}
		back := WithPodOf(like, schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
		delete(back["spec"].(map[string]any), "restartPolicy")
		if !reflect.DeepEqual(back, pod) {
			t.Errorf("%s: it comes back as %v", kind, back)
		}
	}
	if like := WithPodOf(pod, schema.GroupVersionKind{Version: "v1", Kind: "Service"}); like != nil {
		t.Errorf("a Service has no Pod: %v", like)
	}
}
