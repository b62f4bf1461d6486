package catalog

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	ours "github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// TestRolesAreCurrent: the roles and bindings that the engine takes to exist are
// those that the servers of all releases create.
func TestRolesAreCurrent(t *testing.T) {
	authorizer := filepath.Join("..", "..", "engine", "authorizer")
	args := []string{"run", "bootstrap_gen.go"}
	for _, minor := range ours.Versions() {
		folder := filepath.Join(kubernetesFolder(t, kubernetesReleases[minor]), "plugin", "pkg", "auth", "authorizer", "rbac", "bootstrappolicy", "testdata")
		args = append(args, strings.TrimPrefix(minor, "1.")+"="+folder)
	}
	generate := exec.CommandContext(t.Context(), "go", args...)
	generate.Dir = authorizer
	generate.Stderr = os.Stderr
	want, err := generate.Output()
	check(t, err)
	got, err := os.ReadFile(filepath.Join(authorizer, "bootstrap.jsonl"))
	check(t, err)
	if string(got) != string(want) {
		t.Errorf("bootstrap.jsonl is not current: in engine/internal/kube/rbac run go %s > bootstrap.jsonl", strings.Join(args, " "))
	}
}
