//go:build since1.37

// Command manifests records what kube-apiserver's own loaders say about manifest files
// (KEP-5793): it reads cases as a JSON list from standard input, writes each as a file
// into an empty folder, loads that, and writes the list with the answers.
//
//	cd conformance/reference
//	go run -modfile=releases/1.37.mod -tags=since1.37 ./manifests < FILE > NEW
//
// FILE is engine/internal/policy/install/testdata/manifests.json, whose test compares
// the engine with it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	policies "k8s.io/kubernetes/pkg/admission/plugin/policy/manifest/loader"
	webhooks "k8s.io/kubernetes/pkg/admission/plugin/webhook/manifest/loader"
)

// A recorded case: a manifest file for one plugin, and what its loader says.
type recorded struct {
	Name string `json:"name"`
	// Plugin is the admission plugin whose staticManifestsDir has the file.
	Plugin string `json:"plugin"`
	Text   string `json:"text"`
	// Error is the loader's, with FILE for the path; empty when it takes the file.
	Error string `json:"error,omitempty"`
}

var loaders = map[string]func(dir string) error{
	"ValidatingAdmissionPolicy": func(dir string) error {
		_, err := policies.LoadValidatingManifestsFromDirectory(dir)
		return err
	},
	"MutatingAdmissionPolicy": func(dir string) error {
		_, err := policies.LoadMutatingManifestsFromDirectory(dir)
		return err
	},
	"ValidatingAdmissionWebhook": func(dir string) error {
		_, err := webhooks.LoadValidatingManifests(dir)
		return err
	},
	"MutatingAdmissionWebhook": func(dir string) error {
		_, err := webhooks.LoadMutatingManifests(dir)
		return err
	},
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "manifests:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var cases []recorded
	if err := json.NewDecoder(in).Decode(&cases); err != nil {
		return err
	}
	for i := range cases {
		if err := cases[i].load(); err != nil {
			return fmt.Errorf("%s: %w", cases[i].Name, err)
		}
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(cases)
}

// load fills in the answer.
func (c *recorded) load() error {
	loader := loaders[c.Plugin]
	if loader == nil {
		return fmt.Errorf("no plugin %q reads manifests", c.Plugin)
	}
	dir, err := os.MkdirTemp("", "manifests")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "manifest.yaml")
	if err := os.WriteFile(file, []byte(c.Text), 0o600); err != nil {
		return err
	}
	c.Error = ""
	if err := loader(dir); err != nil {
		c.Error = strings.ReplaceAll(err.Error(), file, "FILE")
		if strings.Contains(c.Error, dir) {
			return errors.New("the answer names the folder: " + c.Error)
		}
	}
	return nil
}
