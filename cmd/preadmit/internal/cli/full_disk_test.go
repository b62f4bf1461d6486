package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: os.Stdout.Name(), Err: syscall.ENOSPC}
}

// A full disk is not a bug in Preadmit, and never counts as success.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	scenario := filepath.Dir(write("limit/policies.yaml", limitPolicies))
	policies, request := filepath.Join(scenario, "policies.yaml"), write("limit/request.yaml", limitRequest)
	write("limit/expected.yaml", "outcome: {allowed: true}\n")
	after := write("after.yaml", strings.Replace(limitRequest, "data:", "immutable: true\ndata:", 1))
	code, link, _ := run(t, "link", scenario)
	if code != exitOK {
		t.Fatalf("link: exit code %d", code)
	}
	_, part, _ := run(t, "replay", "-p", policies, request, "--partial", "-o", "json")
	summary := write("part.json", part)
	var commands [][]string
	for _, format := range []string{"text", "json", "yaml", "sent", "defaulted", "object", "diff", "review"} {
		commands = append(commands, []string{"eval", scenario, "-o", format})
	}
	for _, format := range []string{"text", "json", "junit", "github", "sarif"} {
		commands = append(commands, []string{"test", scenario, "-o", format})
	}
	for _, format := range []string{"text", "json", "ndjson"} {
		commands = append(commands, []string{"replay", "-p", policies, request, "-o", format})
	}
	for _, format := range []string{"text", "json", "sarif", "junit", "github"} {
		commands = append(commands, []string{"check", policies, "-o", format})
	}
	for _, format := range []string{"text", "json", "markdown"} {
		commands = append(commands, []string{"diff", policies, policies, request, "-o", format})
	}
	commands = append(commands,
		[]string{"eval", scenario, "--kubernetes", "all"}, []string{"cel", "1 + 1"}, []string{"cel", "1 + 1", "-o", "json"},
		[]string{"test", scenario, "--coverage"}, []string{"test", scenario, "--mutants"}, []string{"test", scenario, "--update"},
		[]string{"replay", "merge", summary}, []string{"propose", "-r", request, "-a", after}, []string{"propose", "-r", request, "-a", after, "-o", "yaml"},
		[]string{"link", scenario}, []string{"open", strings.TrimSpace(link), "--txtar"}, []string{"open", strings.TrimSpace(link), "-d", filepath.Join(dir, "opened")},
		[]string{"fix", "--secrets", write("secret.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: hidden1234}\n")},
		[]string{"completion", "bash"}, []string{"version"}, []string{"help"}, []string{"help", "eval"}, []string{"help", "licenses"})
	for _, args := range commands {
		var stderr bytes.Buffer
		code := Run(args, strings.NewReader(""), fullDisk{}, &stderr)
		if code != exitInput || !strings.HasSuffix(stderr.String(), "preadmit: the output could not be written: no space left on device\n") {
			t.Errorf("%v: exit code %d, %q", args, code, stderr.String())
		}
	}
}

// A file that cannot be replaced stays unchanged.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	file, linked := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.yaml")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.yaml", linked); err != nil {
		t.Skip(err)
	}
	if err := replaceFile(linked, []byte("new")); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	info, statErr := os.Lstat(linked)
	if err != nil || statErr != nil || string(content) != "new" || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("%q, %v, %v, %v", content, err, statErr, info)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	fresh := filepath.Join(dir, "c.yaml")
	if err := replaceFile(fresh, []byte("c")); err != nil {
		t.Fatal(err)
	}
	if err := writeBeside(filepath.Join(dir, "none", "d.yaml"), []byte("d"), 0o666); err == nil {
		t.Error("a folder that is not there was written to")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 {
		t.Errorf("%v, %v", left, err)
	}
}
