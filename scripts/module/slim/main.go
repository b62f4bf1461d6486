// Command slim writes the module file of the WebAssembly build, with which the
// engine is compiled against cut-down copies of the libraries that it uses:
//
//	go run ./scripts/module/slim
//	GOOS=js GOARCH=wasm go build -modfile=web/build/slim-engine/go.mod -overlay=web/build/slim-engine/overlay.json ./wasm
//
// The copies are made from the module cache, and what is cut is listed in cuts.yaml
// with its reason. Nothing is rewritten: a declaration is there as its authors
// wrote it, or it is not there at all, and the few files that take the place of
// others are in wasm/slim. A cut that finds nothing to cut is an error, so that a
// new version of a library cannot pass unseen. Native builds know nothing of
// this; scripts/test runs the engine's tests against both.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// target is a module that is compiled against copies of its own.
type target struct {
	roots []string // what is built or tested with the copies
	build string   // where the copies are; ignored by git
	added string   // files that are laid over the copies, and the sizes of what is built
	cuts  []cut
	// others says that the cuts are another module's: packages that are not in this one are passed over.
	others bool
	tags   string // of the build
	// whole are packages that are not cut.
	whole []string
	// shared are packages over which the files of the engine's are laid, too.
	shared []string
	// Shaken takes from each library what nothing in the program mentions (shake.go). The engine is
	// not: its tests run against the copies, and they use more of them.
	shaken bool
	tests  bool
}

var targets = map[string]target{
	"engine": {
		roots: []string{"./wasm", "./web/bridge", "./engine/..."}, tests: true,
		build: "web/build/slim-engine", added: "wasm/slim", cuts: cuts,
	},
	"language": {
		roots: []string{"./cmd/preadmit/internal/language/inworker"}, others: true, whole: []string{"crypto/internal/boring", "crypto/internal/fips140only"}, tags: ",languageserver",
		build: "web/build/slim-language", added: "wasm/slim", cuts: cuts,
	},
	"registry": {
		roots: []string{"./wasm/registry"}, shaken: true,
		build: "web/build/slim-registry", added: "wasm/registry/slim", cuts: registryCuts, shared: sharedCuts,
	},
}

func main() {
	of := flag.String("of", "engine", "the module: engine, language, which is the language server, or registry, which is the API server's own code")
	stripping := flag.Bool("strip", false, "takes the names from the module `FROM TO`, and writes which packages it consists of")
	check := flag.Bool("check", false, "compares the last build with the packages.txt of the module")
	update := flag.Bool("update", false, "writes that packages.txt from the last build")
	flag.Parse()
	t, known := targets[*of]
	var err error
	switch {
	case !known:
		err = fmt.Errorf("there is no module %s", *of)
	case *stripping && flag.NArg() == 2:
		err = t.strip(flag.Arg(0), flag.Arg(1))
	case *check:
		err = t.compareBuild()
	case *update:
		err = copyFile(t.built(), t.allowed())
	case flag.NArg() == 0:
		err = t.prepare()
	default:
		err = errors.New("usage: slim [-of MODULE] [-check | -update | -strip FROM TO]")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "slim:", err)
		os.Exit(1)
	}
}

// prepare writes the copies and the module file.
func (t target) prepare() error {
	packages, err := t.list()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(t.build); err != nil {
		return err
	}
	modules, overlay, err := t.copyPackages(packages)
	if err != nil {
		return err
	}
	if err := t.writeModules(modules); err != nil {
		return err
	}
	return t.writeOverlay(overlay)
}

// listed is what `go list -json` says about a package.
type listed struct {
	Dir, ImportPath, Name, ForTest string
	Standard                       bool
	Module                         *struct {
		Path, Version, Dir string
		Main               bool
	}
	GoFiles, SFiles, EmbedFiles, Imports []string
}

// list is the packages that the engine and its tests consist of under js/wasm.
func (t target) list() (map[string]*listed, error) {
	args := []string{"list", "-tags=slim" + t.tags, "-deps", "-json=Dir,ImportPath,Name,ForTest,Standard,Module,GoFiles,SFiles,EmbedFiles,Imports"}
	if t.tests {
		args = append(args, "-test")
	}
	args = append(args, t.roots...)
	command := exec.Command("go", args...)
	command.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	packages := map[string]*listed{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p listed
		if err := decoder.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.ForTest == "" && !strings.Contains(p.ImportPath, " ") && !strings.HasSuffix(p.ImportPath, ".test") {
			packages[p.ImportPath] = &p
		}
	}
	return packages, nil
}

