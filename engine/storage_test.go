package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

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
