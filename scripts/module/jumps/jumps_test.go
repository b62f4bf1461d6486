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

// A program that takes every way through its functions prints the same natively,
// as Go's linker wrote it for js/wasm, and with direct jumps.
func TestProgramIsTheSame(t *testing.T) {
	native := output(t, nil, "go", "run", "./testdata/control")
	linked := filepath.Join(t.TempDir(), "control.wasm")
	output(t, []string{"GOOS=js", "GOARCH=wasm"}, "go", "build", "-o", linked, "./testdata/control")

	data, err := os.ReadFile(linked)
	if err != nil {
		t.Fatal(err)
	}
	rewritten, n, err := rewriteModule(data)
	if err != nil {
		t.Fatal(err)
	}
	if n.direct < n.jumps*3/4 || n.direct == n.jumps {
		t.Errorf("%d of %d jumps are direct: most go forward, loops do not", n.direct, n.jumps)
	}
	if len(rewritten) >= len(data) {
		t.Errorf("%d bytes became %d", len(data), len(rewritten))
	}
	direct := filepath.Join(t.TempDir(), "direct.wasm")
	if err := os.WriteFile(direct, rewritten, 0o644); err != nil {
		t.Fatal(err)
	}
	runner := filepath.Join(strings.TrimSpace(output(t, nil, "go", "env", "GOROOT")), "lib/wasm/go_js_wasm_exec")
	for _, module := range []string{linked, direct} {
		if got := output(t, nil, runner, module); got != native {
			t.Errorf("%s prints\n%s\nand not\n%s", filepath.Base(module), got, native)
		}
	}

	again, n, err := rewriteModule(rewritten)
	if err != nil || n.direct != 0 || !bytes.Equal(again, rewritten) {
		t.Errorf("a module whose jumps are direct changes again: %d jumps, %v", n.direct, err)
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

// The body of a function with two places to jump to: three blocks (the start, place 1,
// place 2) inside the loop, at the places the code that a case gives.
func body(first, second, third []byte) []byte {
	b := []byte{1, 1, 0x7f, 0x23, 0, wasmfile.OpLocalSet, 1} // one local, which becomes the stack pointer
	b = append(b, wasmfile.OpLoop, 0x40, wasmfile.OpBlock, 0x40, wasmfile.OpBlock, 0x40, wasmfile.OpBlock, 0x40)
	b = append(b, wasmfile.OpLocalGet, target, wasmfile.OpBrTable, 2, 0, 1, 2, wasmfile.OpEnd)
	b = append(b, first...)
	b = append(b, wasmfile.OpEnd)
	b = append(b, second...)
	b = append(b, wasmfile.OpEnd)
	b = append(b, third...)
	return append(b, wasmfile.OpEnd, 0x00, wasmfile.OpEnd)
}

func to(number, loop byte) []byte {
	return []byte{wasmfile.OpI32Const, number, wasmfile.OpLocalSet, target, wasmfile.OpBr, loop}
}

func TestRewriteFunction(t *testing.T) {
	inIf := func(code ...byte) []byte {
		return append(append([]byte{wasmfile.OpI32Const, 1, wasmfile.OpIf, 0x40}, code...), wasmfile.OpEnd)
	}
	for name, c := range map[string]struct{ from, want []byte }{
		"forward by one":  {body(to(1, 2), nil, nil), body([]byte{wasmfile.OpBr, 0}, nil, nil)},
		"forward by two":  {body(to(2, 2), nil, nil), body([]byte{wasmfile.OpBr, 1}, nil, nil)},
		"out of an if":    {body(inIf(to(2, 3)...), nil, nil), body(inIf(wasmfile.OpBr, 2), nil, nil)},
		"from the second": {body(nil, to(2, 1), nil), body(nil, []byte{wasmfile.OpBr, 0}, nil)},
		"back":            {body(nil, to(0, 1), nil), nil},
		"to itself":       {body(nil, to(1, 1), nil), nil},
		"at the end":      {body(nil, nil, to(2, 0)), nil},
		"another block":   {body(to(1, 1), nil, nil), nil}, // not the loop: no jump of Go's
	} {
		var n counts
		got, err := rewriteFunction(c.from, &n)
		if c.want == nil {
			c.want = c.from
		}
		if err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("%s:\n% x, %v, want\n% x", name, got, err, c.want)
		}
	}
}

func TestRefuses(t *testing.T) {
	for name, data := range map[string][]byte{
		"nothing":          nil,
		"a text":           []byte("not a module"),
		"cut off":          append([]byte("\x00asm\x01\x00\x00\x00"), wasmfile.Code, 40, 1, 30),
		"an instruction":   append([]byte("\x00asm\x01\x00\x00\x00"), section(body([]byte{0xfd, 1}, nil, nil))...),
		"blocks left open": append([]byte("\x00asm\x01\x00\x00\x00"), section(body([]byte{wasmfile.OpBlock, 0x40}, nil, nil))...),
	} {
		if _, _, err := rewriteModule(data); !errors.Is(err, wasmfile.ErrModule) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// section is a code section with one function.
func section(body []byte) []byte {
	code := append([]byte{1, byte(len(body))}, body...)
	return append([]byte{wasmfile.Code, byte(len(code))}, code...)
}
