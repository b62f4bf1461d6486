package catalog_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The rules are equality.Semantic's for Go types.
func TestSemanticEqual(t *testing.T) {
	pod := schema.GroupVersionKind{Version: "v1", Kind: "Pod"}
	custom := schema.GroupVersionKind{Group: "none.example.com", Version: "v1", Kind: "Thing"}
	container := func(c map[string]any) map[string]any {
		return map[string]any{"spec": map[string]any{"containers": []any{c}}}
	}
	limits := func(memory string) map[string]any {
		return container(map[string]any{"name": "a", "resources": map[string]any{"limits": map[string]any{"memory": memory}}})
	}
	for _, test := range []struct {
		name string
		kind schema.GroupVersionKind
		a, b map[string]any
		want bool
	}{
		{"nil", pod, nil, nil, true},
		{"nil and an object", pod, nil, map[string]any{}, false},
		{"nil and empty list", pod, map[string]any{"spec": map[string]any{"containers": nil}}, map[string]any{"spec": map[string]any{"containers": []any{}}}, true},
		{"empty struct behind a pointer", pod, container(map[string]any{"name": "a", "securityContext": map[string]any{}}), container(map[string]any{"name": "a"}), false},
		{"the same amount", pod, limits("1Gi"), limits("1073741824"), true},
		{"another amount", pod, limits("1Gi"), limits("1G"), false},
		{"kind", pod, map[string]any{"kind": "Pod"}, map[string]any{}, false},
		{"other value", pod, container(map[string]any{"name": "a"}), container(map[string]any{"name": "b"}), false},
		{"null in a custom resource", custom, map[string]any{"x": nil}, map[string]any{}, false},
		{"null and empty in a custom resource", custom, map[string]any{"x": nil}, map[string]any{"x": []any{}}, false},
		{"empty map in a custom resource", custom, map[string]any{"x": map[string]any{}}, map[string]any{}, false},
		{"equal custom resources", custom, map[string]any{"x": []any{map[string]any{"y": int64(1)}}}, map[string]any{"x": []any{map[string]any{"y": int64(1)}}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := mustCatalog(t, "1.36")
			if got := c.SemanticEqual(test.kind, test.a, test.b); got != test.want {
				t.Errorf("got %t", got)
			}
			if got := c.SemanticEqual(test.kind, test.b, test.a); got != test.want {
				t.Errorf("the other way round: got %t", got)
			}
		})
	}
}
