package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// part is a Go module or npm package that is shipped.
type part struct {
	name, version string
	npm           bool
	// folders hold its licences: those of the packages that are used, and all above
	// them in the module.
	folders []string
}

// binaries are the programs with Go in them: what is built, and for what.
var binaries = []struct{ target, goos, goarch string }{
	{"./cmd/preadmit", "linux", "amd64"},
	{"./cmd/preadmit", "windows", "amd64"},
	{"./cmd/preadmit", "darwin", "arm64"},
	{"./wasm", "js", "wasm"},
}

// shipped are all parts, modules first, each list by name.
func shipped() ([]part, error) {
	modules, err := goModules()
	if err != nil {
		return nil, err
	}
	packages, err := npmPackages(false)
	return append(modules, packages...), err
}

// goModules are the modules with a package in one of the binaries.
func goModules() ([]part, error) {
	found := map[string]*part{}
	for _, b := range binaries {
		command := exec.Command("go", "list", "-deps", "-json=Dir,Module", b.target)
		command.Env = append(os.Environ(), "GOOS="+b.goos, "GOARCH="+b.goarch)
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if err := collect(json.NewDecoder(bytes.NewReader(out)), found); err != nil {
			return nil, err
		}
	}
	var list []part
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, *found[name])
	}
	return list, nil
}

// collect reads what go list prints: one JSON object a package.
func collect(d *json.Decoder, found map[string]*part) error {
	for {
		var p struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		if p.Module == nil || p.Module.Main {
			continue
		}
		m := found[p.Module.Path]
		if m == nil {
			m = &part{name: p.Module.Path, version: p.Module.Version}
			found[p.Module.Path] = m
		}
		for folder := p.Dir; strings.HasPrefix(folder, p.Module.Dir); folder = filepath.Dir(folder) {
			if !slices.Contains(m.folders, folder) {
				m.folders = append(m.folders, folder)
			}
		}
	}
}

// npmPackages are those of the lock file, with or without what only builds and
// tests the page.
func npmPackages(development bool) ([]part, error) {
	raw, err := os.ReadFile("web/package-lock.json")
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version string
			Dev     bool
		}
	}
	if err := json.Unmarshal(raw, &lock); err != nil {
		return nil, fmt.Errorf("web/package-lock.json: %w", err)
	}
	var list []part
	for _, folder := range slices.Sorted(maps.Keys(lock.Packages)) {
		_, name, ok := strings.Cut(folder, "node_modules/")
		if !ok || lock.Packages[folder].Dev && !development {
			continue
		}
		list = append(list, part{name: name, version: lock.Packages[folder].Version, npm: true, folders: []string{filepath.Join("web", folder)}})
	}
	return list, nil
}
