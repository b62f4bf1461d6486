//go:build apiserver

package servertest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestManifests: the server accepts the installation manifests in strict mode, and the plugin runs
// with the Deployment's arguments. Only the namespace stays. cert-manager's kinds do not exist on
// this server.
func TestManifests(t *testing.T) {
	taken := 0
	for _, name := range []string{"webhook/server.yaml", "webhook/webhooks-plain.yaml", "webhook/webhooks-cert-manager.yaml",
		"cluster/server.yaml", "cluster/serve-role.yaml", "cluster/collect-role.yaml"} {
		for _, u := range manifests(t, name) {
			if u.GroupVersionKind().Group == "cert-manager.io" {
				continue
			}
			r, err := shared.resource(u)
			if err != nil {
				t.Fatal(err)
			}
			patch, err := json.Marshal(u)
			if err != nil {
				t.Fatal(err)
			}
			force := true
			options := metav1.PatchOptions{FieldManager: "test", FieldValidation: metav1.FieldValidationStrict, Force: &force}
			if u.GetKind() != "Namespace" {
				options.DryRun = []string{metav1.DryRunAll}
			}
			if _, err := r.Patch(t.Context(), u.GetName(), types.ApplyPatchType, patch, options); err != nil {
				t.Errorf("%s: %s %s: %v", name, u.GetKind(), u.GetName(), err)
			}
			taken++
		}
	}
	t.Logf("%d objects taken", taken)
	if taken < 16 {
		t.Error("that is not all of them")
	}
}

// TestDeployment: the plugin serves with its Deployment's arguments and ConfigMap, and its role's
// permissions.
func TestDeployment(t *testing.T) {
	if err := shared.allowServing(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"tls", "policies", "tmp/cache"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	_, _, authority := selfSigned(t, filepath.Join(dir, "tls"))
	var flags []string
	for _, u := range manifests(t, "cluster/server.yaml") {
		switch u.GetKind() {
		case "ConfigMap":
			data, _, _ := unstructured.NestedStringMap(u.Object, "data")
			for name, text := range data {
				if err := os.WriteFile(filepath.Join(dir, "policies", name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		case "Deployment":
			containers, _, _ := unstructured.NestedSlice(u.Object, "spec", "template", "spec", "containers")
			args, _, _ := unstructured.NestedStringSlice(containers[0].(map[string]any), "args")
			for _, arg := range args {
				if strings.HasPrefix(arg, "/") {
					arg = filepath.Join(dir, arg)
				}
				flags = append(flags, arg)
			}
		}
	}
	if len(flags) == 0 {
		t.Fatal("the Deployment has no arguments")
	}
	shared.answering(t, authority, flags...)
}

// manifests are the objects in one of deploy's files.
func manifests(t *testing.T, name string) []*unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	docs, problems := scenario.ParseDocuments(diag.Cluster, string(text))
	if diag.HasErrors(problems) {
		t.Fatal(problems)
	}
	var out []*unstructured.Unstructured
	for _, d := range docs {
		out = append(out, &unstructured.Unstructured{Object: d.Value})
	}
	return out
}
