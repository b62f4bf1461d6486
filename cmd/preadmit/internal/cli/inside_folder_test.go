package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Symbolic links are only followed within their folder, for every reader.
func TestLinksOutOfAFolder(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.yaml")
	folder := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	write(secret, "password: hunter2\n")
	const request = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n"
	for _, name := range []string{"inside", "outside", "case"} {
		link("real.txt", filepath.Join(folder, name, "request.yaml"))
		write(filepath.Join(folder, name, "real.txt"), request)
	}
	link(filepath.Dir(secret), filepath.Join(folder, "inside", "elsewhere"))
	link(secret, filepath.Join(folder, "outside", "policies.yaml"))
	link(secret, filepath.Join(folder, "case", "other.txt"))
	write(filepath.Join(folder, "case", "cases.yaml"), "- {name: x, file: other.txt}\n")
	link(secret, filepath.Join(folder, "manifests", "a.yaml"))
	for _, c := range []struct {
		args  []string
		fails bool
	}{
		{[]string{"eval", filepath.Join(folder, "inside")}, false},
		{[]string{"eval", filepath.Join(folder, "outside")}, true},
		{[]string{"check", filepath.Join(folder, "outside")}, true},
		{[]string{"check", filepath.Join(folder, "manifests")}, true},
		{[]string{"test", filepath.Join(folder, "case")}, true},
	} {
		var out strings.Builder
		Run(c.args, strings.NewReader(""), &out, &out)
		if got := strings.Contains(out.String(), "the symbolic link leads out of the folder"); got != c.fails || strings.Contains(out.String(), "hunter2") {
			t.Errorf("%s: %s", c.args, out.String())
		}
	}
}

// Writing into a folder overwrites nothing and follows no dangling link.
func TestFilesAreNew(t *testing.T) {
	folder, target := t.TempDir(), filepath.Join(t.TempDir(), "made")
	if err := os.Symlink(target, filepath.Join(folder, "request.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := writeFiles(folder, map[string][]byte{"request.yaml": []byte("a")}); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a link that leads nowhere: %v", err)
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("the link was followed")
	}
}
