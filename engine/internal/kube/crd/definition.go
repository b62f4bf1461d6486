// Package crd holds CustomResourceDefinitions as the API server does: decoded, with defaults, in
// the internal version. There, fields that all versions share are at the top. The server's field
// paths use that form.
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

// Kind is CustomResourceDefinition, and Group its API group.
const (
	Kind  = "CustomResourceDefinition"
	Group = "apiextensions.k8s.io"
)

// GroupKind combines the two.
var GroupKind = runtimeschema.GroupKind{Group: Group, Kind: Kind}

// Definition is a CustomResourceDefinition in the internal version.
type Definition struct {
	*apiextensions.CustomResourceDefinition
	// Versioned returns the definition as v1.
	Versioned *v1.CustomResourceDefinition
}

// Decode reads a CustomResourceDefinition and sets its defaults. The error is the server's for a
// value of a wrong type.
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

// PrepareForCreate does what the server does before it validates a definition. It sets the status's
// stored versions to the storage version, and drops fields of disabled features.
func (d *Definition) PrepareForCreate(v version.Version) {
	d.Status = apiextensions.CustomResourceDefinitionStatus{}
	d.store()
	d.drop(v)
}

// drop removes fields of disabled features.
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

// PrepareForUpdate keeps the old definition's status, adding a new storage version to its stored
// versions, and what only the server sets. It drops fields of disabled features unless the old
// definition used them.
func (d *Definition) PrepareForUpdate(old *Definition, v version.Version) {
	d.Status = *old.Status.DeepCopy()
	d.store()
	if !old.selects() {
		d.drop(v)
	}
	d.keep(old)
}

// PrepareForStatusUpdate keeps everything but the status and what a client may set of the metadata.
func (d *Definition) PrepareForStatusUpdate(old *Definition) {
	d.Spec = old.Spec
	d.keep(old)
}

// keep keeps what only the server sets.
func (d *Definition) keep(old *Definition) {
	if d.UID == "" {
		d.UID = old.UID
	}
	d.CreationTimestamp, d.DeletionTimestamp = old.CreationTimestamp, old.DeletionTimestamp
	if d.DeletionGracePeriodSeconds == nil {
		d.DeletionGracePeriodSeconds = old.DeletionGracePeriodSeconds
	}
	d.Generation = max(d.Generation, old.Generation)
	if old.ResourceVersion == "" { // stored objects have one, even if the text omits it
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

// Schema returns a version's schema, or nil.
func (d *Definition) Schema(version string) *apiextensions.JSONSchemaProps {
	validation, err := apiextensions.GetSchemaForVersion(d.CustomResourceDefinition, version)
	if err != nil || validation == nil {
		return nil
	}
	return validation.OpenAPIV3Schema
}

// Subresources returns a version's subresources, or nil.
func (d *Definition) Subresources(version string) *apiextensions.CustomResourceSubresources {
	subresources, err := apiextensions.GetSubresourcesForVersion(d.CustomResourceDefinition, version)
	if err != nil {
		return nil
	}
	return subresources
}

// Structural returns a version's structural schema as the server uses it for custom resources: its
// defaults contain only declared fields. It is nil without a schema.
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

// PreservesUnknownFields reports whether nothing is pruned, as in old definitions.
func (d *Definition) PreservesUnknownFields() bool {
	return d.Spec.PreserveUnknownFields != nil && *d.Spec.PreserveUnknownFields
}

// VersionPath returns the path of a version's schema field in the document, and the path that the
// server names. If all versions have the same schema, that is spec.validation.
func (d *Definition) VersionPath(index int) (document, server string) {
	document = fieldpath.New("spec", "versions").Index(index).Child("schema").String()
	if d.Spec.Validation != nil {
		return document, "spec.validation"
	}
	return document, document
}

// RulePath returns a rule's path below its schema node.
func RulePath(node string, index int) string {
	return fieldpath.Parse(node).Child("x-kubernetes-validations").Index(index).String()
}
