package main

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
)

// strategy is the server's strategy for creating or updating objects.
type strategy interface {
	rest.RESTCreateStrategy
	rest.RESTUpdateStrategy
}

// resource is one version of a definition's objects, as in the server's handler.
type resource struct {
	kind       schema.GroupVersionKind
	structural *structuralschema.Structural
	// open says that unknown fields are preserved everywhere.
	open   bool
	main   strategy
	status rest.RESTUpdateStrategy
	scale  *v1.CustomResourceSubresourceScale
}

// newResource builds what the custom resource handler builds for one version
// (getOrCreateServingInfoFor).
func newResource(crd *v1.CustomResourceDefinition, version string) (*resource, error) {
	r := &resource{kind: schema.GroupVersionKind{Group: crd.Spec.Group, Version: version, Kind: crd.Spec.Names.Kind}, open: crd.Spec.PreserveUnknownFields}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Name != version {
			continue
		}
		internal := &apiextensions.CustomResourceValidation{}
		if v.Schema != nil {
			if err := v1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, internal, nil); err != nil {
				return nil, err
			}
		}
		props := internal.OpenAPIV3Schema
		if props != nil {
			var err error
			if r.structural, err = structuralschema.NewStructural(props); err != nil {
				return nil, err
			}
			r.structural = r.structural.DeepCopy()
			if err := defaulting.PruneDefaults(r.structural); err != nil {
				return nil, err
			}
		}
		validator, _, err := validation.NewSchemaValidator(props)
		if err != nil {
			return nil, err
		}
		var statusSpec *apiextensions.CustomResourceSubresourceStatus
		var statusValidator validation.SchemaValidator
		var scaleSpec *apiextensions.CustomResourceSubresourceScale
		if v.Subresources != nil && v.Subresources.Status != nil {
			statusSpec = &apiextensions.CustomResourceSubresourceStatus{}
			if props != nil {
				if status, ok := props.Properties["status"]; ok {
					if statusValidator, _, err = validation.NewSchemaValidator(&status); err != nil {
						return nil, err
					}
				}
			}
		}
		if v.Subresources != nil && v.Subresources.Scale != nil {
			r.scale = v.Subresources.Scale
			scaleSpec = &apiextensions.CustomResourceSubresourceScale{}
			if err := v1.Convert_v1_CustomResourceSubresourceScale_To_apiextensions_CustomResourceSubresourceScale(r.scale, scaleSpec, nil); err != nil {
				return nil, err
			}
		}
		main := customresource.NewStrategy(crdserverscheme.NewUnstructuredObjectTyper(), crd.Spec.Scope == v1.NamespaceScoped, r.kind,
			validator, statusValidator, r.structural, statusSpec, scaleSpec, v.SelectableFields)
		r.main, r.status = main, customresource.NewStatusStrategy(main)
		return r, nil
	}
	return nil, fmt.Errorf("the definition has no version %s", version)
}
