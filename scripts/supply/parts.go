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
	// in are the programs that it is in: those of binaries, and "page" for npm packages.
	in []string
	// needs are the names of the parts that it uses itself.
	needs []string
	// licence is what the lock file says; of Go modules it is read from their texts.
	licence string
	// integrity is the checksum of the lock file: sha512- and base64.
	integrity string
	// folders hold its licences: those of the packages that are used, and all above
	// them in the module.
	folders []string
}

// binary is a program with Go in it: the folder of its module, what is built, and for
// what.
type binary struct{ module, target, goos, goarch, name string }

// binaries are those of the module at the top.
var binaries = []binary{
	{".", "./cmd/preadmit", "linux", "amd64", "command line"},
	{".", "./cmd/preadmit", "windows", "amd64", "command line"},
	{".", "./cmd/preadmit", "darwin", "arm64", "command line"},
	{".", "./wasm", "js", "wasm", "engine of the page"},
}

// plugin is that of kubectl, which has a module of its own.
var plugin = []binary{
	{"cluster", "./cmd/kubectl-preadmit", "linux", "amd64", "plugin of kubectl"},
	{"cluster", "./cmd/kubectl-preadmit", "windows", "amd64", "plugin of kubectl"},
	{"cluster", "./cmd/kubectl-preadmit", "darwin", "arm64", "plugin of kubectl"},
}

// ours is the path of the module at the top. Those below it are ours, too.
const ours = "github.com/preadmit/preadmit"

// shipped are all parts, modules first, each list by name.
func shipped() ([]part, error) {
	modules, err := goModules(binaries)
	if err != nil {
		return nil, err
	}
	packages, err := npmPackages(false)
	return append(modules, packages...), err
}

// goModules are the modules with a package in one of the programs.
func goModules(programs []binary) ([]part, error) {
	found := map[string]*part{}
	for _, b := range programs {
		command := exec.Command("go", "list", "-deps", "-json=Dir,Module,ImportPath,Imports", b.target)
		command.Dir = b.module
		command.Env = append(os.Environ(), "GOOS="+b.goos, "GOARCH="+b.goarch)
		command.Stderr = os.Stderr
		out, err := command.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if err := collect(json.NewDecoder(bytes.NewReader(out)), b.name, found); err != nil {
			return nil, err
		}
	}
	var list []part
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, *found[name])
	}
	return list, nil
}

// collect reads what go list prints about a program: one JSON object a package,
// after those that it imports.
func collect(d *json.Decoder, program string, found map[string]*part) error {
	moduleOf := map[string]string{}
	for {
		var p struct {
			Dir, ImportPath string
			Imports         []string
			Module          *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		if p.Module == nil || p.Module.Main || p.Module.Path == ours {
			continue
		}
		m := found[p.Module.Path]
		if m == nil {
			m = &part{name: p.Module.Path, version: p.Module.Version}
			found[p.Module.Path] = m
		}
		moduleOf[p.ImportPath] = m.name
		if !slices.Contains(m.in, program) {
			m.in = append(m.in, program)
		}
		for _, imported := range p.Imports {
			if name := moduleOf[imported]; name != "" && name != m.name && !slices.Contains(m.needs, name) {
				m.needs = append(m.needs, name)
			}
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
			Version, License, Integrity string
			Dev                         bool
			Dependencies                map[string]string
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
		p := lock.Packages[folder]
		list = append(list, part{
			name: name, version: p.Version, npm: true, folders: []string{filepath.Join("web", folder)},
			in: []string{"page"}, needs: slices.Sorted(maps.Keys(p.Dependencies)), licence: p.License, integrity: p.Integrity,
		})
	}
	return list, nil
}
