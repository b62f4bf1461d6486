package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

// partOf is where the test's program has its functions.
func partOf(_ int, name string) int {
	switch {
	case strings.HasPrefix(name, "main.coldName"), strings.Contains(name, ".area"):
		return 2
	case strings.HasPrefix(name, "main.cold"):
		return 1
	}
	return 0
}

// A program in three parts prints what it prints natively, asks for each of the later parts once,
// when it is needed, and not at all when it is not.
func TestProgramIsTheSame(t *testing.T) {
	dir := t.TempDir()
	linked := filepath.Join(dir, "linked.wasm")
	output(t, []string{"GOOS=js", "GOARCH=wasm"}, "go", "build", "-o", linked, "./testdata/halves")
	data, err := os.ReadFile(linked)
	if err != nil {
		t.Fatal(err)
	}
	p, err := split(data, 3, partOf)
	if err != nil {
		t.Fatal(err)
	}
	if p[1].functions < 4 || p[2].functions < 3 || len(p[0].module) >= len(data) || len(p[1].module)+len(p[2].module) > len(data)/10 {
		t.Errorf("%d and %d functions moved, %d bytes became %d, %d and %d",
			p[1].functions, p[2].functions, len(data), len(p[0].module), len(p[1].module), len(p[2].module))
	}
	var files []string
	for i, part := range p {
		files = append(files, filepath.Join(dir, fmt.Sprintf("part%d.wasm", i)))
		if err := os.WriteFile(files[i], part.module, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	loader := filepath.Join(strings.TrimSpace(output(t, nil, "go", "env", "GOROOT")), "lib", "wasm", "wasm_exec.js")
	native := output(t, nil, "go", "run", "./testdata/halves")
	hot := output(t, nil, "go", "run", "./testdata/halves", "hot")
	for _, c := range []struct {
		want string
		args []string
	}{
		{native + "asked 1,2\n", []string{strings.Join(files[1:], ",")}},
		{hot + "asked\n", []string{"none", "hot"}},
		{hot + "there is no such part\nasked 1\n", []string{"none"}},
	} {
		args := append([]string{"testdata/run.mjs", loader, files[0]}, c.args...)
		if got := output(t, nil, "node", args...); got != c.want {
			t.Errorf("%v prints\n%s\nand not\n%s", c.args, got, c.want)
		}
	}
	again, err := split(data, 3, partOf)
	if err != nil || !slices.EqualFunc(again, p, func(a, b part) bool { return bytes.Equal(a.module, b.module) }) {
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

// The example of the first page comes first.
func TestReadScenarios(t *testing.T) {
	all, err := readScenarios(fstest.MapFS{
		"any/policies.yaml":        {Data: []byte("kind: A")},
		"first-look/policies.yaml": {Data: []byte("kind: B")},
		"second/request.yaml":      {Data: []byte("kind: C")},
		"README.md":                {Data: []byte("no example")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || all[0].Policies != "kind: B" || all[1].Policies != "kind: A" || all[2].Request != "kind: C" {
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
		if _, err := split(data, 2, func(int, string) int { return 0 }); !errors.Is(err, wasmfile.ErrModule) {
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
