package catalog_test

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

const liveDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, labels: {a: "1"}}
spec:
  replicas: 1
  selector: {matchLabels: {app: d}}
  strategy: {}
  template:
    metadata: {labels: {app: d}}
    spec:
      containers:
      - name: web
        image: nginx
        resources: {}
        env: [{name: test, value: a}, {name: test, value: b}, {name: foo, value: bar}]
      initContainers: [{name: init, image: busybox, resources: {}}]
status: {}`

// duplicates is the duplicate variable in liveDeployment, as before 1.35.
const duplicates = `failed to convert original object to typed object: .spec.template.spec.containers[name="web"].env: duplicate entries for key [name="test"]`

// TestMerge covers semantics §6.5 e to g.
func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		name, minor, patch string
		// want is the error, or the path and value of a field.
		err  string
		path []any
		want string
	}{
		{"scalar", "1.37", `{spec: {replicas: 3}}`, "", []any{"spec", "replicas"}, `3`},
		{"whole float", "1.37", `{spec: {replicas: 2.0}}`, "", []any{"spec", "replicas"}, `2`},
		{"live duplicates are kept", "1.37", `{spec: {replicas: 3}}`, "", []any{"spec", "template", "spec", "containers", 0, "env"},
			`[{"name":"test","value":"a"},{"name":"test","value":"b"},{"name":"foo","value":"bar"}]`},
		{"live duplicates are errors in 1.34", "1.34", `{spec: {replicas: 3}}`, duplicates, nil, ""},
		{"live duplicates are errors in 1.33", "1.33", `{spec: {replicas: 3}}`, duplicates, nil, ""},
		{"a touched duplicate collapses", "1.37", `{spec: {template: {spec: {containers: [{name: web, env: [{name: test, value: c}]}]}}}}`, "",
			[]any{"spec", "template", "spec", "containers", 0, "env"}, `[{"name":"test","value":"c"},{"name":"foo","value":"bar"}]`},
		{"map by key", "1.37", `{metadata: {labels: {b: "2"}}}`, "", []any{"metadata", "labels"}, `{"a":"1","b":"2"}`},
		{"item by key", "1.37", `{spec: {template: {spec: {initContainers: [{name: init, imagePullPolicy: Never}]}}}}`, "",
			[]any{"spec", "template", "spec", "initContainers"}, `[{"image":"busybox","imagePullPolicy":"Never","name":"init","resources":{}}]`},
		{"new item", "1.37", `{spec: {template: {spec: {initContainers: [{name: mesh, image: proxy}]}}}}`, "",
			[]any{"spec", "template", "spec", "initContainers", 1}, `{"image":"proxy","name":"mesh"}`},
		{"kind cannot be changed", "1.37", `{apiVersion: v9, kind: Foo, spec: {replicas: 7}}`, "", []any{"kind"}, `"Deployment"`},
		{"unknown field", "1.37", `{spec: {replicasx: 1}}`, "failed to convert patch object to typed object: .spec.replicasx: field not declared in schema", nil, ""},
		{"null scalar", "1.37", `{spec: {replicas: "many"}}`, `failed to convert patch object to typed object: .spec.replicas: expected numeric (int or float), got string`, nil, ""},
		{"atomic struct", "1.37", `{spec: {selector: {matchLabels: {a: b}}}}`, "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector", nil, ""},
		{"atomic list of a container", "1.37", `{spec: {template: {spec: {containers: [{name: web, args: []}]}}}}`,
			"invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.template.spec.containers[0].args", nil, ""},
		{"two atomics", "1.37", `{metadata: {ownerReferences: [{uid: x}]}, spec: {template: {spec: {tolerations: []}}}}`, "", nil, ""},
		{"duplicate items in the patch", "1.37", `{spec: {template: {spec: {containers: [{name: x}, {name: x}]}}}}`,
			`failed to convert patch object to typed object: .spec.template.spec.containers: duplicate entries for key [name="x"]`, nil, ""},
		{"container without name", "1.37", `{spec: {template: {spec: {containers: [{image: x}]}}}}`, "",
			[]any{"spec", "template", "spec", "containers", 1}, `{"image":"x"}`},
		{"port keys have defaults", "1.37", `{spec: {template: {spec: {containers: [{name: web, ports: [{containerPort: 80}, {containerPort: 80, protocol: TCP}]}]}}}}`,
			`failed to convert patch object to typed object: .spec.template.spec.containers[name="web"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]`, nil, ""},
		{"string for a list", "1.37", `{spec: {template: {spec: {containers: x}}}}`,
			`failed to convert patch object to typed object: .spec.template.spec.containers: expected list, got &{x}`, nil, ""},
	} {
		m, ok := mustCatalog(t, tt.minor).SMD(deployment)
		if !ok {
			t.Fatal("no merger")
		}
		live, patch := object(t, liveDeployment), object(t, tt.patch)
		before, _ := json.Marshal([]any{live, patch})
		got, err := m.Merge(live, patch)
		if after, _ := json.Marshal([]any{live, patch}); string(after) != string(before) {
			t.Errorf("%s: an input was changed", tt.name)
		}
		if tt.name == "two atomics" {
			// The server's order of fields in a map is random.
			const prefix = "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: "
			a, b := ".metadata.ownerReferences[0]", ".spec.template.spec.tolerations"
			if err == nil || err.Error() != prefix+a+", "+b && err.Error() != prefix+b+", "+a {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		checkMerge(t, tt.name, got, err, tt.err, tt.path, tt.want)
	}
}

func checkMerge(t *testing.T, name string, got map[string]any, err error, wantErr string, path []any, want string) {
	t.Helper()
	if wantErr != "" {
		if err == nil || err.Error() != wantErr {
			t.Errorf("%s:\n got %v\nwant %s", name, err, wantErr)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	var value any = got
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := value.(map[string]any)
			value = m[step]
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				t.Errorf("%s: %v has no item %d", name, path, step)
				return
			}
			value = list[step]
		}
	}
	if data, _ := json.Marshal(value); string(data) != want {
		t.Errorf("%s: %v is %s, want %s", name, path, data, want)
	}
}

// TestKeylessItem: structured-merge-diff version 4 requires every key, version 6 one of them.
func TestKeylessItem(t *testing.T) {
	crd := testCRD(t, `
