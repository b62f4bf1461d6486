// Command snapshot makes a module that is the engine as it is after its start and
// a first evaluation:
//
//	go run ./scripts/snapshot FROM TO
//
// It runs the engine in Node (web/tools/snapshot.mjs) until it waits for calls,
// evaluates the example of the first page, drops the report, and writes the memory and
// the globals into the module. A page that instantiates it goes on from there
// (web/app/snapshot.ts): Go's start, the initialisation of its packages, what is made
// once for a Kubernetes version, and the compilation of that example have happened
// already. An evaluation itself is not in it: the first call runs as any other.
// Go keeps the stacks of goroutines in memory, so while all of them wait that is
// everything; docs/performance.md has the figures.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/internal/wasmfile"
)

// example is what the first page shows (firstExample in web/cmd/site).
const example = "examples/first-look"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "snapshot:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: snapshot FROM TO")
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	m, err := wasmfile.Read(data)
	if err != nil {
		return err
	}
	image, err := take(m)
	if err != nil {
		return err
	}
	out, stubs, err := write(m, image)
	if err != nil {
		return err
	}
	fmt.Printf("%d functions of packages' initialisation are gone; %d bytes became %d\n", stubs, len(data), len(out))
	return os.WriteFile(args[1], out, 0o644)
}

// take runs the engine, and returns what it is then.
func take(m wasmfile.Module) (image, error) {
	dir, err := os.MkdirTemp("", "snapshot")
	if err != nil {
		return image{}, err
	}
	defer os.RemoveAll(dir)
	open, err := exportGlobals(m)
	if err != nil {
		return image{}, err
	}
	if open, err = sameSeeds(open); err != nil {
		return image{}, err
	}
	calls, err := calls()
	if err != nil {
		return image{}, err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return image{}, fmt.Errorf("go env: %w", err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("open.wasm"), open.Bytes(), 0o600), os.WriteFile(at("calls.json"), calls, 0o600)); err != nil {
		return image{}, err
	}
	loader := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js")
	node := exec.Command("node", "web/tools/snapshot.mjs", at("open.wasm"), loader, at("calls.json"), at("memory"), at("state.json"))
	node.Stdout, node.Stderr = os.Stdout, os.Stderr
	if err := node.Run(); err != nil {
		return image{}, fmt.Errorf("%s: %w", node, err)
	}
	memory, err := os.ReadFile(at("memory"))
	if err != nil {
		return image{}, err
	}
	text, err := os.ReadFile(at("state.json"))
	if err != nil {
		return image{}, err
	}
	i := image{memory: memory}
	return i, json.Unmarshal(text, &i)
}

// calls are those that warm up the engine, as the page makes them.
func calls() ([]byte, error) {
	read, err := scenario.FromFS(os.DirFS(example))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", example, err)
	}
	seen := []any{map[string]any{"text": "policies", "start": 0, "end": len(read.Scenario.Policies)}}
	params := map[string]any{"scenario": read.Scenario, "parts": []string{"steps"}, "open": []string{}, "in": seen}
	evaluate := map[string]any{"method": "evaluate", "params": params}
	return json.Marshal([]any{evaluate})
}
