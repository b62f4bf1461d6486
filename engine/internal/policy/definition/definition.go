// Package definition answers as the API server does when a
// CustomResourceDefinition is created or updated: what it rejects, in its words and
// at its paths.
package definition

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// validator checks one definition.
type validator struct {
	*crd.Definition
	ctx          context.Context
	environments *eval.Environments
	version      version.Version
	// before is what an update finds; nil for a new definition.
	before *before
	// keep is given the cost of each rule; nil where nobody asks.
	keep func(total *totalCost, path *field.Path, cost uint64)
	errs field.ErrorList
}

// Validate returns the errors of a new definition, in the order of the server,
// properties by name. The definition must be prepared for creation.
func Validate(ctx context.Context, d *crd.Definition, environments *eval.Environments) field.ErrorList {
	v := &validator{Definition: d, ctx: ctx, environments: environments, version: environments.Version()}
	v.metadata()
	v.spec(field.NewPath("spec"))
	v.storedVersions(field.NewPath("status", "storedVersions"))
	v.approval()
	v.unknownFields()
	return v.errs
}

func (v *validator) add(errs ...*field.Error) { v.errs = append(v.errs, errs...) }

func (v *validator) invalid(path *field.Path, value any, detail string) {
	v.add(field.Invalid(path, value, detail))
}

// metadata checks the name, which follows from the spec, and what all objects
// have.
func (v *validator) metadata() {
	name := func(name string, prefix bool) []string {
		problems := apivalidation.NameIsDNSSubdomain(name, prefix)
		if name != v.Spec.Names.Plural+"."+v.Spec.Group {
			problems = append(problems, `must be spec.names.plural+"."+spec.group`)
		}
		return problems
	}
	v.add(crd.Reword(apivalidation.ValidateObjectMeta(&v.ObjectMeta, false, name, field.NewPath("metadata")), v.version)...)
}

func (v *validator) spec(path *field.Path) {
	group := path.Child("group")
	if v.Spec.Group == "" {
		v.add(field.Required(group, ""))
	} else if problems := utilvalidation.IsDNS1123Subdomain(v.Spec.Group); len(problems) > 0 {
		v.invalid(group, v.Spec.Group, strings.Join(problems, ","))
	} else if !strings.Contains(v.Spec.Group, ".") {
		v.invalid(group, v.Spec.Group, "should be a domain with at least one dot")
	}
	v.oneOf(path.Child("scope"), string(v.Spec.Scope), string(apiextensions.ClusterScoped), string(apiextensions.NamespaceScoped))
	v.schemasRequired(path.Child("versions"))
	if v.PreservesUnknownFields() && v.hasDefaults() {
		v.invalid(path.Child("preserveUnknownFields"), true, "must be false in order to use defaults in the schema")
	}
	v.versions(path)
	v.names(path.Child("names"))
	v.schemaOf(v.Spec.Validation, v.anyStatus(), path.Child("validation"), v.Spec.Version)
	v.subresources(v.Spec.Subresources, path.Child("subresources"))
	v.columns(v.Spec.AdditionalPrinterColumns, path.Child("additionalPrinterColumns"))
	if len(v.Spec.SelectableFields) > 0 {
		v.selectable(v.Spec.SelectableFields, v.Spec.Validation, path, v.prefixed("may only be set when validations.schema is included"), "")
	}
	if c := v.Spec.Conversion; c != nil && c.Strategy != apiextensions.NoneConverter && v.PreservesUnknownFields() {
		v.invalid(path.Child("conversion", "strategy"), c.Strategy, "must be None if spec.preserveUnknownFields is true")
	}
	v.conversion(v.Spec.Conversion, path.Child("conversion"))
}

// oneOf checks a required field with a fixed set of values.
func (v *validator) oneOf(path *field.Path, value string, known ...string) {
	if value == "" {
		v.add(field.Required(path, ""))
		return
	}
	for _, k := range known {
		if k == value {
			return
		}
	}
	v.add(field.NotSupported(path, value, known))
}

func (v *validator) schemasRequired(path *field.Path) {
	if v.Spec.Validation != nil && v.Spec.Validation.OpenAPIV3Schema != nil {
		return
	}
	old := v.before != nil && v.before.schemaMissing
	detail := ""
	if old {
		detail = "because otherwise all fields are pruned"
	} else if !v.version.Has(version.ShortFieldErrors) {
		detail = "schemas are required"
	}
	for i, version := range v.Spec.Versions {
		if (version.Schema == nil || version.Schema.OpenAPIV3Schema == nil) && (!old || version.Served && !v.PreservesUnknownFields()) {
			v.add(field.Required(path.Index(i).Child("schema", "openAPIV3Schema"), detail))
		}
	}
}

