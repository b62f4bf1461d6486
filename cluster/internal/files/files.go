// Package files reads manifests as kubectl does: files, folders, and the standard input.
package files

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Documents returns the files' objects, in order. A text with mistakes is an error.
func Documents(names []string, stdin io.Reader) ([]*scenario.Document, error) {
	var out []*scenario.Document
	for _, name := range names {
		list, err := expanded(name)
		if err != nil {
			return nil, err
		}
		for _, file := range list {
			raw, err := read(file, stdin)
			if err != nil {
				return nil, err
			}
			docs, problems := scenario.ParseDocuments(diag.Cluster, string(raw))
			for _, d := range problems {
				if d.Severity == diag.Error {
					return nil, fmt.Errorf("%s:%d:%d: %s", file, d.Line, d.Column, d.Summary)
				}
			}
			out = append(out, docs...)
		}
	}
	for _, d := range out {
		if d.APIVersion == "" || d.Kind == "" {
			return nil, fmt.Errorf("a document has no apiVersion or no kind")
		}
	}
	return out, nil
}

// read reads at most the maximum size of a text.
func read(name string, stdin io.Reader) ([]byte, error) {
	r := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	raw, err := io.ReadAll(io.LimitReader(r, scenario.MaxTextBytes+1))
	if err == nil && len(raw) > scenario.MaxTextBytes {
		err = fmt.Errorf("%s is larger than %d MiB", name, scenario.MaxTextBytes>>20)
	}
	return raw, err
}

// expanded returns the YAML and JSON files of a folder and its subfolders, or the file itself.
func expanded(name string) ([]string, error) {
	if name == "-" {
		return []string{name}, nil
	}
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return []string{name}, err
	}
	var out []string
	err = filepath.WalkDir(name, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
			out = append(out, path)
		}
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s: the folder has no .yaml, .yml or .json file", name)
	}
	return out, err
}
