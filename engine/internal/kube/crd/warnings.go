package crd

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	kubeversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// Warnings returns the server's warnings when a definition is created or, with an old one, updated.
// An update only warns about what is new.
func (d *Definition) Warnings(old *Definition, v version.Version) []string {
	var out []string
	if v.Has(version.UnknownFormatsWarned) {
		known := map[string]bool{}
		if old != nil {
			for _, format := range old.unknownFormats(v) {
				known[format] = true
			}
		}
		for _, format := range d.unknownFormats(v) {
			if !known[format] {
				out = append(out, fmt.Sprintf("unrecognized format %q", format))
				known[format] = true // a client gets each warning once
			}
		}
	}
	if v.Has(version.CompositeSetsWarned) {
		before := map[string]bool{}
		if old != nil {
			before = old.compositeSets()
		}
		for _, kind := range slices.Sorted(maps.Keys(d.compositeSets())) {
			if !before[kind] {
				out = append(out, fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", kind))
			}
		}
	}
	return out
}

// schemas calls f for every node of every schema, each schema once.
func (d *Definition) schemas(f func(*apiextensions.JSONSchemaProps)) {
	if d.Spec.Validation != nil {
		Walk(d.Spec.Validation.OpenAPIV3Schema, f)
	}
	for _, v := range d.Spec.Versions {
		if v.Schema != nil {
			Walk(v.Schema.OpenAPIV3Schema, f)
		}
	}
}

// compositeSets are the non-scalar item types of sets.
func (d *Definition) compositeSets() map[string]bool {
	out := map[string]bool{}
	d.schemas(func(s *apiextensions.JSONSchemaProps) {
		if s.XListType != nil && *s.XListType == "set" && s.Items != nil && s.Items.Schema != nil {
			if t := s.Items.Schema.Type; t == "object" || t == "array" {
				out[t] = true
			}
		}
	})
	return out
}

func (d *Definition) unknownFormats(v version.Version) []string {
	var out []string
	d.schemas(func(s *apiextensions.JSONSchemaProps) {
		if s.Format == "" || !v.Has(version.TypedFormats) && s.Type != "string" {
			return
		}
		out = append(out, unknownFormats(s.Format, s.Type, v)...)
	})
	return out
}

func unknownFormats(format, kind string, v version.Version) []string {
	return validation.GetUnrecognizedFormats(&spec.Schema{SchemaProps: spec.SchemaProps{Format: format, Type: []string{kind}}}, compatibility(v))
}

// compatibility is the version whose formats a server supports: the release before, as for
// expressions.
func compatibility(v version.Version) *utilversion.Version {
	return utilversion.MustParse(v.Previous().String())
}

// Walk calls f for a schema and all schemas in it, in the order of property names.
func Walk(s *apiextensions.JSONSchemaProps, f func(*apiextensions.JSONSchemaProps)) {
	if s == nil {
		return
	}
	f(s)
	list := func(all []apiextensions.JSONSchemaProps) {
		for i := range all {
			Walk(&all[i], f)
		}
	}
	byName := func(all map[string]apiextensions.JSONSchemaProps) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			child := all[name]
			Walk(&child, f)
		}
	}
	if s.Items != nil {
		Walk(s.Items.Schema, f)
		list(s.Items.JSONSchemas)
	}
	list(s.AllOf)
	list(s.AnyOf)
	list(s.OneOf)
	Walk(s.Not, f)
	byName(s.Properties)
	if s.AdditionalProperties != nil {
		Walk(s.AdditionalProperties.Schema, f)
	}
	byName(s.PatternProperties)
	if s.AdditionalItems != nil {
		Walk(s.AdditionalItems.Schema, f)
	}
	byName(s.Definitions)
	for _, name := range slices.Sorted(maps.Keys(s.Dependencies)) {
		Walk(s.Dependencies[name].Schema, f)
	}
}

// Deprecation returns the server's warning in every response about a deprecated version; empty
// otherwise.
func (d *Definition) Deprecation(name string) string {
	var newer []string
	warning := ""
	for _, v := range d.Spec.Versions {
		switch {
		case v.Name == name && !v.Deprecated:
			return ""
		case v.Name == name && v.DeprecationWarning != nil:
			return *v.DeprecationWarning
		case v.Name == name:
			warning = fmt.Sprintf("%s/%s %s is deprecated", d.Spec.Group, name, d.Spec.Names.Kind)
		case v.Served && !v.Deprecated && kubeversion.CompareKubeAwareVersionStrings(name, v.Name) < 0:
			newer = append(newer, v.Name)
		}
	}
	if warning == "" || len(newer) == 0 {
		return warning
	}
	sort.Slice(newer, func(i, j int) bool { return kubeversion.CompareKubeAwareVersionStrings(newer[i], newer[j]) > 0 })
	return strings.Join([]string{warning, fmt.Sprintf("use %s/%s %s", d.Spec.Group, newer[0], d.Spec.Names.Kind)}, "; ")
}
