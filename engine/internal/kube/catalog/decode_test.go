package catalog_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// object reads an object from YAML or JSON into unstructured form.
func object(t testing.TB, text string) map[string]any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := utiljson.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

var (
	pod        = gvk("", "v1", "Pod")
	deployment = gvk("apps", "v1", "Deployment")
	secret     = gvk("", "v1", "Secret")
)

// TestDecodeErrors lists the server's texts (semantics §6.6). Type errors name the Go struct, the
// field path without indices, and the Go type. Errors about unknown and duplicate fields name the
// place with indices.
func TestDecodeErrors(t *testing.T) {
	const podHead = `"apiVersion":"v1","kind":"Pod",`
	const secretHead = `"apiVersion":"v1","kind":"Secret",`
	for _, tt := range []struct {
		name, minor, json, want string
	}{
		{"unknown field", "1.37", `{` + podHead + `"spec":{"foo":1}}`, `strict decoding error: unknown field "spec.foo"`},
		{"two unknown fields", "1.37", `{` + podHead + `"spec":{"containers":[{"name":"a","ports":[{"containerPortZ":1}]}]},"x":1}`,
			`strict decoding error: unknown field "spec.containers[0].ports[0].containerPortZ", unknown field "x"`},
		{"names are case-sensitive", "1.37", `{` + podHead + `"Spec":{}}`, `strict decoding error: unknown field "Spec"`},
		{"duplicate field", "1.37", `{` + podHead + `"spec":{"hostname":"a","hostname":"b"}}`, `strict decoding error: duplicate field "spec.hostname"`},
		{"duplicate key of a map", "1.37", `{` + podHead + `"metadata":{"labels":{"a.b/c":"1","a.b/c":"2"}}}`, `strict decoding error: duplicate field "metadata.labels.a.b/c"`},
		{"wrong scalar", "1.37", `{` + podHead + `"spec":{"containers":[{"name":1}]}}`,
			`json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string`},
		{"named type", "1.37", `{` + podHead + `"spec":{"restartPolicy":true}}`,
			`json: cannot unmarshal bool into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy`},
		{"integer out of range", "1.37", `{` + podHead + `"spec":{"priority":3000000000}}`,
			`json: cannot unmarshal number 3000000000 into Go struct field PodSpec.spec.priority of type int32`},
		{"fraction for an integer", "1.37", `{` + podHead + `"spec":{"priority":1.5}}`,
			`json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32`},
		{"object for a list", "1.37", `{` + podHead + `"spec":{"containers":{}}}`,
			`json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container`},
		{"list for a struct", "1.37", `{` + podHead + `"spec":[]}`, `json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec`},
		{"string for a map", "1.37", `{` + podHead + `"metadata":{"labels":"x"}}`,
			`json: cannot unmarshal string into Go struct field ObjectMeta.metadata.labels of type map[string]string`},
		{"map value", "1.37", `{` + podHead + `"metadata":{"labels":{"a":1}}}`,
			`json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string`},
		{"quantity", "1.37", `{` + podHead + `"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1 core"}}}]}}`,
			"quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
		{"time", "1.37", `{` + podHead + `"metadata":{"creationTimestamp":"today"}}`,
			`parsing time "today" as "2006-01-02T15:04:05Z07:00": cannot parse "today" as "2006"`},
		{"time of a wrong type", "1.37", `{` + podHead + `"metadata":{"creationTimestamp":5}}`,
			`json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string`},
		{"int-or-string", "1.37", `{` + podHead + `"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":true}}}]}}`,
			`json: cannot unmarshal bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32`},
		{"embedded structs are not named before 1.35", "1.34", `{` + podHead + `"spec":{"volumes":[{"emptyDir":7}]}}`,
			`json: cannot unmarshal number into Go struct field Volume.spec.volumes.emptyDir of type v1.EmptyDirVolumeSource`},
		{"embedded structs are named since 1.35", "1.35", `{` + podHead + `"spec":{"volumes":[{"emptyDir":7}]}}`,
			`json: cannot unmarshal number into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource`},
		{"base64", "1.37", `{` + secretHead + `"data":{"a":"not base64"}}`, `illegal base64 data at input byte 3`},
		{"a type error beats unknown fields", "1.37", `{` + podHead + `"x":1,"spec":5}`,
			`json: cannot unmarshal number into Go struct field Pod.spec of type v1.PodSpec`},
		{"an error of a type's own decoding beats an earlier one", "1.37", `{` + podHead + `"spec":5,"metadata":{"creationTimestamp":"x"}}`,
			`parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`},
		{"syntax", "1.37", `{` + podHead + `"x":1}}`, `couldn't get version/kind; json parse error: invalid character '}' after top-level value`},
		{"kind of a wrong type", "1.37", `{"apiVersion":"v1","kind":5}`,
			`couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string`},
		{"unknown kind", "1.37", `{"apiVersion":"v9","kind":"Foo"}`,
			`no kind "Foo" is registered for version "v9" in scheme "pkg/api/legacyscheme/scheme.go:30"`},
	} {
		kind := pod
		if strings.Contains(tt.json, "Secret") {
			kind = secret
		}
		var parsed map[string]any
		if c := mustCatalog(t, tt.minor); utiljson.Unmarshal([]byte(tt.json), &parsed) == nil && c.Fits(kind, parsed) {
			if _, err := c.DecodeLenient(kind, []byte(tt.json)); err != nil {
				t.Errorf("%s: it does not fit: %v", tt.name, err)
			}
		}
		got, err := mustCatalog(t, tt.minor).DecodeStrict(kind, []byte(tt.json))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s:\n got %v (%v)\nwant %s", tt.name, err, got, tt.want)
		}
	}
}

