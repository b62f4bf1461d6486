package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Rules of a CustomResourceDefinition are told to those whose request they
// would concern, and to nobody else.
func TestRulesOfCustomResources(t *testing.T) {
	const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}, x-kubernetes-validations: [{rule: self.size > 3}]}}}}
`
	for request, want := range map[string]bool{
		"apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}\n": true,
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n":                           false,
	} {
		r, err := Evaluate(context.Background(), scenario.Scenario{Cluster: crd, Request: request})
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(r.NotSimulated, func(s string) bool { return strings.Contains(s, "x-kubernetes-validations") })
		if told != want {
			t.Errorf("%s: %q", request, r.NotSimulated)
		}
	}
}

func TestSetPointer(t *testing.T) {
	for _, test := range []struct{ before, pointer, value, want string }{
		{`{}`, "/a", `1`, `{"a":1}`},
		{`{}`, "/a/b", `1`, `{"a":{"b":1}}`},
		{`{"a":{"b":1}}`, "/a/b", `2`, `{"a":{"b":2}}`},
		{`{}`, "/l/0", `"x"`, `{"l":["x"]}`},
		{`{"l":["x"]}`, "/l/1", `"y"`, `{"l":["x","y"]}`},
		{`{"l":["x"]}`, "/l/-", `"y"`, `{"l":["x","y"]}`},
		{`{"l":["x"]}`, "/l/0", `"y"`, `{"l":["y"]}`},
		{`{}`, "/l/0/key", `"x"`, `{"l":[{"key":"x"}]}`},
		{`{"data":{}}`, "/data/0", `"x"`, `{"data":{"0":"x"}}`},
		{`{}`, "/a~1b", `1`, `{"a/b":1}`},
		{`{"l":["x"]}`, "/l/5", `"y"`, ``},
		{`{"a":1}`, "/a/b", `1`, ``},
	} {
		var object map[string]any
		var value any
		unmarshal(t, test.before, &object)
		unmarshal(t, test.value, &value)
		ok := setPointer(object, fieldpath.Pointer(test.pointer), value)
		got, _ := json.Marshal(object)
		if ok != (test.want != "") || ok && string(got) != test.want {
			t.Errorf("%s at %s: %v %s, want %s", test.before, test.pointer, ok, got, test.want)
		}
	}
}

func TestRemovePointer(t *testing.T) {
	for _, test := range []struct{ before, pointer, want string }{
		{`{"a":1}`, "/a", `{}`},
		{`{"a":{"b":1,"c":2}}`, "/a/b", `{"a":{"c":2}}`},
		{`{"l":[1,2,3]}`, "/l/1", `{"l":[1,3]}`},
		{`{"l":[{"k":1}]}`, "/l/0/k", `{"l":[{}]}`},
		{`{"a":1}`, "/b/c", `{"a":1}`},
		{`{"l":[1]}`, "/l/7", `{"l":[1]}`},
	} {
		var object map[string]any
		unmarshal(t, test.before, &object)
		removePointer(object, fieldpath.Pointer(test.pointer))
		if got, _ := json.Marshal(object); string(got) != test.want {
			t.Errorf("%s without %s: %s, want %s", test.before, test.pointer, got, test.want)
		}
	}
}

// Items of lists have to be set in the order of their indexes.
func TestComparePointers(t *testing.T) {
	if comparePointers("/l/2", "/l/10") >= 0 || comparePointers("/a", "/b") >= 0 || comparePointers("/l/1", "/l/1/k") >= 0 {
		t.Error("wrong order")
	}
}

func unmarshal(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}
