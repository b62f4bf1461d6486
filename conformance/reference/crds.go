package main

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	structuraldefaulting "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	structuralpruning "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	apiextensionsinstall "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apiserver/pkg/admission"
)

var apiextensionsScheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	apiextensionsinstall.Install(s)
	return s
}()

// crdFactory makes converters of custom resources. Only conversion None works:
// it has no way to call a webhook.
var crdFactory = func() *conversion.CRConverterFactory {
	f, err := conversion.NewCRConverterFactory(nil, nil)
	if err != nil {
		panic(err)
	}
	return f
}()

// A customResource is what the server knows of the kind of a
// CustomResourceDefinition. It implements runtime.ObjectDefaulter.
type customResource struct {
	crd        *apiextensionsv1.CustomResourceDefinition
	structural map[string]*structuralschema.Structural // by version
	converter  runtime.ObjectConvertor
}

func newCustomResource(d document) (*customResource, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := decodeInto(d.JSON, crd); err != nil {
		return nil, err
	}
	apiextensionsScheme.Default(crd)
	c := &customResource{crd: crd, structural: map[string]*structuralschema.Structural{}}
	for _, v := range crd.Spec.Versions {
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		internal := &apiextensions.JSONSchemaProps{}
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, internal, nil); err != nil {
			return nil, err
		}
		s, err := structuralschema.NewStructural(internal)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", crd.Name, err)
		}
		c.structural[v.Name] = s
	}
	var err error
	c.converter, _, err = crdFactory.NewConverter(crd)
	return c, err
}

// kinds are the resources that the definition adds.
func (c *customResource) kinds() []resourceKind {
	var out []resourceKind
	names := c.crd.Spec.Names
	for _, v := range c.crd.Spec.Versions {
		if !v.Served {
			continue
		}
		gv := schema.GroupVersion{Group: c.crd.Spec.Group, Version: v.Name}
		kind := resourceKind{
			Resource: gv.WithResource(names.Plural), Kind: gv.WithKind(names.Kind),
			Namespaced: c.crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
		}
		out = append(out, kind)
		if v.Subresources == nil {
			continue
		}
		if v.Subresources.Status != nil {
			kind.Subresource = "status"
			out = append(out, kind)
		}
		if v.Subresources.Scale != nil {
			kind.Subresource = "scale"
			kind.Kind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
			out = append(out, kind)
		}
	}
	return out
}

// admit gives an object of the kind the form in which the server reads it from
// a request: pruned and defaulted.
func (c *customResource) admit(u *unstructured.Unstructured) {
	coerceMetadata(u)
	s := c.structural[u.GroupVersionKind().Version]
	if s == nil {
		return
	}
	if !c.crd.Spec.PreserveUnknownFields {
		structuralpruning.Prune(u.Object, s, true)
	}
	structuraldefaulting.PruneNonNullableNullsWithoutDefaults(u.Object, s)
	structuraldefaulting.Default(u.Object, s)
}

// coerceMetadata reads the metadata into its type and writes it back, as the
// decoder of custom resources does. Up to 1.33 that leaves an unset
// creationTimestamp as null.
func coerceMetadata(u *unstructured.Unstructured) {
	metadata, found, err := objectmeta.GetObjectMeta(u.Object, true)
	if err != nil || !found {
		return
	}
	if err := objectmeta.SetObjectMeta(u.Object, metadata); err != nil {
		panic(err) // it was read from there
	}
}

// objectInterfaces are those that the handler of the custom resource gives to
// admission.
func (c *customResource) objectInterfaces(mapper runtime.EquivalentResourceMapper) admission.ObjectInterfaces {
	return &admission.RuntimeObjectInterfaces{
		ObjectCreater: unstructuredCreator{}, ObjectTyper: crdserverscheme.NewUnstructuredObjectTyper(),
		ObjectDefaulter: c, ObjectConvertor: c.converter, EquivalentResourceMapper: mapper,
	}
}

func (c *customResource) Default(in runtime.Object) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok || u.GroupVersionKind().Kind != c.crd.Spec.Names.Kind {
		return
	}
	structuraldefaulting.Default(u.Object, c.structural[u.GroupVersionKind().Version])
}

// unstructuredCreator implements runtime.ObjectCreater.
type unstructuredCreator struct{}

func (unstructuredCreator) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	return u, nil
}
