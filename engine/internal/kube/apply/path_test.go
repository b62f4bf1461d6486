package apply_test

import (
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/kube/apply"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

const stored = `
metadata: {labels: {app.kubernetes.io/name: web, app: x}}
spec:
  finalizers: [one, "two]"]
  ports: [{port: 8080, name: a}, {port: 80, protocol: TCP, name: 'x]y'}, {port: 80, protocol: UDP, name: c}]
`

func TestResolve(t *testing.T) {
	value := read(t, stored)
	for text, want := range map[string]string{
		`.metadata.labels.app.kubernetes.io/name`:        "metadata.labels[app.kubernetes.io/name]",
		`.metadata.labels.app`:                           "metadata.labels.app",
		`.spec.ports[port=80,protocol="UDP"].name`:       "spec.ports[2].name",
		`.spec.ports[name="x]y",port=80]`:                "spec.ports[1]",
		`.spec.ports[port=8080,protocol="TCP"].name`:     "spec.ports[0].name", // the key has a default
		`.spec.finalizers[="two]"]`:                      "spec.finalizers[1]",
		`.spec.ports[1].port`:                            "spec.ports[1].port",
		`.spec.ports[port=81,protocol="TCP"].name`:       "-spec.ports",
		`.spec.ports[port=80,protocol="TCP"].targetPort`: "-spec.ports[1]",
		`.spec.ports[9]`:                                 "-spec.ports",
		`.spec.ports[`:                                   "-spec.ports",
		`.spec.ports[port=]`:                             "-spec.ports",
		`spec`:                                           "-",
	} {
		path, found := apply.Resolve(value, text)
		got := path.String()
		if !found {
			got = "-" + got
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestInConfig: an index of the merged list is another one in the applied list, or none.
func TestInConfig(t *testing.T) {
	config := read(t, "spec: {ports: [{port: 80, protocol: UDP}, {port: 80, protocol: TCP}]}")
	for path, want := range map[string]string{
		"spec.ports[2].port": "spec.ports[0].port",
		"spec.ports[1].name": "spec.ports[1]",
		"spec.ports[0].name": "spec.ports",
		"metadata.labels":    "",
	} {
		if got := apply.InConfig(config, read(t, stored), fieldpath.Parse(path)).String(); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func read(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}
