package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/spec3"
)

// schemaStore reads the OpenAPI documents that the Kubernetes release carries
// in api/openapi-spec/v3, which are those that its server publishes.
type schemaStore struct {
	dir  string
	lock sync.Mutex
	// An entry may be nil: a group version without a document.
	converters map[schema.GroupVersion]managedfields.TypeConverter
}

func newSchemaStore(kubernetesDir string) *schemaStore {
	return &schemaStore{
		dir:        filepath.Join(kubernetesDir, "api", "openapi-spec", "v3"),
		converters: map[schema.GroupVersion]managedfields.TypeConverter{},
	}
}

// file is the name of the document of a group version: api__v1_openapi.json,
// apis__apps__v1_openapi.json.
func (s *schemaStore) file(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return filepath.Join(s.dir, "api__"+gv.Version+"_openapi.json")
	}
	return filepath.Join(s.dir, "apis__"+gv.Group+"__"+gv.Version+"_openapi.json")
}

func (s *schemaStore) converter(gv schema.GroupVersion) (managedfields.TypeConverter, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if c, ok := s.converters[gv]; ok {
		return c, nil
	}
	data, err := os.ReadFile(s.file(gv))
	if os.IsNotExist(err) {
		s.converters[gv] = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c, err := typeConverter(data)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", gv, err)
	}
	s.converters[gv] = c
	return c, nil
}

// typeConverter does with a document what patch.TypeConverterManager does.
func typeConverter(document []byte) (managedfields.TypeConverter, error) {
	var api spec3.OpenAPI
	if err := json.Unmarshal(document, &api); err != nil {
		return nil, err
	}
	return managedfields.NewTypeConverter(api.Components.Schemas, false)
}

// crdSchema is the document that the server publishes for one group version of
// CustomResourceDefinitions: those of all its kinds, merged.
func crdSchema(crds []*apiextensionsv1.CustomResourceDefinition, version string) ([]byte, error) {
	var parts []*spec3.OpenAPI
	for _, crd := range crds {
		if !served(crd, version) {
			continue
		}
		api, err := builder.BuildOpenAPIV3(crd, version, builder.Options{})
		if err != nil {
			return nil, err
		}
		parts = append(parts, api)
	}
	merged, err := builder.MergeSpecsV3(parts...)
	if err != nil {
		return nil, err
	}
	return json.Marshal(merged)
}

func served(crd *apiextensionsv1.CustomResourceDefinition, version string) bool {
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			return v.Served
		}
	}
	return false
}

// converters is a patch.TypeConverterManager over the release's schemas and
// those of a scenario's CustomResourceDefinitions. It implements patch.TypeConverterManager.
type converters struct {
	builtin *schemaStore
	crds    map[schema.GroupVersion]managedfields.TypeConverter
}

// Run implements patch.TypeConverterManager; there is nothing to poll.
func (c *converters) Run(context.Context) {}

func (c *converters) GetTypeConverter(gvk schema.GroupVersionKind) managedfields.TypeConverter {
	if t, ok := c.crds[gvk.GroupVersion()]; ok {
		return t
	}
	t, err := c.builtin.converter(gvk.GroupVersion())
	if err != nil {
		panic(err) // the release's own document cannot be read
	}
	return t
}