func TestDecodeLenientDropsUnknownFields(t *testing.T) {
	c := mustCatalog(t, "1.37")
	got, err := c.DecodeLenient(pod, []byte(`{"apiVersion":"v1","kind":"Pod","foo":1,"spec":{"bar":{"baz":[]},"nodeName":"node"}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := object(t, `{apiVersion: v1, kind: Pod, metadata: {}, spec: {containers: null, nodeName: node}, status: {}}`)
	for _, diff := range differences("", want, got) {
		t.Error(diff)
	}
}

// TestNormalForm shows how CEL sees built-in objects (semantics §1.5).
func TestNormalForm(t *testing.T) {
	for _, tt := range []struct {
		name, minor string
		in, want    string
	}{
		{"deployment", "1.37", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 3}}`, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec:
  replicas: 3
  selector: null
  strategy: {}
  template: {metadata: {}, spec: {containers: null}}
status: {}`},
		{"unset creationTimestamp before 1.34", "1.33", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: c, creationTimestamp: null}}`},
		{"unset creationTimestamp since 1.34", "1.34", `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, creationTimestamp: null}, data: {}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}`},
		{"quantities, times, numbers", "1.37", `
apiVersion: v1
kind: Pod
metadata: {name: p, creationTimestamp: "2026-01-01T01:00:00+01:00", labels: {}}
spec:
  priority: 1.0e1
  containers:
  - {name: c, resources: {limits: {cpu: 1500m, memory: 1024Ki, x: 2}}, ports: [{containerPort: 80, name: ""}], args: []}`, `
apiVersion: v1
kind: Pod
metadata: {name: p, creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  priority: 10
  containers:
  - {name: c, resources: {limits: {cpu: 1500m, memory: 1Mi, x: "2"}}, ports: [{containerPort: 80}]}
status: {}`},
		{"pointers keep their zero values", "1.37", `
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, securityContext: {runAsNonRoot: false, runAsUser: 0}}], automountServiceAccountToken: false, securityContext: {}}`, `
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, resources: {}, securityContext: {runAsNonRoot: false, runAsUser: 0}}], automountServiceAccountToken: false, securityContext: {}}
status: {}`},
		{"null items", "1.37", `{apiVersion: v1, kind: Pod, metadata: {}, spec: {containers: [null], tolerations: null}}`,
			`{apiVersion: v1, kind: Pod, metadata: {}, spec: {containers: [{name: "", resources: {}}]}, status: {}}`},
	} {
		in := object(t, tt.in)
		kind := gvk("", "v1", in["kind"].(string))
		if kind.Kind == "Deployment" {
			kind.Group = "apps"
		}
		before, _ := json.Marshal(in)
		got, problems := mustCatalog(t, tt.minor).Normalise(kind, in)
		if after, _ := json.Marshal(in); string(after) != string(before) {
			t.Errorf("%s: the object given was changed", tt.name)
		}
		if len(problems) > 0 && tt.name != "quantities, times, numbers" {
			t.Errorf("%s: problems %+v", tt.name, problems)
		}
		for _, diff := range differences("", object(t, tt.want), got) {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestNormaliseTellsProblems(t *testing.T) {
	got, problems := mustCatalog(t, "1.37").Normalise(pod, object(t, `
apiVersion: v1
kind: Pod
metadata: {name: p, label: {a: b}}
spec:
  containers:
  - {name: c, imagee: nginx, resources: {limits: {cpu: lots}}}
  - {name: 7}
  priority: high`))
	want := []string{
		`metadata.label true unknown field "metadata.label"`,
		`spec.containers[0].imagee true unknown field "spec.containers[0].imagee"`,
		"spec.containers[0].resources.limits.cpu false quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
		`spec.containers[1].name false json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string`,
		`spec.priority false json: cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32`,
	}
	var found []string
	for _, p := range problems {
		found = append(found, strings.Join([]string{p.Path, map[bool]string{true: "true", false: "false"}[p.Unknown], p.Message}, " "))
	}
	if strings.Join(found, "\n") != strings.Join(want, "\n") {
		t.Errorf("problems:\n%s\nwant:\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
	if name := got["metadata"].(map[string]any)["name"]; name != "p" {
		t.Errorf("the rest of the object is lost: %v", got)
	}
}

func TestFromUnstructuredErrors(t *testing.T) {
	c := mustCatalog(t, "1.37")
	const prefix = "unable to convert unstructured object to apps/v1, Kind=Deployment: "
	for spec, want := range map[string]string{
		`{replicas: 2.5}`:                               "cannot convert float64 to int32",
		`{replicas: many}`:                              "unrecognized type: int32",
		`{paused: 1}`:                                   "unrecognized type: bool",
		`{selector: []}`:                                "cannot restore struct from: slice",
		`{template: {spec: {containers: {}}}}`:          "cannot restore slice from map",
		`{template: {metadata: {labels: "x"}}}`:         "cannot restore map from string",
		`{template: {spec: {containers: [{name: 1}]}}}`: "cannot convert int64 to string",
		`{strategy: {type: {}}}`:                        "unrecognized type: string",
		`{strategy: {rollingUpdate: {maxSurge: {}}}}`:   "json: cannot unmarshal object into Go value of type int32",
		`{template: {spec: {overhead: {cpu: much}}}}`:   "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
	} {
		in := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "spec": object(t, spec)}
		if _, err := c.FromUnstructured(deployment, in); err == nil || err.Error() != prefix+want {
			t.Errorf("%s:\n got %v\nwant %s", spec, err, prefix+want)
		}
	}
	got, err := c.FromUnstructured(deployment, map[string]any{"spec": map[string]any{"replicas": 2.0, "unknown": true}})
	if err != nil || got["spec"].(map[string]any)["replicas"] != int64(2) || got["spec"].(map[string]any)["unknown"] != nil {
		t.Errorf("whole floats become integers and unknown fields go: %v, %v", got, err)
	}
}

// TestRead compares Read with the two functions that it combines.
func TestRead(t *testing.T) {
	c := mustCatalog(t, "1.37")
	for _, tt := range []struct {
		json    string
		unknown []string
		fits    bool
	}{
		{`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{}},"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"1500m"}}}]}}`, nil, true},
		{`{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":null},"spec":{"priority":7,"hostIPC":true,"tolerations":[null,{"tolerationSeconds":1}],"nodeSelector":{"a":"b"}}}`, nil, true},
		{`{"apiVersion":"v1","kind":"Pod","metadata":null,"x":{"a":1},"spec":{"nodeNam":"n"}}`, []string{"x", "spec.nodeNam"}, true},
		{`{"apiVersion":"v1","kind":"Pod","spec":{"hostname":"a","hostname":"b"}}`, nil, false},
		{`{"apiVersion":"v1","kind":"Pod","spec":{"hostname":1}}`, nil, false},
		{`{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"today"}}`, nil, false},
		{`{"apiVersion":"apps/v1","kind":"Deployment"}`, nil, false},
		{`{"kind":"Pod"}`, nil, false},
		{`{"apiVersion":"v1","kind":"Pod"`, nil, false},
	} {
		got, dropped, ok := c.Read(pod, []byte(tt.json))
		if ok != tt.fits {
			t.Errorf("%s: fits is %v", tt.json, ok)
		}
		if !ok {
			continue
		}
		var names []string
		for _, p := range dropped {
			names = append(names, p.Path)
		}
		if !slices.Equal(names, tt.unknown) {
			t.Errorf("%s: %v are dropped", tt.json, names)
		}
		if !c.Fits(pod, object(t, tt.json)) {
			t.Errorf("%s: it fits", tt.json)
		}
		lenient, err := c.DecodeLenient(pod, []byte(tt.json))
		if err != nil {
			t.Error(err)
		}
		normal, _ := c.Normalise(pod, object(t, tt.json))
		for _, diff := range append(differences("", lenient, got), differences("", normal, got)...) {
			t.Errorf("%s: %s", tt.json, diff)
		}
		want := c.Roundtrip(pod, c.Default(pod, normal))
		for _, diff := range differences("", want, c.Complete(pod, catalog.Normal{Object: got})) {
			t.Errorf("%s, completed: %s", tt.json, diff)
		}
	}
}
