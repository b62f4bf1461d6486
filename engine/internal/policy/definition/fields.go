package definition

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/kube/clientaddress"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// This file checks the fields of a definition beside its schemas.

func (v *validator) names(path *field.Path) {
	n := &v.Spec.Names
	for _, required := range []struct{ name, value string }{{"plural", n.Plural}, {"singular", n.Singular}, {"kind", n.Kind}, {"listKind", n.ListKind}} {
		if required.value == "" {
			v.add(field.Required(path.Child(required.name), ""))
		}
	}
	v.readable(n, path)
}

// readable checks the names that there are.
func (v *validator) readable(n *apiextensions.CustomResourceDefinitionNames, path *field.Path) {
	label := func(path *field.Path, value, checked, prefix string) {
		if problems := utilvalidation.IsDNS1035Label(checked); value != "" && len(problems) > 0 {
			v.invalid(path, value, prefix+strings.Join(problems, ","))
		}
	}
	const mixed = "may have mixed case, but should otherwise match: "
	label(path.Child("plural"), n.Plural, n.Plural, "")
	label(path.Child("singular"), n.Singular, n.Singular, "")
	label(path.Child("kind"), n.Kind, strings.ToLower(n.Kind), mixed)
	label(path.Child("listKind"), n.ListKind, strings.ToLower(n.ListKind), mixed)
	labels := func(path *field.Path, list []string) {
		for i, value := range list {
			if problems := utilvalidation.IsDNS1035Label(value); len(problems) > 0 {
				v.invalid(path.Index(i), value, strings.Join(problems, ","))
			}
		}
	}
	labels(path.Child("shortNames"), n.ShortNames)
	if n.Kind != "" && n.Kind == n.ListKind {
		v.invalid(path.Child("listKind"), n.ListKind, "kind and listKind may not be the same")
	}
	labels(path.Child("categories"), n.Categories)
}

func (v *validator) subresources(s *apiextensions.CustomResourceSubresources, path *field.Path) {
	if s == nil || s.Scale == nil {
		return
	}
	v.jsonPath(path.Child("scale.specReplicasPath"), s.Scale.SpecReplicasPath, "should be a json path under .spec", ".spec.")
	v.jsonPath(path.Child("scale.statusReplicasPath"), s.Scale.StatusReplicasPath, "should be a json path under .status", ".status.")
	if at := s.Scale.LabelSelectorPath; at != nil && *at != "" {
		selector := path.Child("scale.labelSelectorPath")
		if !strings.HasPrefix(*at, ".") {
			v.invalid(selector, *at, "must be a simple json path starting with .")
		} else if !strings.HasPrefix(*at, ".spec.") && !strings.HasPrefix(*at, ".status.") {
			v.invalid(selector, at, "should be a json path under either .spec or .status")
		}
	}
}

func (v *validator) jsonPath(path *field.Path, value, outside, prefix string) {
	switch {
	case value == "":
		v.add(field.Required(path, ""))
	case value[0] != '.':
		v.invalid(path, value, "must be a simple json path starting with .")
	case !strings.HasPrefix(value, prefix):
		v.invalid(path, value, outside)
	}
}

const (
	columnTypes   = "boolean,date,integer,number,string"
	columnFormats = "byte,date,date-time,double,float,int32,int64,password"
)

func (v *validator) columns(list []apiextensions.CustomResourceColumnDefinition, path *field.Path) {
	known := func(list, value string) bool { return strings.Contains(","+list+",", ","+value+",") }
	for i, column := range list {
		at := path.Index(i)
		if column.Name == "" {
			v.add(field.Required(at.Child("name"), ""))
		}
		if column.Type == "" {
			v.add(field.Required(at.Child("type"), "must be one of "+columnTypes))
		} else if !known(columnTypes, column.Type) {
			v.invalid(at.Child("type"), column.Type, "must be one of "+columnTypes)
		}
		if column.Format != "" && !known(columnFormats, column.Format) {
			v.invalid(at.Child("format"), column.Format, "must be one of "+columnFormats)
		}
		v.jsonPath(at.Child("JSONPath"), column.JSONPath, "", ".")
	}
}

// maxSelectable is how many selectable fields a version may have.
const maxSelectable = 8