type: object
properties:
  list:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [a, b]
    items: {type: object, properties: {a: {type: string}, b: {type: string}, c: {type: string}}}`)
	for minor, tests := range map[string]map[string]string{
		"1.33": {
			`{list: [{a: x}]}`: `failed to convert patch object to typed object: .list: element 0: associative list with keys has an element that omits key field "b" (and doesn't have default value)`,
		},
		"1.34": {
			`{list: [{a: x}]}`: "",
			`{list: [{c: x}]}`: `failed to convert patch object to typed object: .list: element 0: associative list with keys has an element that omits all key fields ["a" "b"] (and doesn't have default values for any key fields)`,
		},
	} {
		c, _ := mustCatalog(t, minor).WithCRDs([]catalog.CRD{crd})
		m, ok := c.SMD(thing)
		if !ok {
			t.Fatal("no merger")
		}
		for patch, want := range tests {
			_, err := m.Merge(object(t, `{apiVersion: example.com/v1, kind: Thing}`), object(t, patch))
			if (err == nil) != (want == "") || err != nil && err.Error() != want {
				t.Errorf("%s %s:\n got %v\nwant %s", minor, patch, err, want)
			}
		}
	}
}

func TestNoMergerForUnknownKinds(t *testing.T) {
	if _, ok := mustCatalog(t, "1.37").SMD(thing); ok {
		t.Error("a kind that nobody defines has a merger")
	}
}

// The server finds no schema for kinds that only subresources use.
func TestMergeSubresourceKinds(t *testing.T) {
	for _, kind := range []schema.GroupVersionKind{
		{Group: "autoscaling", Version: "v1", Kind: "Scale"}, {Group: "policy", Version: "v1", Kind: "Eviction"},
		{Group: "authentication.k8s.io", Version: "v1", Kind: "TokenRequest"}, {Version: "v1", Kind: "PodExecOptions"},
	} {
		m, ok := mustCatalog(t, "1.36").SMD(kind)
		if !ok {
			t.Errorf("%v has no merger, which would make JSON patches fail too", kind)
			continue
		}
		_, err := m.Merge(map[string]any{}, map[string]any{})
		if want := "failed to convert patch object to typed object: no corresponding type for " + kind.String(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
