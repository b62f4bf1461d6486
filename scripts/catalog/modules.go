package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

// releaseSource names the modules for a Kubernetes minor version: the newest patch release of each
// when this was written.
type releaseSource struct {
	minor         string
	number        int // minor number: 37 for 1.37; orders the releases
	api           string
	apimachinery  string
	apiextensions string
	aggregator    string
}

// releases lists the minor versions of the catalog, oldest first.
var releases = []releaseSource{
	{"1.30", 30, "v0.30.14", "v0.30.14", "v0.30.14", "v0.30.14"},
	{"1.31", 31, "v0.31.14", "v0.31.14", "v0.31.14", "v0.31.0"},
	{"1.32", 32, "v0.32.13", "v0.32.13", "v0.32.13", "v0.32.13"},
	{"1.33", 33, "v0.33.13", "v0.33.13", "v0.33.13", "v0.33.13"},
	{"1.34", 34, "v0.34.13", "v0.34.13", "v0.34.13", "v0.34.13"},
	{"1.35", 35, "v0.35.10", "v0.35.10", "v0.35.10", "v0.35.10"},
	{"1.36", 36, "v0.36.6", "v0.36.6", "v0.36.6", "v0.36.6"},
	{"1.37", 37, "v0.37.2", "v0.37.2", "v0.37.2", "v0.37.2"},
}

// notServed are packages in k8s.io/api whose kinds no API server serves to policies: configuration
// and wire formats.
var notServed = map[string]bool{
	"apidiscovery": true, "imagepolicy": true, "lifecycle": true, "extensions": true, "testdata": true,
}

// sourcePackage is a Go package to read.
type sourcePackage struct {
	// id is the package's name in the catalog: "apps/v1", "meta/v1", "resource".
	id string
	// path is the import path; dir is the source directory.
	path, dir string
}

// packagesOf lists a release's packages in a fixed order.
func packagesOf(root string, r releaseSource) ([]sourcePackage, error) {
	api, err := moduleDir(root, "k8s.io/api", r.api)
	if err != nil {
		return nil, err
	}
	machinery, err := moduleDir(root, "k8s.io/apimachinery", r.apimachinery)
	if err != nil {
		return nil, err
	}
	extensions, err := moduleDir(root, "k8s.io/apiextensions-apiserver", r.apiextensions)
	if err != nil {
		return nil, err
	}
	aggregator, err := moduleDir(root, "k8s.io/kube-aggregator", r.aggregator)
	if err != nil {
		return nil, err
	}
	in := func(id, module, dir, sub string) sourcePackage {
		return sourcePackage{id, module + "/" + sub, filepath.Join(dir, sub)}
	}
	list := []sourcePackage{
		in("meta/v1", "k8s.io/apimachinery", machinery, "pkg/apis/meta/v1"),
		in("runtime", "k8s.io/apimachinery", machinery, "pkg/runtime"),
		in("types", "k8s.io/apimachinery", machinery, "pkg/types"),
		in("intstr", "k8s.io/apimachinery", machinery, "pkg/util/intstr"),
		in("resource", "k8s.io/apimachinery", machinery, "pkg/api/resource"),
		in("apiextensions/v1", "k8s.io/apiextensions-apiserver", extensions, "pkg/apis/apiextensions/v1"),
		in("apiregistration/v1", "k8s.io/kube-aggregator", aggregator, "pkg/apis/apiregistration/v1"),
	}
	versions, err := filepath.Glob(filepath.Join(api, "*", "v[0-9]*"))
	if err != nil {
		return nil, err
	}
	sort.Strings(versions)
	for _, dir := range versions {
		id := filepath.ToSlash(strings.TrimPrefix(dir, api+string(filepath.Separator)))
		if group, _, _ := strings.Cut(id, "/"); !notServed[group] {
			list = append(list, in(id, "k8s.io/api", api, id))
		}
	}
	return list, nil
}

// moduleDir downloads a module and returns its directory.
func moduleDir(root, module, version string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module+"@"+version)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s@%s: %w", module, version, err)
	}
	var answer struct{ Dir, Error string }
	if err := json.Unmarshal(out, &answer); err != nil {
		return "", err
	}
	if answer.Error != "" || answer.Dir == "" {
		return "", fmt.Errorf("go mod download %s@%s: %s", module, version, answer.Error)
	}
	return answer.Dir, nil
}