// copyPackages writes the copies of all packages, and returns the folders of their
// modules by path, and what takes the place of which file of the standard library
// and of the engine, which no module file can replace.
func (t target) copyPackages(packages map[string]*listed) (modules, overlay map[string]string, err error) {
	byPackage := map[string][]cut{}
	for _, c := range t.cuts {
		if packages[c.Package] == nil && t.others || slices.Contains(t.whole, c.Package) {
			continue
		}
		if packages[c.Package] == nil {
			return nil, nil, fmt.Errorf("%s is not a package of the module: remove its cut", c.Package)
		}
		byPackage[c.Package] = append(byPackage[c.Package], c)
	}
	modules, overlay = map[string]string{}, map[string]string{}
	uses := mentioned{}
	for _, path := range importersFirst(packages) {
		p := packages[path]
		if p.ImportPath == "unsafe" {
			continue
		}
		target := filepath.Join(t.build, "std", path)
		module := ""
		if p.Module != nil {
			relative, err := filepath.Rel(p.Module.Dir, p.Dir)
			if err != nil {
				return nil, nil, err
			}
			module = p.Module.Path
			target = filepath.Join(t.build, module, relative)
			if !p.Module.Main {
				modules[module] = p.Module.Dir
			}
		}
		if err := t.write(p, target, packages, byPackage[path], uses); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		if module != "" && !p.Module.Main {
			continue
		}
		for _, name := range p.GoFiles {
			overlay[filepath.Join(p.Dir, name)] = "" // is not there
		}
		written, err := filepath.Glob(filepath.Join(target, "*.go"))
		if err != nil {
			return nil, nil, err
		}
		for _, file := range written {
			overlay[filepath.Join(p.Dir, filepath.Base(file))] = file
		}
	}
	return modules, overlay, nil
}

// write writes the copy of a package.
func (t target) write(p *listed, target string, packages map[string]*listed, cuts []cut, uses mentioned) error {
	source, err := readPackage(p.Dir, p.GoFiles, packages)
	if err != nil {
		return err
	}
	if err := source.applyAll(cuts); err != nil {
		return err
	}
	if p.Module != nil {
		if err := source.applyAll(everywhere(p.Module.Path, source)); err != nil {
			return err
		}
	}
	if source.shaken = t.shaken; t.shaken && p.Module != nil {
		if !p.Module.Main {
			source.shake(uses[p.ImportPath])
		}
		source.mentions(uses)
	}
	if err := source.write(target); err != nil {
		return err
	}
	if err := t.addFiles(p.ImportPath, target); err != nil {
		return err
	}
	if err := p.borrow(target); err != nil {
		return err
	}
	if p.Standard || p.Module.Main {
		return nil
	}
	for _, name := range slices.Concat(p.SFiles, p.EmbedFiles) {
		if err := copyFile(filepath.Join(p.Dir, name), filepath.Join(target, name)); err != nil {
			return err
		}
	}
	return nil
}

// addFiles lays the files that the module has for it (wasm/slim/PACKAGE) over the copy of the package.
func (t target) addFiles(path, target string) error {
	added := t.added
	if slices.Contains(t.shared, path) {
		added = targets["engine"].added
	}
	files, err := filepath.Glob(filepath.Join(added, path, "*.go.txt"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := copyFile(file, filepath.Join(target, strings.TrimSuffix(filepath.Base(file), ".txt"))); err != nil {
			return err
		}
	}
	return nil
}

// borrow lays the file of another package of the standard library over the copy of this
// one, under its name.
func (p *listed) borrow(target string) error {
	from := borrowed[p.ImportPath]
	if from == "" {
		return nil
	}
	// The standard library is flat below its root: slices is beside sort.
	text, err := os.ReadFile(filepath.Join(filepath.Dir(p.Dir), from))
	if err != nil {
		return err
	}
	lent := strings.Replace(string(text), "\npackage "+path.Dir(from)+"\n", "\npackage "+p.Name+"\n", 1)
	return writeFile(filepath.Join(target, "borrowed_"+path.Base(from)), flatten([]byte(lent)))
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return writeFile(to, data)
}

func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

// writeModules writes the module file with the replacements, and its sums.
func (t target) writeModules(replaced map[string]string) error {
	file, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	for _, path := range sortedKeys(replaced) {
		file = fmt.Appendf(file, "\nreplace %s => ./%s/%s\n", path, t.build, path)
		module, err := os.ReadFile(filepath.Join(replaced[path], "go.mod"))
		if errors.Is(err, fs.ErrNotExist) { // from before modules
			module = []byte("module " + path + "\n")
		} else if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(t.build, path, "go.mod"), module); err != nil {
			return err
		}
	}
	if err := writeFile(filepath.Join(t.build, "go.mod"), file); err != nil {
		return err
	}
	return copyFile("go.sum", filepath.Join(t.build, "go.sum"))
}

func (t target) writeOverlay(replace map[string]string) error {
	data, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(t.build, "overlay.json"), append(data, '\n'))
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
