// Command catalog generates the data of engine/internal/kube/catalog: every built-in type that the
// API servers of Kubernetes 1.30 to 1.37 know, read from the Go source of the
// modules that define them.
//
// Run it from anywhere inside the repository:
//
//	go run ./scripts/catalog          writes the files
//	go run ./scripts/catalog -check   fails when they would change
//
// It downloads the modules named in modules.go (through the go command, so
// from the module cache or the module proxy) and nothing else. The output
// depends on those versions only: no dates, no paths, no map order.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	check := flag.Bool("check", false, "compare with the files in the repository instead of writing them")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "catalog:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	root, err := repositoryRoot()
	if err != nil {
		return err
	}
	var all []*release
	for _, r := range releases {
		rel, err := loadRelease(root, r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.minor, err)
		}
		all = append(all, rel)
	}
	files := map[string][]byte{
		"internal/kube/catalog/data/types.txt":     writeTypes(all),
		"internal/kube/catalog/data/resources.txt": writeResources(all),
		"edit/fielddocs/docs.txt":                  writeDocs(all[len(all)-1]),
	}
	dir := filepath.Join(root, "engine")
	if check {
		return compare(dir, files)
	}
	for _, name := range sortedKeys(files) {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), files[name], 0o644); err != nil {
			return err
		}
		fmt.Printf("%s: %d bytes\n", name, len(files[name]))
	}
	return nil
}

// compare reports which generated files differ from the committed ones.
func compare(dir string, files map[string][]byte) error {
	var errs []error
	for _, name := range sortedKeys(files) {
		want := files[name]
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			errs = append(errs, err)
		} else if !bytes.Equal(got, want) {
			errs = append(errs, fmt.Errorf("%s is not what the generator writes; run: go run ./scripts/catalog", name))
		}
	}
	return errors.Join(errs...)
}

// repositoryRoot returns the nearest parent directory with go.mod.
func repositoryRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod in this directory or above it")
		}
		dir = parent
	}
}
