package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
)

// chance reports whether it depends on the time, on how much memory there is, or on the hashes
// of the moment, which are others in each engine, that a function is called: those of the
// runtime and its maps, comparisons of keys, which follow only where hashes are alike, and sorting
// of what comes out of maps. Comparing two maps ends at the first difference, which chance
// finds. All of them are in the first part.
func chance(name string) bool {
	for _, prefix := range []string{"runtime.", "internal_runtime_", "internal_sync.", "type_.eq.", "type_.hash.", "sort.", "slices.",
		"reflect.deepValueEqual", "k8s.io_apimachinery_third_party_forked_golang_reflect."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// first is the example that the first page shows (firstExample in web/cmd/site).
const first = "first-look"

// watch runs a module in Node, and reports for each of its functions when it is first called
// while the engine goes on from its image (scripts/module/snapshot) and evaluates the scenarios of a
// folder: 0 for the example of the first page, 1 for another, 2 for none. Clock and chance are
// the same each time (web/tools/calls.mjs), and so is what is called.
func watch(module []byte, examples fs.FS) (needed []int, err error) {
	counting, err := countCalls(module)
	if err != nil {
		return nil, err
	}
	all, err := readScenarios(examples)
	if err != nil {
		return nil, err
	}
	scenarios, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "split")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("engine.wasm"), counting, 0o600), os.WriteFile(at("scenarios.json"), scenarios, 0o600)); err != nil {
		return nil, err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	loader := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js")
	node := exec.Command("node", "web/tools/calls.mjs", loader, at("engine.wasm"), at("scenarios.json"), at("called.json"))
	node.Stdout, node.Stderr = os.Stdout, os.Stderr
	if err := node.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w", node, err)
	}
	text, err := os.ReadFile(at("called.json"))
	if err != nil {
		return nil, err
	}
	return needed, json.Unmarshal(text, &needed)
}

// readScenarios is all scenarios of a folder's folders, in the order of their names, but that of
// the first page first.
func readScenarios(examples fs.FS) (all []scenario.Scenario, err error) {
	folders, err := fs.ReadDir(examples, ".")
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		files, err := fs.Sub(examples, folder.Name())
		if err != nil {
			return nil, err
		}
		read, err := scenario.FromFS(files)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder.Name(), err)
		}
		at := len(all)
		if folder.Name() == first {
			at = 0
		}
		all = slices.Insert(all, at, read.Scenario)
	}
	return all, nil
}
