// Package customresource checks custom resources as the API server
// does after the mutating phase: by their CustomResourceDefinition's
// schema, list types and rules. An update may keep old violations.
package customresource

import (
	"errors"
	"math"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Resource is one version of the objects that a CustomResourceDefinition
// defines, with all that checks them.
type Resource struct {
	Definition *crd.Definition
	// Document is the definition's; nil when it is in no text.
	Document *scenario.Document
	// Kind is that of the objects.
	Kind runtimeschema.GroupVersionKind

	version    version.Version
	index      int // of the version in the definition
	namespaced bool
	node       *schema.Structural
	// schema checks whole objects, status checks their status; nil where there
	// is none.
	schema, status validation.SchemaValidator
	rules          *rules.Validator
	scale          *apiextensions.CustomResourceSubresourceScale
	// adapted is the schema for comparisons, rulePaths the places of the rules in the document.
	adapted   common.Schema
	rulePaths map[*rules.Validator][]string
	// embeds says that the schema has objects in objects.
	embeds bool
}

// New prepares the checks of one version of a definition. The error is about a
// schema that the server would have rejected.
func New(d *crd.Definition, document *scenario.Document, apiVersion string, environments *eval.Environments) (*Resource, error) {
	r := &Resource{
		Definition: d, Document: document, version: environments.Version(),
		Kind:       runtimeschema.GroupVersionKind{Group: d.Spec.Group, Version: apiVersion, Kind: d.Spec.Names.Kind},
		namespaced: d.Spec.Scope == apiextensions.NamespaceScoped,
	}
	for i, v := range d.Spec.Versions {
		if v.Name == apiVersion {
			r.index = i
		}
	}
	props := d.Schema(apiVersion)
	var err error
	if r.node, err = d.Structural(apiVersion); err != nil {
		return nil, err
	}
	if r.schema, err = crd.SchemaValidator(props, r.version); err != nil {
		return nil, err
	}
	if subresources := d.Subresources(apiVersion); subresources != nil {
		r.scale = subresources.Scale
		if props != nil {
			if status, ok := props.Properties["status"]; ok && subresources.Status != nil {
				if r.status, err = crd.SchemaValidator(&status, r.version); err != nil {
					return nil, err
				}
			}
		}
	}
	compiler := &rules.Compiler{Environments: environments, Modes: rules.Stored}
	r.rules = compiler.Validator(r.node, true)
	r.rulePaths = r.pathsOfRules()
	r.adapted, r.embeds = rules.Adapted(r.node), embeds(r.node)
	return r, nil
}

// embeds reports whether a schema has nodes that are objects of any kind.
func embeds(node *schema.Structural) bool {
	if node == nil {
		return false
	}
	if node.XEmbeddedResource || embeds(node.Items) || node.AdditionalProperties != nil && embeds(node.AdditionalProperties.Structural) {
		return true
	}
	for _, property := range node.Properties {
		if embeds(&property) {
			return true
		}
	}
	return false
}

// Unreadable is what keeps the server from reading an object that a client sends:
// metadata that does not fit its type, of the object or of one embedded in it. The
// object is not changed.
func (r *Resource) Unreadable(c *catalog.Catalog, object map[string]any) error {
	if !c.SurelyMetadata(object["metadata"]) {
		if _, _, err := objectmeta.GetObjectMeta(object, false); err != nil {
			return err
		}
	}
	if !r.embeds {
		return nil
	}
	object = runtime.DeepCopyJSON(object)
	if r.node != nil && !r.Definition.PreservesUnknownFields() {
		pruning.Prune(object, r.node, true)
	}
	if err := objectmeta.Coerce(nil, object, r.node, false, false); err != nil {
		return errors.New(crd.ErrorText(err, r.version))
	}
	return nil
}

// EachRule calls f for every node of the schema that has rules, from the root on.
func (r *Resource) EachRule(f func(*rules.Validator)) { r.rules.All(f) }

// RulePath is the place of a rule in the definition's document.
func (r *Resource) RulePath(v *rules.Validator, index int, field string) string {
	return r.rulePaths[v][index] + "." + field
}

func (r *Resource) pathsOfRules() map[*rules.Validator][]string {
	document, _ := r.Definition.VersionPath(r.index)
	out := map[*rules.Validator][]string{}
	r.EachRule(func(v *rules.Validator) {
		path := document + ".openAPIV3Schema"
		if v.Path != "" {
			path += "." + v.Path
		}
		for i := range v.Rules {
			out[v] = append(out[v], crd.RulePath(path, i))
		}
	})
	return out
}

// replicasPath are the fields on the way to a number of the scale subresource.
func replicasPath(path string) []string { return strings.Split(strings.TrimPrefix(path, "."), ".") }

// maxReplicas is the largest number that a Scale can hold.
const maxReplicas = math.MaxInt32
