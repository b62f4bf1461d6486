package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/preadmit/preadmit/scripts/internal/wasmfile"
)

// A program in two parts prints what it prints natively, asks for the second part once,
// when it is needed, and not at all when it is not.
func TestProgramIsTheSame(t *testing.T) {
	dir := t.TempDir()
	linked := filepath.Join(dir, "linked.wasm")
	output(t, []string{"GOOS=js", "GOARCH=wasm"}, "go", "build", "-o", linked, "./testdata/halves")
	data, err := os.ReadFile(linked)
	if err != nil {
		t.Fatal(err)
	}
	p, err := split(data, func(_ int, name string) bool {
		return !strings.HasPrefix(name, "main.cold") && !strings.Contains(name, ".area")
	})
	if err != nil {
		t.Fatal(err)
	}
	if p.cold < 7 || len(p.first) >= len(data) || len(p.second) > len(data)/10 {
		t.Errorf("%d functions moved, %d bytes became %d and %d", p.cold, len(data), len(p.first), len(p.second))
	}
	first, second := filepath.Join(dir, "first.wasm"), filepath.Join(dir, "second.wasm")
	if err := errors.Join(os.WriteFile(first, p.first, 0o600), os.WriteFile(second, p.second, 0o600)); err != nil {
		t.Fatal(err)
	}
	loader := filepath.Join(strings.TrimSpace(output(t, nil, "go", "env", "GOROOT")), "lib", "wasm", "wasm_exec.js")
	native := output(t, nil, "go", "run", "./testdata/halves")
	hot := output(t, nil, "go", "run", "./testdata/halves", "hot")
	for _, c := range []struct {
		want string
		args []string
	}{
		{native + "asked 1\n", []string{second}},
		{hot + "asked 0\n", []string{"none", "hot"}},
		{hot + "there is no second part\nasked 1\n", []string{"none"}},
	} {
		args := append([]string{"testdata/run.mjs", loader, first}, c.args...)
		if got := output(t, nil, "node", args...); got != c.want {
			t.Errorf("%v prints\n%s\nand not\n%s", c.args, got, c.want)
		}
	}
	again, err := split(data, func(_ int, name string) bool {
		return !strings.HasPrefix(name, "main.cold") && !strings.Contains(name, ".area")
	})
	if err != nil || !bytes.Equal(again.first, p.first) || !bytes.Equal(again.second, p.second) {
		t.Errorf("a second time the parts differ: %v", err)
	}
	counting, err := countCalls(data)
	if err != nil {
		t.Fatal(err)
	}
	m, err := wasmfile.Read(counting)
	if err != nil {
		t.Fatal(err)
	}
	if functions := len(wasmfile.Functions(m.Body(wasmfile.Code))); wasmfile.ListOf(m.Body(wasmfile.Global)).Count < functions {
		t.Errorf("not each of %d functions has a global", functions)
	}
}

func TestReadScenarios(t *testing.T) {
	read, err := readScenarios(fstest.MapFS{
		"one/policies.yaml": {Data: []byte("kind: A")},
		"two/request.yaml":  {Data: []byte("kind: B")},
		"README.md":         {Data: []byte("no example")},
	})
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]struct{ Policies, Request string }
	if err := json.Unmarshal(read, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all["one"].Policies != "kind: A" || all["two"].Request != "kind: B" {
		t.Errorf("%v", all)
	}
}

func TestRefuses(t *testing.T) {
	table := wasmfile.Module{Sections: []wasmfile.Section{
		{Kind: wasmfile.Type, Body: []byte{0}},
		{Kind: wasmfile.Function, Body: []byte{0}},
		{Kind: wasmfile.Global, Body: []byte{0}},
		{Kind: wasmfile.Element, Body: []byte{2, 0, wasmfile.OpI32Const, 1, wasmfile.OpEnd, 0}},
		{Kind: wasmfile.Code, Body: []byte{0}},
	}}
	for name, data := range map[string][]byte{
		"nothing":          nil,
		"no sections":      wasmfile.Module{}.Bytes(),
		"a table in parts": table.Bytes(),
	} {
		if _, err := split(data, func(int, string) bool { return true }); !errors.Is(err, wasmfile.ErrModule) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func output(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	command.Env = append(os.Environ(), env...)
	var problems bytes.Buffer
	command.Stderr = &problems
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, &problems)
	}
	return string(out)
}
