package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"k8s.io/apimachinery/pkg/api/meta"
)

// A resourceKind is one served resource, or one subresource of it.
type resourceKind struct {
	Resource    schema.GroupVersionResource
	Subresource string
	Kind        schema.GroupVersionKind
	Namespaced  bool
}

// loadResources reads the discovery documents that the Kubernetes release
// carries in api/discovery: they are what its API server serves. Alpha and
// beta versions are left out, as a server does by default.
func loadResources(kubernetesDir string) ([]resourceKind, error) {
	files, err := filepath.Glob(filepath.Join(kubernetesDir, "api", "discovery", "api*__*.json"))
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	var out []resourceKind
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var list metav1.APIResourceList
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		if list.GroupVersion == "" { // a list of groups or versions, not of resources
			continue
		}
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		if strings.Contains(gv.Version, "alpha") || strings.Contains(gv.Version, "beta") {
			continue
		}
		for _, r := range list.APIResources {
			out = append(out, builtinKind(gv, r))
		}
	}
	// The server installs the versions of a group by priority; the only group
	// with two stable ones is autoscaling, with v2 first.
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i].Resource, out[j].Resource
		return a.Group == b.Group && a.Group == "autoscaling" && a.Version > b.Version
	})
	return out, nil
}

func builtinKind(gv schema.GroupVersion, r metav1.APIResource) resourceKind {
	name, sub, _ := strings.Cut(r.Name, "/")
	kind := gv.WithKind(r.Kind)
	if r.Version != "" {
		kind = schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}
	}
	return resourceKind{Resource: gv.WithResource(name), Subresource: sub, Kind: kind, Namespaced: r.Namespaced}
}

// storageIdentity says which resources are the same objects under another
// name, as the default storage factory of the server does.
func storageIdentity(gr schema.GroupResource) string {
	if gr.Resource == "events" && (gr.Group == "" || gr.Group == "events.k8s.io") {
		return "/events"
	}
	return "/" + gr.Group + "/" + gr.Resource
}

// equivalents is the registry that the server fills when it installs its APIs.
func equivalents(kinds []resourceKind) runtime.EquivalentResourceRegistry {
	registry := runtime.NewEquivalentResourceRegistryWithIdentity(storageIdentity)
	for _, k := range kinds {
		registry.RegisterKindFor(k.Resource, k.Subresource, k.Kind)
	}
	return registry
}

// restMapper maps the kinds of params to their resources.
func restMapper(kinds []resourceKind) meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, k := range kinds {
		if k.Subresource != "" {
			continue
		}
		scope := meta.RESTScopeRoot
		if k.Namespaced {
			scope = meta.RESTScopeNamespace
		}
		singular := k.Resource.GroupVersion().WithResource(strings.ToLower(k.Kind.Kind))
		mapper.AddSpecific(k.Kind, k.Resource, singular, scope)
	}
	return mapper
}
