package catalog_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
)

func TestEncode(t *testing.T) {
	c, err := catalog.For(version.MustParse("1.36"))
	if err != nil {
		t.Fatal(err)
	}
	pod := map[string]any{"metadata": map[string]any{"name": "p", "labels": map[string]any{"b": "1", "a": "2"}}, "kind": "Pod", "apiVersion": "v1",
		"spec": map[string]any{"hostNetwork": true, "containers": []any{map[string]any{"image": "i", "args": []any{"x"}, "name": "c"}}}}
	for _, test := range []struct {
		kind schema.GroupVersionKind
		want string
	}{
		{schema.GroupVersionKind{Version: "v1", Kind: "Pod"},
			`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"a":"2","b":"1"}},"spec":{"containers":[{"name":"c","image":"i","args":["x"]}],"hostNetwork":true}}`},
		{schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Pod"},
			`{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"2","b":"1"},"name":"p"},"spec":{"containers":[{"args":["x"],"image":"i","name":"c"}],"hostNetwork":true}}`},
	} {
		got, err := c.Encode(test.kind, pod)
		if err != nil || string(got) != test.want {
			t.Errorf("%v: %v\ngot  %s\nwant %s", test.kind, err, got, test.want)
		}
	}
}
