package customresource

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// TestInOrder: errors about different properties are sorted by name, those about one
// value and those of a list keep their order.
func TestInOrder(t *testing.T) {
	for _, test := range []struct{ name, given, want string }{
		{"names", "spec.b spec.a", "spec.a spec.b"},
		{"more names", "spec.c spec.b spec.a", "spec.a spec.b spec.c"},
		{"sorted already", "spec.a spec.b", "spec.a spec.b"},
		{"one value twice", "spec.a=2 spec.a=1", "spec.a=2 spec.a=1"},
		{"items", "spec.l[1] spec.l[0]", "spec.l[1] spec.l[0]"},
		{"names within an item", "l[0].b l[0].a", "l[0].a l[0].b"},
		{"of two items", "l[1].a l[0].b", "l[1].a l[0].b"},
		{"keys", "m[b] m[a]", "m[b] m[a]"},
		{"a parent and its child", "spec.a.b spec.a", "spec.a.b spec.a"},
		{"an item and a name", "a[0] a.b", "a[0] a.b"},
		{"without a field", `<nil>="b" is wrong <nil>="a" is wrong`, `<nil>="a" is wrong <nil>="b" is wrong`},
		{"the field at the end", `<nil>=must have spec.b <nil>=must have spec.a`, `<nil>=must have spec.a <nil>=must have spec.b`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var list field.ErrorList
			for _, one := range strings.SplitAfter(strings.ReplaceAll(test.given, " <nil>", "\n<nil>"), "\n") {
				parts := []string{strings.TrimSpace(one)}
				if !strings.HasPrefix(one, "<nil>") {
					parts = strings.Fields(one)
				}
				for _, part := range parts {
					path, detail, _ := strings.Cut(part, "=")
					list = append(list, &field.Error{Type: field.ErrorTypeInvalid, Field: path, Detail: detail})
				}
			}
			var got []string
			for _, err := range inOrder(list) {
				got = append(got, strings.TrimSuffix(err.Field+"="+err.Detail, "="))
			}
			if text := strings.Join(got, " "); text != test.want {
				t.Errorf("got %s, want %s", text, test.want)
			}
		})
	}
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	if metadata, ok := out["metadata"].(map[string]any); ok {
		if generation, ok := metadata["generation"].(float64); ok {
			metadata["generation"] = int64(generation)
		}
	}
	return out
}

// TestKeepSystemMetadata: what a client may leave out of an update, and what it cannot
// change.
func TestKeepSystemMetadata(t *testing.T) {
	for _, test := range []struct{ name, object, old, want string }{
		{"nothing is given", `metadata: {name: a}`, `metadata: {name: a, uid: u, resourceVersion: "7", creationTimestamp: c, generation: 3}`, `metadata: {name: a, uid: u, creationTimestamp: c, generation: 3}`},
		{"another uid is an error for later", `metadata: {uid: w}`, `metadata: {uid: u, resourceVersion: "7"}`, `metadata: {uid: w}`},
		{"an empty uid", `metadata: {uid: ""}`, `metadata: {uid: u, resourceVersion: "7"}`, `metadata: {uid: u}`},
		{"no versions at all", `metadata: {name: a}`, `metadata: {name: a}`, `metadata: {name: a, resourceVersion: "1"}`},
		{"an empty version", `metadata: {name: a, resourceVersion: ""}`, `metadata: {name: a}`, `metadata: {name: a, resourceVersion: "1"}`},
		{"a version of its own", `metadata: {resourceVersion: "5"}`, `metadata: {}`, `metadata: {resourceVersion: "5"}`},
		{"the time of its deletion", `metadata: {deletionTimestamp: now}`, `metadata: {resourceVersion: "1", deletionTimestamp: then, deletionGracePeriodSeconds: x}`, `metadata: {deletionTimestamp: then, deletionGracePeriodSeconds: x}`},
		{"a smaller generation", `metadata: {generation: 2}`, `metadata: {resourceVersion: "1", generation: 3}`, `metadata: {generation: 3}`},
		{"a larger one", `metadata: {generation: 4}`, `metadata: {resourceVersion: "1", generation: 3}`, `metadata: {generation: 4}`},
		{"no metadata", `spec: {}`, `metadata: {uid: u}`, `spec: {}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := object(t, test.object)
			keepSystemMetadata(got, object(t, test.old))
			a, err := yaml.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			b, err := yaml.Marshal(object(t, test.want))
			if err != nil {
				t.Fatal(err)
			}
			if string(a) != string(b) {
				t.Errorf("got\n%s\nwant\n%s", a, b)
			}
		})
	}
}

// TestTypeMeta: an object is of the kind of its request.
func TestTypeMeta(t *testing.T) {
	r := &Resource{Kind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}}
	for given, want := range map[string]string{
		"{apiVersion: example.com/v1, kind: Widget}":    "",
		"{apiVersion: example.com/v1, kind: Gadget}":    `kind: Invalid value: "Gadget": must be Widget`,
		"{apiVersion: example.com/v2, kind: Widget}":    `apiVersion: Invalid value: "example.com/v2": must be example.com/v1`,
		"{apiVersion: other.example.com/v1, kind: Pod}": `kind: Invalid value: "Pod": must be Widget; apiVersion: Invalid value: "other.example.com/v1": must be example.com/v1`,
	} {
		var got []string
		for _, err := range r.typeMeta(&unstructured.Unstructured{Object: object(t, given)}) {
			got = append(got, err.Error())
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%s: got %s, want %s", given, text, want)
		}
	}
}

// TestReplicas: the texts are those of the strategy of custom resources.
func TestReplicas(t *testing.T) {
	for _, test := range []struct {
		name  string
		value any
		want  string
	}{
		{"none", nil, ""},
		{"zero", int64(0), ""},
		{"negative", int64(-1), `.spec.replicas: Invalid value: -1: should be a non-negative integer`},
		{"the most", int64(2147483647), ""},
		{"too many", int64(2147483648), `.spec.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647`},
		{"a text", "x", `.spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected int64`},
	} {
		t.Run(test.name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
			if test.value != nil {
				u.Object["spec"].(map[string]any)["replicas"] = test.value
			}
			var got []string
			for _, err := range replicas(u, ".spec.replicas") {
				got = append(got, err.Error())
			}
			if text := strings.Join(got, "; "); text != test.want {
				t.Errorf("got %s, want %s", text, test.want)
			}
		})
	}
	if got := replicasPath(".spec.a.b"); !slices.Equal(got, []string{"spec", "a", "b"}) {
		t.Errorf("the path is %q", got)
	}
}
