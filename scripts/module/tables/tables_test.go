package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

// A program whose runtime looks functions up prints the same natively, as Go's linker
// wrote it for js/wasm, and with smaller tables.
func TestProgramIsTheSame(t *testing.T) {
	native := output(t, nil, "go", "run", "./testdata/functions")
	linked := filepath.Join(t.TempDir(), "functions.wasm")
	output(t, []string{"GOOS=js", "GOARCH=wasm"}, "go", "build", "-o", linked, "./testdata/functions")
	data, err := os.ReadFile(linked)
	if err != nil {
		t.Fatal(err)
	}
	rewritten, n, err := rewrite(data)
	if err != nil {
		t.Fatal(err)
	}
	if n.named == 0 || n.named == n.functions {
		t.Errorf("%d of %d functions keep their names: those of the runtime", n.named, n.functions)
	}
	if saved := len(data) - len(rewritten); saved < n.functions*buckets*4 {
		t.Errorf("%d bytes are gone, of %d functions", saved, n.functions)
	}
	m, err := wasmfile.Read(rewritten)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(m.Body(wasmfile.Data), []byte("main.recovered")) || !bytes.Contains(m.Body(wasmfile.Data), []byte("runtime.main")) {
		t.Error("the names of our functions go, those of the runtime stay")
	}
	smaller := filepath.Join(t.TempDir(), "smaller.wasm")
	if err := os.WriteFile(smaller, rewritten, 0o644); err != nil {
		t.Fatal(err)
	}
	runner := filepath.Join(strings.TrimSpace(output(t, nil, "go", "env", "GOROOT")), "lib/wasm/go_js_wasm_exec")
	for _, module := range []string{linked, smaller} {
		if got := output(t, nil, runner, module); got != native {
			t.Errorf("%s prints\n%s\nand not\n%s", filepath.Base(module), got, native)
		}
	}
	if _, _, err := rewrite(rewritten); !errors.Is(err, wasmfile.ErrModule) {
		t.Errorf("a module whose tables are smaller already: %v", err)
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

func TestRefuses(t *testing.T) {
	empty := wasmfile.Module{Sections: []wasmfile.Section{
		{Kind: wasmfile.Code, Body: wasmfile.CodeOf(nil)},
		{Kind: wasmfile.Data, Body: wasmfile.DataOf([]byte("no tables"))},
	}}
	for name, data := range map[string][]byte{"nothing": nil, "no data": wasmfile.Module{}.Bytes(), "other data": empty.Bytes()} {
		if _, _, err := rewrite(data); !errors.Is(err, wasmfile.ErrModule) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
