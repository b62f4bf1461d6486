// Command snapshot makes a module that is the engine as it is after its start and
// a first evaluation:
//
//	go run ./scripts/module/snapshot [-of registry] FROM TO
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
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

func main() {
	of := flag.String("of", "engine", "the module: engine, or registry, which is the API server's own code")
	flag.Parse()
	if err := run(*of, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "snapshot:", err)
		os.Exit(1)
	}
}

func run(of string, args []string) error {
	if len(args) != 2 {
		return errors.New("usage: snapshot [-of MODULE] FROM TO")
	}
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	m, err := wasmfile.Read(data)
	if err != nil {
		return err
	}
	warm, known := map[string]func() ([]byte, error){"engine": engineCalls, "registry": registryCalls}[of]
	if !known {
		return fmt.Errorf("there is no module %s", of)
	}
	image, err := take(m, warm)
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
func take(m wasmfile.Module, warm func() ([]byte, error)) (image, error) {
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
	calls, err := warm()
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
