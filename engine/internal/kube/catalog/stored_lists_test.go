package catalog

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestFromStorage: protobuf drops lists and maps without items.
func TestFromStorage(t *testing.T) {
	c, err := For(version.Default())
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ kind, object, want string }{
		"a list":                {"storage.k8s.io/v1 CSINode", "spec: {drivers: []}", "spec: {drivers: null}"},
		"a list with items":     {"storage.k8s.io/v1 CSINode", "spec: {drivers: [{name: a, nodeID: b}]}", "spec: {drivers: [{name: a, nodeID: b}]}"},
		"in an item":            {"rbac.authorization.k8s.io/v1 Role", "rules: [{verbs: []}]", "rules: [{verbs: null}]"},
		"a structure":           {"v1 Pod", "spec: {securityContext: {}, containers: [{name: a, resources: {}}]}", "spec: {securityContext: {}, containers: [{name: a, resources: {}}]}"},
		"data of any form":      {"apps/v1 ControllerRevision", "data: {list: [], map: {}}", "data: {list: [], map: {}}"},
		"what no type knows":    {"v1 Pod", "more: []", "more: []"},
		"a definition":          {"apiextensions.k8s.io/v1 CustomResourceDefinition", "spec: {versions: []}", "spec: {versions: []}"},
		"a kind that is custom": {"example.com/v1 Widget", "spec: []", "spec: []"},
	} {
		var object, want map[string]any
		for text, into := range map[string]*map[string]any{test.object: &object, test.want: &want} {
			if err := yaml.Unmarshal([]byte(text), into); err != nil {
				t.Fatal(err)
			}
		}
		if test.object == test.want {
			want = runtime.DeepCopyJSON(object)
		}
		before := runtime.DeepCopyJSON(object)
		apiVersion, kind, _ := strings.Cut(test.kind, " ")
		if got := c.FromStorage(schema.FromAPIVersionAndKind(apiVersion, kind), object); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if !reflect.DeepEqual(object, before) {
			t.Errorf("%s: what was given becomes %v", name, object)
		}
	}
}
