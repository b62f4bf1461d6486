package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

var thing = gvk("example.com", "v1", "Thing")

// testCRD returns a CRD for the kind Thing with the given schema.
func testCRD(t testing.TB, schema string) catalog.CRD {
	t.Helper()
	return catalog.CRD{Value: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "things.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced",
			"names": map[string]any{"kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema":       map[string]any{"openAPIV3Schema": object(t, schema)},
				"subresources": map[string]any{"status": map[string]any{}, "scale": map[string]any{"specReplicasPath": ".spec.replicas"}},
			}},
		},
	}}
}

func withSchema(t testing.TB, schema string) *catalog.Catalog {
	t.Helper()
	c, problems := mustCatalog(t, "1.37").WithCRDs([]catalog.CRD{testCRD(t, schema)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c
}

// thingSchema has one of each schema feature that affects custom objects.
const thingSchema = `
type: object
properties:
  spec:
    type: object
    default: {}
    properties:
      replicas: {type: integer, default: 1}
      mode: {type: string, default: fast, nullable: true}
      note: {type: string}
      port: {x-kubernetes-int-or-string: true, default: 80}
      rules:
        type: array
        items: {type: object, properties: {action: {type: string, default: allow}, target: {type: string}}}
      sizes: {type: object, additionalProperties: {type: object, properties: {cpu: {type: integer, default: 2}}}}
      free: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: object, properties: {a: {type: string}}}}}
      template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
      anything: {type: object, additionalProperties: true}
`

func TestCRDDefaults(t *testing.T) {
	c := withSchema(t, thingSchema)
	for in, want := range map[string]string{
		`{}`:                                    `{"spec":{"mode":"fast","port":80,"replicas":1}}`,
		`{spec: {mode: null}}`:                  `{"spec":{"mode":null,"port":80,"replicas":1}}`,
		`{spec: {replicas: null}}`:              `{"spec":{"mode":"fast","port":80,"replicas":1}}`,
		`{spec: {rules: [{target: x}]}}`:        `{"spec":{"mode":"fast","port":80,"replicas":1,"rules":[{"action":"allow","target":"x"}]}}`,
		`{spec: {sizes: {s: {}, m: {cpu: 4}}}}`: `{"spec":{"mode":"fast","port":80,"replicas":1,"sizes":{"m":{"cpu":4},"s":{"cpu":2}}}}`,
	} {
		obj := object(t, in)
		got, _ := json.Marshal(c.Default(thing, obj))
		if string(got) != want {
			t.Errorf("%s:\n got %s\nwant %s", in, got, want)
		}
		if again, _ := json.Marshal(c.Default(thing, c.Default(thing, obj))); string(again) != string(got) {
			t.Errorf("%s: defaulting twice gives %s", in, again)
		}
		if len(obj) != len(object(t, in)) {
			t.Errorf("%s: the object given was changed", in)
		}
	}
}

func TestCRDPrune(t *testing.T) {
	c := withSchema(t, thingSchema)
	got, unknown := c.Prune(thing, object(t, `
apiVersion: example.com/v1
kind: Thing
metadata: {name: x}
extra: 1
spec:
  replicas: 2
  replicaz: 3
  rules: [{action: deny, why: z}]
  free: {anything: {goes: here}, known: {a: b, c: d}}
  template: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {x: 1}}
  anything: {a: 1, b: {c: 1}}
status: {}`))
	wantUnknown := "extra, spec.anything.b.c, spec.free.known.c, spec.replicaz, spec.rules[0].why, status"
	if strings.Join(unknown, ", ") != wantUnknown {
		t.Errorf("unknown: %s", strings.Join(unknown, ", "))
	}
	want := object(t, `
apiVersion: example.com/v1
kind: Thing
metadata: {name: x}
spec:
  replicas: 2
  rules: [{action: deny}]
  free: {anything: {goes: here}, known: {a: b}}
  template: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {x: 1}}
  anything: {a: 1, b: {}}`)
	for _, diff := range differences("", want, got) {
		t.Error(diff)
	}
}

func TestCRDNormalise(t *testing.T) {
	c := withSchema(t, thingSchema)
	got, problems := c.Normalise(thing, object(t, `
apiVersion: example.com/v1
kind: Thing
metadata: {name: x, label: {}, labels: {}, creationTimestamp: null}
spec:
  note: null
  mode: null
  replicas: null
  other: 1
  template: {apiVersion: v1, kind: Pod, metadata: {name: p, creationTimestamp: null, wrong: 1}}`))
	want := object(t, `
apiVersion: example.com/v1
kind: Thing
metadata: {name: x}
spec:
  mode: null
  replicas: null
  template: {apiVersion: v1, kind: Pod, metadata: {name: p}}`)
	for _, diff := range differences("", want, got) {
		t.Error(diff)
	}
	var paths []string
	for _, p := range problems {
		paths = append(paths, p.Message)
	}
	if text := strings.Join(paths, "; "); text != `unknown field "spec.other"; unknown field "metadata.label"; unknown field "spec.template.metadata.wrong"` {
		t.Errorf("problems: %s", text)
	}
}

func TestCRDResources(t *testing.T) {
	c := withSchema(t, thingSchema)
	r, ok := c.ResourceForKind(thing)
	if !ok || r.GVR != gvr("example.com", "v1", "things") || !r.Namespaced || r.Builtin || !r.Served {
		t.Errorf("%+v", r)
	}
	if kind, ok := c.KindFor(r.GVR, "scale"); !ok || kind != gvk("autoscaling", "v1", "Scale") {
		t.Errorf("scale: %v", kind)
	}
	if kind, ok := c.KindFor(r.GVR, "status"); !ok || kind != thing {
		t.Errorf("status: %v", kind)
	}
	if _, ok := mustCatalog(t, "1.37").ResourceForKind(thing); ok {
		t.Error("the catalog of the built-in kinds was changed")
	}
	typ, _ := c.TypeOf(thing)
	spec := typ.Field("spec").Type
	for name, kind := range map[string]catalog.Kind{
		"replicas": catalog.Integer, "mode": catalog.String, "port": catalog.Custom, "rules": catalog.List,
		"sizes": catalog.Map, "free": catalog.Struct, "template": catalog.Struct, "anything": catalog.Map,
	} {
		if f := spec.Field(name); f == nil || f.Type.Kind != kind {
			t.Errorf("spec.%s: %+v", name, f)
		}
	}
	if f := typ.Field("metadata"); f == nil || f.Type.Field("labels") == nil {
		t.Error("metadata has no labels")
	}
}

func TestCRDProblems(t *testing.T) {
	good := testCRD(t, `{type: object}`)
	noGroup := testCRD(t, `{type: object}`)
	delete(noGroup.Value["spec"].(map[string]any), "group")
	pod := testCRD(t, `{type: object}`)
	names := pod.Value["spec"].(map[string]any)
	names["group"] = "apps"
	names["names"] = map[string]any{"kind": "Deployment", "plural": "deployments"}
	list := testCRD(t, `{type: object, properties: {a: {type: array, items: [{type: string}]}}}`)
	list.Value["spec"].(map[string]any)["group"] = "list.example.com"
	_, problems := mustCatalog(t, "1.37").WithCRDs([]catalog.CRD{good, noGroup, good, pod, list, {}})
	var got []string
	for _, p := range problems {
		got = append(got, string(rune('0'+p.Index))+" "+p.Path+": "+p.Message)
	}
	want := []string{
		"1 spec.group: must be set: without it the CRD defines nothing",
		"2 spec.versions[0]: example.com/v1, Kind=Thing is defined already",
		"3 spec.versions[0]: apps/v1, Kind=Deployment is defined already",
		"4 spec.versions[0].schema.openAPIV3Schema.properties[a].items: must be a schema, not an array of schemas",
		"5 spec.group: must be set: without it the CRD defines nothing",
		"5 spec.names.kind: must be set: without it the CRD defines nothing",
		"5 spec.names.plural: must be set: without it the CRD defines nothing",
		"5 spec.versions: must have at least one version",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("problems:\n%s", strings.Join(got, "\n"))
	}
}

// TestCRDMerge covers the CRD part of semantics §6.5 f.
func TestCRDMerge(t *testing.T) {
	c := withSchema(t, `
type: object
properties:
  spec:
    type: object
    properties:
      set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      plain: {type: array, items: {type: string}}
      labels: {type: object, additionalProperties: {type: string}}
      atomicMap: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}
      byName: {type: object, additionalProperties: {type: object, properties: {l: {type: array, items: {type: string}}}}}
      free: {type: object, x-kubernetes-preserve-unknown-fields: true}
      port: {x-kubernetes-int-or-string: true}
      when: {type: string, format: date-time}
      pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
`)
	m, ok := c.SMD(thing)
	if !ok {
		t.Fatal("no merger")
	}
	live := object(t, `
apiVersion: example.com/v1
kind: Thing
metadata: {name: x}
spec: {set: [a, b], plain: [a], labels: {a: "1"}, byName: {m: {l: [a]}}, free: {x: {l: [1], k: 1}}, pod: {kind: Pod, spec: {a: 1}}}`)
	const atomic = "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: "
	for _, tt := range []struct {
		patch, err string
		path       []any
		want       string
	}{
		{`{spec: {set: [z, a]}}`, "", []any{"spec", "set"}, `["z","a","b"]`},
		{`{spec: {plain: [b]}}`, atomic + ".spec.plain", nil, ""},
		{`{spec: {atomicMap: {a: b}}}`, atomic + ".spec.atomicMap", nil, ""},
		{`{spec: {labels: {b: "2"}}}`, "", []any{"spec", "labels"}, `{"a":"1","b":"2"}`},
		{`{spec: {byName: {m: {l: [q]}}}}`, "", []any{"spec", "byName"}, `{"m":{"l":["q"]}}`},
		{`{spec: {free: {x: {l: [2], q: 1}}}}`, "", []any{"spec", "free"}, `{"x":{"k":1,"l":[2],"q":1}}`},
		{`{spec: {port: http}}`, "", []any{"spec", "port"}, `"http"`},
		{`{spec: {port: 80}}`, "", []any{"spec", "port"}, `80`},
		{`{spec: {pod: {metadata: {labels: {a: b}}, spec: {b: 1}}}}`, "", []any{"spec", "pod"},
			`{"kind":"Pod","metadata":{"labels":{"a":"b"}},"spec":{"a":1,"b":1}}`},
		{`{spec: {unknown: 1}}`, "failed to convert patch object to typed object: .spec.unknown: field not declared in schema", nil, ""},
		{`{metadata: {labels: {a: b}}}`, "", []any{"metadata"}, `{"labels":{"a":"b"},"name":"x"}`},
	} {
		got, err := m.Merge(live, object(t, tt.patch))
		checkMerge(t, tt.patch, got, err, tt.err, tt.path, tt.want)
	}
}

// TestCRDVersions: all versions of a CRD are equivalent; conversion only changes apiVersion.
func TestCRDVersions(t *testing.T) {
	crd := testCRD(t, `{type: object, properties: {a: {type: string}}}`)
	spec := crd.Value["spec"].(map[string]any)
	second := object(t, `{name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}`)
	spec["versions"] = append(spec["versions"].([]any), second)
	c, problems := mustCatalog(t, "1.37").WithCRDs([]catalog.CRD{crd})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	v1, v2 := gvr("example.com", "v1", "things"), gvr("example.com", "v2", "things")
	if got := c.Equivalents(v2, ""); len(got) != 2 || got[0] != v1 || got[1] != v2 {
		t.Errorf("equivalents: %v", got)
	}
	if got := c.Equivalents(v1, "status"); len(got) != 1 || got[0] != v1 {
		t.Errorf("equivalents of status: %v", got)
	}
	got, err := c.Convert(object(t, `{apiVersion: example.com/v1, kind: Thing, a: x}`), thing, gvk("example.com", "v2", "Thing"))
	if err != nil || got["apiVersion"] != "example.com/v2" || got["a"] != "x" {
		t.Errorf("%v, %v", got, err)
	}
}
