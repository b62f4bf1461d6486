package proposal

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

var update = flag.Bool("update", false, "write the golden files")

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: app, image: "nginx:1.29", args: [-q], ports: [{containerPort: 80}]}
      - {name: log, image: "busybox:1"}
      volumes: [{name: data, emptyDir: {}}]
`

const configMap = `
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: shop, finalizers: [example.com/a, example.com/b]}
data: {a: b}
`

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, default: 3}
              mode: {type: string}
              tags: {type: array, items: {type: string}}
              words: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [id]
                items: {type: object, required: [id], properties: {id: {type: string}, weight: {type: integer}}}
              limits: {type: object, additionalProperties: {type: object, properties: {max: {type: integer}}}}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

const widget = `
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: shop}
spec: {size: 1, tags: [a], words: [x], parts: [{id: p, weight: 1}], limits: {cpu: {max: 1}}, free: {k: {deep: 1}}}
`

func object(t testing.TB, source string) map[string]any {
	t.Helper()
	docs, problems := scenario.ParseDocuments(diag.Request, source)
	if len(docs) != 1 || diag.HasErrors(problems) {
		t.Fatalf("%v in %s", problems, source)
	}
	return runtime.DeepCopyJSON(docs[0].Value) // tests change it, and documents are shared
}

func change(before string, edits ...string) string {
	return strings.NewReplacer(edits...).Replace(before)
}

// TestFromObjects writes what is proposed for changes as people make them to
// golden files, which read as documentation.
func TestFromObjects(t *testing.T) {
	tests := []struct{ name, before, after string }{
		{"label", deployment, change(deployment, "labels: {app: web}}\nspec", `labels: {app: web, "example.com/team": "a\"b\n"}}`+"\nspec")},
		{"first annotation", deployment, change(deployment, "labels: {app: web}}\nspec", "labels: {app: web}, annotations: {note: x}}\nspec")},
		{"replicas", deployment, change(deployment, "replicas: 2", "replicas: 5")},
		{"image", deployment, change(deployment, "nginx:1.29", "registry.example.com/nginx:1.29")},
		{"sidecar", deployment, change(deployment, "      volumes:", "      - {name: mesh, image: mesh, env: [{name: A, value: b}], ports: [{containerPort: 9901, name: admin}], resources: {limits: {cpu: 1, memory: 1Gi}}}\n      volumes:")},
		{"sidecar with arguments", deployment, change(deployment, "      volumes:", "      - {name: mesh, image: mesh, args: [run]}\n      volumes:")},
		{"init container", deployment, change(deployment, "      volumes:", "      initContainers: [{name: init, image: i}]\n      volumes:")},
		{"security context", deployment, change(deployment, "      volumes:", "      securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}\n      volumes:")},
		{"in a container", deployment, change(deployment, `image: "busybox:1"`, `image: "busybox:1", securityContext: {readOnlyRootFilesystem: true}`)},
		{"a removed container", deployment, change(deployment, "      - {name: log, image: \"busybox:1\"}\n", "")},
		{"arguments", deployment, change(deployment, "args: [-q]", "args: [-q, -v]")},
		{"a volume", deployment, change(deployment, "emptyDir: {}}]", "emptyDir: {}}, {name: cache, emptyDir: {}}, {name: tmp, emptyDir: {medium: Memory, sizeLimit: 1Gi}}]")},
		{"a removed finalizer", configMap, change(configMap, "example.com/a, ", "")},
		{"data", configMap, change(configMap, "data: {a: b}", "data: {a: c, \"x/y~z\": \"1\", no: \"☃\\u2028\"}")},
		{"nothing", configMap, configMap},
		{"custom resource", widget, change(widget, "size: 1", "size: 7, mode: fast", "words: [x]", "words: [x, z]", "weight: 1}", "weight: 2}, {id: q}")},
		{"map of objects", widget, change(widget, "{max: 1}", "{max: 2}, memory: {max: 5}")},
		{"without schema", widget, change(widget, "{k: {deep: 1}}", "{k: {deep: 2}, list: [1, a, {b: true}], \"n-o\": 1.5}")},
		{"atomic list of a custom resource", widget, change(widget, "tags: [a]", "tags: [b]")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := scenario.Scenario{Request: test.before, Cluster: crd}
			got, err := FromObjects(context.Background(), s, object(t, test.after))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Changes) > 0 && !got.JSONPatch.Verified {
				t.Errorf("no JSONPatch works: %v\n%s", got.JSONPatch.Reasons, got.JSONPatch.Expression)
			}
			golden(t, strings.ReplaceAll(test.name, " ", "-"), got)
		})
	}
}

// golden compares a result with its golden file.
func golden(t *testing.T, name string, r *Result) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "recommended: %s\n", r.Recommended)
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	list := []Proposal{r.ApplyConfiguration, r.JSONPatch}
	if r.Literal != nil {
		list = append(list, *r.Literal)
	}
	for _, p := range list {
		fmt.Fprintf(&b, "\n%s, verified: %t\n", p.PatchType, p.Verified)
		for _, reason := range p.Reasons {
			fmt.Fprintf(&b, "  because: %s\n", reason)
		}
		for _, note := range p.Notes {
			fmt.Fprintf(&b, "  note: %s\n", note)
		}
		if p.Expression != "" {
			b.WriteString(p.Expression + "\n")
		}
	}
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestFromPatch(t *testing.T) {
	tests := []struct{ name, before, patch string }{
		{"webhook adds a label", deployment, `[{"op":"add","path":"/metadata/annotations","value":{}},{"op":"add","path":"/metadata/annotations/example.com~1by","value":"hook"}]`},
		{"webhook adds a sidecar", deployment, `[{"op":"add","path":"/spec/template/spec/containers/-","value":{"name":"mesh","image":"mesh","ports":[{"containerPort":1}]}},{"op":"replace","path":"/spec/replicas","value":3}]`},
		{"webhook tests and moves", configMap, `[{"op":"test","path":"/data/a","value":"b"},{"op":"move","from":"/data/a","path":"/data/c"},{"op":"copy","from":"/data/c","path":"/data/d"},{"op":"remove","path":"/metadata/finalizers"}]`},
		{"webhook replaces a list", deployment, `[{"op":"add","path":"/spec/template/spec/tolerations","value":[{"key":"a","operator":"Exists"},{"key":"b","operator":"Exists","tolerationSeconds":5,"effect":"NoExecute"}]}]`},
		{"webhook changes nothing", configMap, `[]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := FromPatch(context.Background(), scenario.Scenario{Request: test.before, Kubernetes: "1.36"}, []byte(test.patch))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Changes) > 0 && (!got.JSONPatch.Verified || !got.Literal.Verified) {
				t.Errorf("no JSONPatch works: %v %v", got.JSONPatch.Reasons, got.Literal.Reasons)
			}
			golden(t, strings.ReplaceAll(test.name, " ", "-"), got)
		})
	}
}