func (v *validator) selectable(list []apiextensions.SelectableField, validation *apiextensions.CustomResourceValidation, path *field.Path, without, name string) {
	fields := path.Child("selectableFields")
	if validation == nil || validation.OpenAPIV3Schema == nil {
		v.invalid(fields, "", without)
		return
	}
	node, err := schema.NewStructural(validation.OpenAPIV3Schema)
	if err != nil {
		v.invalid(path.Child("schema.openAPIV3Schema"), "", err.Error())
		return
	}
	seen := map[string]bool{}
	for i, f := range list {
		at := fields.Index(i).Child("jsonPath")
		if f.JSONPath == "" {
			v.add(field.Required(at, ""))
			continue
		}
		found, target, err := cel.ValidFieldPath(f.JSONPath, node, cel.WithFieldPathAllowArrayNotation(false))
		if err != nil {
			v.invalid(at, f.JSONPath, fmt.Sprintf("is an invalid path: %v", err))
			continue
		}
		if found.Root().String() == "metadata" {
			v.invalid(at, f.JSONPath, "must not point to fields in metadata")
		}
		if target == nil || target.Type != "string" && target.Type != "boolean" && target.Type != "integer" {
			v.invalid(at, f.JSONPath, "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.")
		}
		if seen[found.String()] {
			v.add(field.Duplicate(at, f.JSONPath))
		}
		seen[found.String()] = true
	}
	if len(seen) > maxSelectable && !v.keptSelectable(list, name) {
		v.add(field.TooMany(fields, len(seen), maxSelectable))
	}
}

// keptSelectable reports whether an update leaves the too many selectable fields
// of a version, or of all, as they were.
func (v *validator) keptSelectable(list []apiextensions.SelectableField, name string) bool {
	if v.before == nil || !v.version.Has(version.SelectableFieldsKept) {
		return false
	}
	was := v.before.Spec.SelectableFields
	for _, old := range v.before.Spec.Versions {
		if name != "" && old.Name == name {
			was = old.SelectableFields
		}
	}
	return len(was) > maxSelectable && slices.Equal(list, was)
}

func (v *validator) conversion(c *apiextensions.CustomResourceConversion, path *field.Path) {
	if c == nil {
		return
	}
	v.oneOf(path.Child("strategy"), string(c.Strategy), string(apiextensions.NoneConverter), string(apiextensions.WebhookConverter))
	config, versions := path.Child("webhookClientConfig"), path.Child("conversionReviewVersions")
	if c.Strategy != apiextensions.WebhookConverter {
		const unused = "should not be set when strategy is not set to Webhook"
		if c.WebhookClientConfig != nil {
			v.add(field.Forbidden(config, unused))
		}
		if len(c.ConversionReviewVersions) > 0 {
			v.add(field.Forbidden(versions, unused))
		}
		return
	}
	if c.WebhookClientConfig == nil {
		v.add(field.Required(config, "required when strategy is set to Webhook"))
	} else {
		v.address(c.WebhookClientConfig, config)
	}
	v.reviewVersions(c.ConversionReviewVersions, versions)
}

// address checks how a conversion webhook is reached. Only an update of a definition
// whose kind is served is checked for its bundle, and only where it was fine before.
func (v *validator) address(c *apiextensions.WebhookClientConfig, path *field.Path) {
	switch {
	case (c.URL == nil) == (c.Service == nil):
		v.add(field.Required(path, "exactly one of url or service is required"))
	case c.URL != nil:
		v.add(clientaddress.URL(path.Child("url"), *c.URL)...)
	default:
		service := path.Child("service")
		v.add(clientaddress.MissingNames(service, c.Service.Namespace, c.Service.Name, v.version)...)
		v.add(clientaddress.Port(service.Child("port"), c.Service.Port)...)
		if c.Service.Path != nil {
			v.add(clientaddress.Path(service.Child("path"), *c.Service.Path)...)
		}
	}
	if len(c.CABundle) > 0 && v.before != nil && (v.before.established || v.before.served) && !v.before.badBundle && v.version.Has(version.ConversionBundles) {
		v.add(clientaddress.Bundle(path.Child("caBundle"), c.CABundle)...)
	}
}

// knownReview reports whether the server knows a version of ConversionReview.
func knownReview(version string) bool { return version == "v1" || version == "v1beta1" }

func (v *validator) reviewVersions(list []string, path *field.Path) {
	if len(list) == 0 {
		v.add(field.Required(path, ""))
		return
	}
	seen, accepted := map[string]bool{}, false
	for i, version := range list {
		if seen[version] {
			v.invalid(path.Index(i), version, "duplicate version")
			continue
		}
		seen[version] = true
		for _, problem := range utilvalidation.IsDNS1035Label(version) {
			v.invalid(path.Index(i), version, problem)
		}
		accepted = accepted || knownReview(version)
	}
	if !accepted && (v.before == nil || !v.before.reviewVersions) {
		v.invalid(path, list, "must include at least one of v1, v1beta1")
	}
}
