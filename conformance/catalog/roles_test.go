package catalog

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestRolesAreCurrent: the engine's built-in roles and bindings are those that all releases'
// servers create.
func TestRolesAreCurrent(t *testing.T) {
	root := filepath.Join("..", "..")
	args := []string{"run", "./scripts/roles"}
	for _, v := range version.All() {
		minor := v.String()
		folder := filepath.Join(kubernetesFolder(t, kubernetesReleases[minor]), "plugin", "pkg", "auth", "authorizer", "rbac", "bootstrappolicy", "testdata")
		args = append(args, strings.TrimPrefix(minor, "1.")+"="+folder)
	}
	generate := exec.CommandContext(t.Context(), "go", args...)
	generate.Dir = root
	generate.Stderr = os.Stderr
	want, err := generate.Output()
	check(t, err)
	got, err := os.ReadFile(filepath.Join(root, "engine", "internal", "kube", "rbac", "bootstrap.jsonl"))
	check(t, err)
	if string(got) != string(want) {
		t.Errorf("bootstrap.jsonl is not current: run go %s > engine/internal/kube/rbac/bootstrap.jsonl", strings.Join(args, " "))
	}
}