func TestReadPatch(t *testing.T) {
	const operations = `[{"op":"remove","path":"/data"}]`
	for name, text := range map[string]string{
		"list":            operations,
		"base64":          "W3sib3AiOiJyZW1vdmUiLCJwYXRo\nIjoiL2RhdGEifV0=\n",
		"YAML list":       "- {op: remove, path: /data}",
		"AdmissionReview": `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"","allowed":true,"patchType":"JSONPatch","patch":"W3sib3AiOiJyZW1vdmUiLCJwYXRoIjoiL2RhdGEifV0="}}`,
		"WebhookResponse": "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: w}\nspec: {allowed: true, patchType: JSONPatch, patch: [{op: remove, path: /data}]}",
		"response":        `{"allowed":true,"patch":"W3sib3AiOiJyZW1vdmUiLCJwYXRoIjoiL2RhdGEifV0="}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadPatch(text)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != operations {
				t.Errorf("got %s, want %s", got, operations)
			}
		})
	}
	for name, text := range map[string]string{"no patch": `{"response":{"allowed":true}}`, "not base64": `{"response":{"patch":"%"}}`, "nothing": "", "not YAML": "{", "more than a list": "[] {"} {
		t.Run(name, func(t *testing.T) {
			if got, err := ReadPatch(text); err == nil {
				t.Errorf("got %s, want an error", got)
			}
		})
	}
}

func TestWrongInput(t *testing.T) {
	deletion := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"","kind":{"version":"v1","kind":"ConfigMap"},"resource":{"version":"v1","resource":"configmaps"},"operation":"DELETE","name":"c","namespace":"shop","userInfo":{},"oldObject":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}}}`
	for name, test := range map[string]struct{ request, after, want string }{
		"no request":    {"", configMap, "the request has no object"},
		"deletion":      {deletion, configMap, "the request has no object"},
		"another kind":  {configMap, deployment, "a policy cannot change apiVersion"},
		"no such patch": {configMap, "", "missing"},
	} {
		t.Run(name, func(t *testing.T) {
			var after map[string]any
			if test.after != "" {
				after = object(t, test.after)
			}
			_, err := FromObjects(context.Background(), scenario.Scenario{Request: test.request}, after)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	if _, err := FromPatch(context.Background(), scenario.Scenario{Request: configMap}, []byte(`[{"op":"remove","path":"/nothing"}]`)); err == nil || !strings.Contains(err.Error(), "does not apply") {
		t.Errorf("got %v", err)
	}
}

// A version without the kind gets a proposal for one that has it, and older
// versions the API version that they have.
func TestVersions(t *testing.T) {
	for version, want := range map[string]string{"1.30": "/v1\n", "1.32": "/v1alpha1\n", "1.34": "/v1beta1\n", "1.36": "/v1\n"} {
		t.Run(version, func(t *testing.T) {
			got, err := FromObjects(context.Background(), scenario.Scenario{Request: deployment, Kubernetes: version}, object(t, change(deployment, "replicas: 2", "replicas: 5")))
			if err != nil {
				t.Fatal(err)
			}
			if !got.ApplyConfiguration.Verified || !got.JSONPatch.Verified || !strings.Contains(got.JSONPatch.Policy, "admissionregistration.k8s.io"+want) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// What is copied from a result has been through storage.
func TestSystemFieldsAreKept(t *testing.T) {
	after := object(t, change(deployment, "namespace: shop", "namespace: shop, uid: x, generation: 4, creationTimestamp: '2026-01-01T00:00:00Z'", "replicas: 2", "replicas: 5")+"status: {replicas: 4}\n")
	got, err := FromObjects(context.Background(), scenario.Scenario{Request: deployment}, after)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Changes) != 1 || got.Changes[0].Path != "/spec/replicas" || len(got.Notes) != 1 {
		t.Errorf("changes %v, notes %v", got.Changes, got.Notes)
	}
}

// TestOfPods leaves out what the server's own plugins make of both objects: the ServiceAccount with its volume, the
// priority and the tolerations.
func TestOfPods(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec:\n  containers:\n  - {name: c, image: nginx}\n"
	review := "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest:\n  uid: u\n  operation: CREATE\n  kind: {group: '', version: v1, kind: Pod}\n  resource: {group: '', version: v1, resource: pods}\n" +
		"  namespace: shop\n  name: p\n  userInfo: {username: jane}\n  object:\n    " + strings.ReplaceAll(strings.TrimSpace(pod), "\n", "\n    ") + "\n"
	defaulting := true
	for _, before := range []string{pod, review} {
		for added, paths := range map[string][]string{
			"  - {name: sidecar, image: envoy}\n":        {"/spec/containers/1"},
			"  volumes: [{name: cache, emptyDir: {}}]\n": {"/spec/volumes/0", "/spec/volumes/1"},
			"  serviceAccountName: other\n":              {"/spec/serviceAccount", "/spec/serviceAccountName"},
			"  priority: 0\n":                            {},
		} {
			in := scenario.Scenario{Request: before}
			in.Options.Defaulting = &defaulting
			got, err := FromObjects(context.Background(), in, object(t, pod+added))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range got.Changes {
				if !slices.Contains(paths, c.Path) || c.Op == "remove" {
					t.Errorf("%q: %s %s", added, c.Op, c.Path)
				}
			}
			if len(paths) > 0 && got.Recommended == "" {
				t.Errorf("%q: nothing is proposed: %v %v", added, got.ApplyConfiguration, got.JSONPatch)
			}
		}
	}
}
