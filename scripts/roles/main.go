// Command roles writes bootstrap.jsonl of engine/internal/kube/rbac: the RBAC objects that the API
// server creates by itself, for each supported minor version.
//
// Kubernetes keeps them as test data of the package that defines them. Give
// one folder of that test data per minor version:
//
//	go run ./scripts/roles 30=DIR 31=DIR ... > engine/internal/kube/rbac/bootstrap.jsonl
//
// where DIR is plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata of the
// module k8s.io/kubernetes in that version. The last version given stands for
// later ones too.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// entry is one line of the output: an object and the minor versions that have
// it in this form.
type entry struct {
	From int `json:"from"`
	To   int `json:"to,omitempty"` // 0: to the latest
	object
}

type object struct {
	Kind            string          `json:"kind"`
	Metadata        metadata        `json:"metadata"`
	AggregationRule json.RawMessage `json:"aggregationRule,omitempty"`
	Rules           json.RawMessage `json:"rules,omitempty"`
	RoleRef         json.RawMessage `json:"roleRef,omitempty"`
	Subjects        json.RawMessage `json:"subjects,omitempty"`
}

type metadata struct {
	Name      string            `json:"name"`
	Namespace string            `json:"namespace,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
}

// files are the defaults, with feature gates as they are by default.
var files = []string{
	"cluster-roles.yaml", "cluster-role-bindings.yaml",
	"controller-roles.yaml", "controller-role-bindings.yaml",
	"namespace-roles.yaml", "namespace-role-bindings.yaml",
}

func main() {
	log.SetFlags(0)
	var entries []*entry
	open := map[string]*entry{} // the newest form of each object
	last := 0
	for _, arg := range os.Args[1:] {
		number, dir, _ := strings.Cut(arg, "=")
		minor, err := strconv.Atoi(number)
		if err != nil || minor <= last {
			log.Fatalf("%s: want MINOR=DIR in rising order", arg)
		}
		last = minor
		seen := map[string]bool{}
		for _, item := range read(dir) {
			key := item.Kind + " " + item.Metadata.Namespace + "/" + item.Metadata.Name
			seen[key] = true
			if old := open[key]; old != nil {
				if bytes.Equal(encode(old.object), encode(item)) {
					continue
				}
				old.To = minor - 1
			}
			open[key] = &entry{From: minor, object: item}
			entries = append(entries, open[key])
		}
		for key, old := range open {
			if !seen[key] {
				old.To = minor - 1
				delete(open, key)
			}
		}
	}
	slices.SortStableFunc(entries, func(a, b *entry) int {
		return strings.Compare(a.Kind+a.Metadata.Namespace+a.Metadata.Name, b.Kind+b.Metadata.Namespace+b.Metadata.Name)
	})
	for _, e := range entries {
		fmt.Printf("%s\n", encode(e))
	}
}

// read returns the objects of one version. All of them carry the same label,
// which is left out here and put back when they are loaded.
func read(dir string) []object {
	var all []object
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			log.Fatal(err)
		}
		var list struct{ Items []object }
		if err := yaml.Unmarshal(text, &list); err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		for _, item := range list.Items {
			if item.Metadata.Labels["kubernetes.io/bootstrapping"] != "rbac-defaults" {
				log.Fatalf("%s: %s lacks the bootstrapping label", name, item.Metadata.Name)
			}
			delete(item.Metadata.Labels, "kubernetes.io/bootstrapping")
			if bytes.Equal(item.Rules, []byte("null")) {
				item.Rules = nil
			}
			all = append(all, item)
		}
	}
	return all
}

func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	return text
}