func (v *validator) versions(path *field.Path) {
	versions := path.Child("versions")
	storage, unique, seen := 0, true, map[string]bool{}
	for i := range v.Spec.Versions {
		version := &v.Spec.Versions[i]
		if version.Storage {
			storage++
		}
		unique = unique && !seen[version.Name]
		seen[version.Name] = true
		at := versions.Index(i)
		if problems := utilvalidation.IsDNS1035Label(version.Name); len(problems) > 0 {
			v.invalid(at.Child("name"), version.Name, strings.Join(problems, ","))
		}
		v.oneVersion(version, at)
	}
	v.identical(versions)
	if !unique {
		v.invalid(versions, v.Spec.Versions, "must contain unique version names")
	}
	if storage != 1 {
		v.invalid(versions, v.Spec.Versions, "must have exactly one version marked as storage version")
	}
	if v.Spec.Version != "" {
		if problems := utilvalidation.IsDNS1035Label(v.Spec.Version); len(problems) > 0 {
			v.invalid(path.Child("version"), v.Spec.Version, strings.Join(problems, ","))
		}
	}
}

func (v *validator) oneVersion(version *apiextensions.CustomResourceDefinitionVersion, path *field.Path) {
	for _, problem := range deprecationProblems(version) {
		v.invalid(path.Child("deprecationWarning"), version.DeprecationWarning, problem)
	}
	status := v.Subresources(version.Name)
	v.schemaOf(version.Schema, status != nil && status.Status != nil, path.Child("schema"), version.Name)
	v.subresources(version.Subresources, path.Child("subresources"))
	v.columns(version.AdditionalPrinterColumns, path.Child("additionalPrinterColumns"))
	if len(version.SelectableFields) > 0 {
		v.selectable(version.SelectableFields, version.Schema, path, v.withoutSchema(), version.Name)
	}
}

// withoutSchema is the text about selectable fields of a version that has no schema.
func (v *validator) withoutSchema() string {
	if v.version.Has(version.ShortFieldErrors) {
		return "may only be set when `version.schema.openAPIV3Schema` is not included"
	}
	return v.prefixed("may only be set when version.schema.openAPIV3Schema is not included")
}

// prefixed is a text about selectable fields, of older versions with their name.
func (v *validator) prefixed(text string) string {
	if v.version.Has(version.ShortFieldErrors) {
		return text
	}
	return "selectableFields " + text
}

// deprecationProblems are those of a deprecation warning.
func deprecationProblems(version *apiextensions.CustomResourceDefinitionVersion) []string {
	warning := version.DeprecationWarning
	switch {
	case warning == nil:
		return nil
	case !version.Deprecated:
		return []string{"can only be set for deprecated versions"}
	}
	var out []string
	if len(*warning) > 256 {
		out = append(out, "must be <= 256 characters long")
	}
	if *warning == "" {
		out = append(out, "must not be an empty string")
	}
	for i, r := range *warning {
		if !unicode.IsPrint(r) {
			out = append(out, fmt.Sprintf("must only contain printable UTF-8 characters; non-printable character found at index %d", i))
			break
		}
	}
	if !utf8.ValidString(*warning) {
		out = append(out, "must only contain printable UTF-8 characters")
	}
	return out
}

// identical reports fields that all versions have alike: they belong above.
// The conversion puts them there, except where a field was set in neither form.
func (v *validator) identical(path *field.Path) {
	if len(v.Spec.Versions) == 0 {
		return
	}
	first := v.Spec.Versions[0]
	schemas, columns := first.Schema != nil, len(first.AdditionalPrinterColumns) > 0
	for _, version := range v.Spec.Versions {
		schemas = schemas && equality.Semantic.DeepEqual(version.Schema, first.Schema)
		columns = columns && equality.Semantic.DeepEqual(version.AdditionalPrinterColumns, first.AdditionalPrinterColumns)
	}
	if schemas {
		v.invalid(path, v.Spec.Versions, "per-version schemas may not all be set to identical values (top-level validation should be used instead)")
	}
	if columns {
		v.invalid(path, v.Spec.Versions, "per-version additionalPrinterColumns may not all be set to identical values (top-level additionalPrinterColumns should be used instead)")
	}
}

// storedVersions checks that the storage version is among those stored, and that
// all of these still exist.
func (v *validator) storedVersions(path *field.Path) {
	stored := v.Status.StoredVersions
	if len(stored) == 0 {
		v.invalid(path, stored, "must have at least one stored version")
		return
	}
	left := map[string]int{}
	for i, name := range stored {
		left[name] = i
	}
	for _, version := range v.Spec.Versions {
		_, known := left[version.Name]
		if version.Storage && !known { // as is the second of two with one name
			v.invalid(path, stored, "must have the storage version "+version.Name)
		}
		delete(left, version.Name)
	}
	for i, name := range stored {
		if at, missing := left[name]; !missing || at != i {
			continue
		}
		detail := "must appear in spec.versions"
		if v.version.Has(version.StoredVersionsExplained) {
			detail = fmt.Sprintf("missing from spec.versions; %[1]s was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in %[1]s and removes %[1]s from status.storedVersions", name)
		}
		v.invalid(path.Index(i), name, detail)
	}
}

func (v *validator) anyStatus() bool {
	if v.Spec.Subresources != nil && v.Spec.Subresources.Status != nil {
		return true
	}
	for _, version := range v.Spec.Versions {
		if version.Subresources != nil && version.Subresources.Status != nil {
			return true
		}
	}
	return false
}
