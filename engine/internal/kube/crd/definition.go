// Package crd holds CustomResourceDefinitions as the API server does: decoded,
// with defaults, in the internal version, where fields that all versions
// share are at the top. The server's field paths use that form.
package crd

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// Kind is the kind of a CustomResourceDefinition, Group its API group.
const (
	Kind  = "CustomResourceDefinition"
	Group = "apiextensions.k8s.io"
)

// GroupKind is both.
var GroupKind = runtimeschema.GroupKind{Group: Group, Kind: Kind}

// Definition is a CustomResourceDefinition in the internal version.
type Definition struct {
	*apiextensions.CustomResourceDefinition
	// Versioned is the definition as v1 shows it.
	Versioned *v1.CustomResourceDefinition
}

// Decode reads a CustomResourceDefinition and sets its defaults. The error is
// that of the server for a value that does not fit its field.
func Decode(value map[string]any) (*Definition, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	d := &Definition{CustomResourceDefinition: &apiextensions.CustomResourceDefinition{}, Versioned: &v1.CustomResourceDefinition{}}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, d.Versioned); err != nil {
		return nil, fmt.Errorf("%s in version %q cannot be handled as a %s: %w", Kind, "v1", Kind, err)
	}
	v1.SetObjectDefaults_CustomResourceDefinition(d.Versioned)
	if err := v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(d.Versioned, d.CustomResourceDefinition, nil); err != nil {
		return nil, err
	}
	return d, nil
}

// PrepareForCreate does what the server does to a definition before it checks
// it: the status begins with the version that is stored, and fields whose
// feature is off are dropped.
func (d *Definition) PrepareForCreate(v version.Version) {
	d.Status = apiextensions.CustomResourceDefinitionStatus{}
	d.store()
	d.drop(v)
}

// drop removes fields whose feature is off.
func (d *Definition) drop(v version.Version) {
	if v.Has(version.SelectableFields) {
		return
	}
	d.Spec.SelectableFields = nil
	for i := range d.Spec.Versions {
		d.Spec.Versions[i].SelectableFields = nil
	}
}

// selects reports whether there are selectable fields.
func (d *Definition) selects() bool {
	return len(d.Spec.SelectableFields) > 0 || slices.ContainsFunc(d.Spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool { return len(v.SelectableFields) > 0 })
}

// PrepareForUpdate keeps the status of the old definition, whose list of stored
// versions grows by a new one, and what only the server sets. Fields whose feature
// is off are dropped, unless they were in use.
func (d *Definition) PrepareForUpdate(old *Definition, v version.Version) {
	d.Status = *old.Status.DeepCopy()
	d.store()
	if !old.selects() {
		d.drop(v)
	}
	if d.UID == "" {
		d.UID = old.UID
	}
	d.CreationTimestamp, d.DeletionTimestamp = old.CreationTimestamp, old.DeletionTimestamp
	if d.DeletionGracePeriodSeconds == nil {
		d.DeletionGracePeriodSeconds = old.DeletionGracePeriodSeconds
	}
	d.Generation = max(d.Generation, old.Generation)
	if old.ResourceVersion == "" { // what is stored has one, also when the text leaves it out
		old.ResourceVersion = "1"
		if d.ResourceVersion == "" {
			d.ResourceVersion = "1"
		}
	}
}

// store adds the storage version to the stored ones.
func (d *Definition) store() {
	for _, v := range d.Spec.Versions {
		if v.Storage {
			if !slices.Contains(d.Status.StoredVersions, v.Name) {
				d.Status.StoredVersions = append(d.Status.StoredVersions, v.Name)
			}
			return
		}
	}
}

// Schema is the schema of a version; nil when it has none.
func (d *Definition) Schema(version string) *apiextensions.JSONSchemaProps {
	validation, err := apiextensions.GetSchemaForVersion(d.CustomResourceDefinition, version)
	if err != nil || validation == nil {
		return nil
	}
	return validation.OpenAPIV3Schema
}

// Subresources are those of a version; nil when it has none.
func (d *Definition) Subresources(version string) *apiextensions.CustomResourceSubresources {
	subresources, err := apiextensions.GetSubresourcesForVersion(d.CustomResourceDefinition, version)
	if err != nil {
		return nil
	}
	return subresources
}

// Structural is the structural schema of a version as the server uses it for
// custom resources: with defaults that hold only what the schema declares. It is
// nil when there is no schema.
func (d *Definition) Structural(version string) (*schema.Structural, error) {
	props := d.Schema(version)
	if props == nil {
		return nil, nil
	}
	structural, err := schema.NewStructural(props)
	if err != nil || d.PreservesUnknownFields() {
		return structural, err
	}
	structural = structural.DeepCopy()
	return structural, defaulting.PruneDefaults(structural)
}

// PreservesUnknownFields reports whether nothing is pruned, as in definitions
// of old.
func (d *Definition) PreservesUnknownFields() bool {
	return d.Spec.PreserveUnknownFields != nil && *d.Spec.PreserveUnknownFields
}

// VersionPath is the path of the field that holds a version's schema in the
// document, and the one under which the server names it: where all versions
// have the same schema, that is spec.validation.
func (d *Definition) VersionPath(index int) (document, server string) {
	document = fieldpath.New("spec", "versions").Index(index).Child("schema").String()
	if d.Spec.Validation != nil {
		return document, "spec.validation"
	}
	return document, document
}

// RulePath is the path of a rule below the node that has it.
func RulePath(node string, index int) string {
	return fieldpath.Parse(node).Child("x-kubernetes-validations").Index(index).String()
}
