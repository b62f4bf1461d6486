package objects_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/repair/objects"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// object is an object of a kind as it is in a text.
func object(t *testing.T, text string) objects.Object {
	t.Helper()
	kinds, err := catalog.For(version.Default())
	if err != nil {
		t.Fatal(err)
	}
	docs, problems := scenario.ParseDocuments(diag.Request, text)
	if len(docs) != 1 || len(problems) > 0 {
		t.Fatal(problems)
	}
	of, ok := kinds.TypeOf(schema.FromAPIVersionAndKind(docs[0].APIVersion, docs[0].Kind))
	if !ok {
		t.Fatalf("no type of %s", docs[0].Kind)
	}
	return objects.Object{Document: docs[0], Type: of, Value: docs[0].Value}
}

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n"

const definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  versions:\n  - schema:\n      openAPIV3Schema:\n        type: object\n"

const schemaAt = "spec.versions[0].schema.openAPIV3Schema"

const deployment = "apiVersion: apps/v1\nkind: Deployment\n"

// TestUnknownField applies the repairs for fields in the wrong place.
func TestUnknownField(t *testing.T) {
	for _, tc := range []struct{ text, path, want string }{
		{pod + "  containers:\n  - name: a\n    limits: {cpu: 1}\n", "spec.containers[0].limits", pod + "  containers:\n  - name: a\n    resources: {limits: {cpu: 1}}\n"},
		{pod + "  containers:\n  - name: a\n    limits:\n      cpu: 1\n    image: x\n", "spec.containers[0].limits", pod + "  containers:\n  - name: a\n    resources:\n      limits:\n        cpu: 1\n    image: x\n"},
		{pod + "  containers:\n  - ports: [{port: 80}]\n", "spec.containers[0].ports[0].port", pod + "  containers:\n  - ports: [{containerPort: 80}]\n"},
		{pod + "  container: []\n", "spec.container", pod + "  containers: []\n"},
		{pod + "  securityContext: {privileged: true}\n  containers:\n  - name: a\n", "spec.securityContext.privileged", pod + "  containers:\n  - name: a\n    securityContext: {privileged: true}\n"},
		{pod + "  image: x\n  containers:\n  - name: a\n  - name: b\n", "spec.image", pod + "  containers:\n  - name: a\n    image: x\n  - name: b\n    image: x\n"},
		{pod + "  labels: {a: b}\n  containers: []\n", "spec.labels", "apiVersion: v1\nkind: Pod\nmetadata: {name: web, labels: {a: b}}\nspec:\n  containers: []\n"},
		{"apiVersion: apps/v1\nkind: Deployment\nspec:\n  selector: {app: web}\n", "spec.selector.app", "apiVersion: apps/v1\nkind: Deployment\nspec:\n  selector: {matchLabels: {app: web}}\n"},
		{"apiVersion: apps/v1\nkind: Deployment\nreplicas: 3\nspec:\n  paused: true\n", "replicas", "apiVersion: apps/v1\nkind: Deployment\nspec:\n  paused: true\n  replicas: 3\n"},
		{deployment + "spec:\n  template:\n    metadata: {}\n    containers:\n    - name: a\n", "spec.template.containers", deployment + "spec:\n  template:\n    metadata: {}\n    spec:\n      containers:\n      - name: a\n"},
		{deployment + "replicas: 3\nselector:\n  matchLabels: {a: b}\n", "replicas", deployment + "spec:\n  replicas: 3\n  selector:\n    matchLabels: {a: b}\n"},
		{deployment + "replicas: 3\npaused: true\nspec:\n  minReadySeconds: 1\n", "paused", deployment + "spec:\n  minReadySeconds: 1\n  replicas: 3\n  paused: true\n"},
		{deployment + "spec:\n  selector: {matchLabels: {a: b}}\n  containers:\n  - name: a\n    image: x\n  hostNetwork: true\n", "spec.containers",
			deployment + "spec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: 'b'}}\n    spec:\n      containers:\n      - name: a\n        image: x\n      hostNetwork: true\n"},
		{deployment + "spec:\n  replicaCount: 3\n", "spec.replicaCount", deployment + "spec:\n  replicas: 3\n"},
		{pod + "  containers:\n  - resources:\n      cpu: 1\n      memory: 1Gi\n", "spec.containers[0].resources.memory", pod + "  containers:\n  - resources:\n      limits:\n        cpu: 1\n        memory: 1Gi\n"},
		{definition + "        spec: {type: object}\n        status:\n          type: object\n", schemaAt + ".status", definition + "        properties:\n          spec: {type: object}\n          status:\n            type: object\n"},
		{definition + "        properties:\n          hosts:\n            type: array\n            items: {type: string}\n            mode:\n              type: string\n", schemaAt + ".properties.hosts.mode",
			definition + "        properties:\n          hosts:\n            type: array\n            items: {type: string}\n          mode:\n            type: string\n"},
		{definition + "        properties:\n          mode: {type: string}\n          hosts:\n            type: array\n            mode: {type: string}\n", schemaAt + ".properties.hosts.mode", ""},
		{definition + "        spec: 5\n", schemaAt + ".spec", ""},
		{pod + "  nothingLikeIt: 1\n", "spec.nothingLikeIt", ""},
	} {
		var fixes []diag.Fix
		for _, problem := range object(t, tc.text).UnknownFields([]catalog.Problem{{Path: tc.path}}) {
			fixes = problem.Fixes
		}
		got := ""
		if len(fixes) > 0 && !fixes[0].Choice {
			var err error
			if got, err = fixes[0].Apply(diag.Request, tc.text); err != nil {
				t.Fatal(err)
			}
		}
		if got != tc.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tc.path, got, tc.want)
		}
	}
}

// TestWrongTypes applies the first repair for each value of a wrong type.
func TestWrongTypes(t *testing.T) {
	container := func(field string) string { return pod + "  containers:\n  - name: a\n    " + field + "\n" }
	for field, want := range map[string]string{
		"command: sleep 10":                                 `command: ["sleep", "10"]`,
		"command: sleep 10 && echo":                         `command: [sh, -c, "sleep 10 && echo"]`,
		"ports: [80]":                                       "ports: [{containerPort: 80}]",
		"env: {A: 1}":                                       `env: [{name: "A", value: "1"}]`,
		"resources: {limits: {memory: 512MB}}":              "resources: {limits: {memory: 512Mi}}",
		"resources: {limits: {memory: 500MB}}":              "resources: {limits: {memory: 500M}}",
		"resources: {limits: {cpu: 500 m}}":                 "resources: {limits: {cpu: 500m}}",
		"ports: 80":                                         "ports: [{containerPort: 80}]",
		"env: MODE=fast":                                    `env: [{name: "MODE", value: "fast"}]`,
		"env: [MODE=fast]":                                  `env: [{name: "MODE", value: "fast"}]`,
		"securityContext: [{privileged: true}]":             "securityContext: {privileged: true}",
		"securityContext: {seccompProfile: RuntimeDefault}": `securityContext: {seccompProfile: {type: "RuntimeDefault"}}`,
		"envFrom: [{configMapRef: settings}]":               `envFrom: [{configMapRef: {name: "settings"}}]`,
		"envFrom: [settings]":                               `envFrom: [{configMapRef: {name: "settings"}}]`,
		"envFrom: settings":                                 `envFrom: [{configMapRef: {name: "settings"}}]`,
		"stdin: 'true'":                                     "stdin: true",
		"image: 1":                                          `image: "1"`,
	} {
		text := container(field)
		wrong := object(t, text).WrongTypes("")
		if len(wrong) != 1 || len(wrong[0].Fixes) == 0 {
			t.Errorf("%s: %+v", field, wrong)
			continue
		}
		if got, err := wrong[0].Fixes[0].Apply(diag.Request, text); err != nil || got != container(want) {
			t.Errorf("%s: %v\n%s", field, err, got)
		}
	}
	for text, want := range map[string]string{
		pod + "  nodeSelector: disk=ssd, zone=a\n": pod + "  nodeSelector: {\"disk\": \"ssd\", \"zone\": \"a\"}\n",
		pod + "  containers: nginx:1\n":            pod + "  containers: [{name: \"nginx\", image: \"nginx:1\"}]\n",
		deployment + "spec: {selector: app=web}\n": deployment + "spec: {selector: {matchLabels: {\"app\": \"web\"}}}\n",
	} {
		wrong := object(t, text).WrongTypes("")
		if len(wrong) != 1 || len(wrong[0].Fixes) == 0 {
			t.Errorf("%s: %+v", text, wrong)
		} else if got, err := wrong[0].Fixes[0].Apply(diag.Request, text); err != nil || got != want {
			t.Errorf("%v\n%s", err, got)
		}
	}
	labels := "apiVersion: v1\nkind: Pod\nmetadata:\n  labels: [a: b]\nspec: {}\n"
	if got, err := object(t, labels).WrongTypes("")[0].Fixes[0].Apply(diag.Request, labels); err != nil || got != "apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {\"a\": \"b\"}\nspec: {}\n" {
		t.Errorf("%v\n%s", err, got)
	}
}
