// Package fragment reads custom resource rules that are tried alone: a part of
// a schema with x-kubernetes-validations, a value, and the old value. It turns
// them into a CustomResourceDefinition and its objects, as the server knows them.
package fragment

import (
	"maps"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// The fields of the text.
const (
	Schema  = scenario.SchemaField
	Self    = scenario.SelfField
	OldSelf = scenario.OldSelfField
)

// Version is the version of the definition.
const Version = "v1"

// The definition of a schema whose values are no whole objects: they are in one field.
const (
	group  = "preadmit.dev"
	kind   = "Rules"
	plural = "rules"
)

const schemaPath = "spec.versions[0].schema.openAPIV3Schema"

// Fragment is a schema with rules, and values of it.
type Fragment struct {
	// Document is that of the text. Its value is the definition, and the paths of the
	// definition lead to the text too.
	Document *scenario.Document
	// Given and GivenOld say that there is a value, and one before it.
	Given, GivenOld bool

	fields, definition map[string]any
	// apiVersion and kind are those of values that are whole objects; empty for others.
	apiVersion, kind string
}

// Read takes a document apart. It returns nil where there is no schema; the
// diagnostics say why, and what else is wrong.
func Read(d *scenario.Document) (*Fragment, []diag.Diagnostic) {
	var problems []diag.Diagnostic
	f := scenario.NewFields(d, &problems)
	schema := f.Map(Schema)
	f.Any(Self)
	f.Any(OldSelf)
	f.Done()
	if schema == nil {
		if !f.Has(Schema) {
			f.Report(diag.Error, codes.RequiredValue, "", "there is no schema", "schema is a CustomResourceDefinition's openAPIV3Schema, or a part of it. Its x-kubernetes-validations hold the rules.")
		}
		return nil, problems
	}
	out := Of(d.Value)
	if out.GivenOld && !out.Given {
		f.Report(diag.Error, codes.RequiredValue, OldSelf, "oldSelf is set without self", "An update changes oldSelf to self. Without oldSelf, self is a new value.")
	}
	out.Document = d.Moved(out.definition, map[string]string{out.node(): Schema})
	return out, problems
}

// Of is the fragment of a text's value, whatever is wrong with it. It has no document.
func Of(value map[string]any) *Fragment {
	out := &Fragment{fields: value, Given: value[Self] != nil, GivenOld: value[OldSelf] != nil}
	out.identify()
	out.definition = out.define()
	return out
}

// identify finds out whether the values are whole objects, whose rules see apiVersion,
// kind and the name as well.
func (f *Fragment) identify() {
	object, _ := f.fields[Self].(map[string]any)
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	if strings.Count(apiVersion, "/") == 1 && kind != "" {
		f.apiVersion, f.kind = apiVersion, kind
	}
}

// Kind is the group, version and kind that the definition defines.
func (f *Fragment) Kind() (apiGroup, version, name string) {
	if !f.Whole() {
		return group, Version, kind
	}
	apiGroup, version, _ = strings.Cut(f.apiVersion, "/")
	return apiGroup, version, f.kind
}

// Whole says that the values are whole objects.
func (f *Fragment) Whole() bool { return f.kind != "" }

// define makes the CustomResourceDefinition with the schema.
func (f *Fragment) define() map[string]any {
	apiGroup, version, name := f.Kind()
	many, schema := strings.ToLower(name)+"s", f.fields[Schema]
	if !f.Whole() {
		many = plural
		schema = map[string]any{"type": "object", "properties": map[string]any{Self: schema}}
	}
	return map[string]any{
		"apiVersion": crd.Group + "/v1", "kind": crd.Kind,
		// Groups of Kubernetes' own need the annotation.
		"metadata": map[string]any{"name": many + "." + apiGroup, "annotations": map[string]any{"api-approved.kubernetes.io": "unapproved, rules alone"}},
		"spec": map[string]any{
			"group": apiGroup, "scope": "Cluster", "names": map[string]any{"kind": name, "plural": many},
			"versions": []any{map[string]any{"name": version, "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": schema}}},
		},
	}
}

// Definition is the CustomResourceDefinition with the schema.
func (f *Fragment) Definition() map[string]any { return f.definition }

// Inner is a path of the text below the schema as one of the definition.
func (f *Fragment) Inner(path fieldpath.Path) fieldpath.Path {
	return append(fieldpath.Parse(f.node()), path[1:]...)
}

// node is the path of the schema in the definition.
func (f *Fragment) node() string {
	if f.Whole() {
		return schemaPath
	}
	return schemaPath + ".properties[" + Self + "]"
}

// Path is a path of the definition as one of the text.
func (f *Fragment) Path(path string) string {
	// Where all versions have the same schema the server names it once.
	if below, shared := strings.CutPrefix(path, "spec.validation."); shared {
		path = strings.TrimSuffix(schemaPath, "openAPIV3Schema") + below
	}
	if below, ok := strings.CutPrefix(path, f.node()); ok {
		return Schema + below
	}
	if path == schemaPath { // what is about all rules together
		return Schema
	}
	return path
}

// Object is the value as an object of the definition, Old the one before it; nil
// where there is none.
func (f *Fragment) Object() map[string]any { return f.object(Self, f.Given) }

// Old is the object before an update.
func (f *Fragment) Old() map[string]any { return f.object(OldSelf, f.GivenOld) }

func (f *Fragment) object(field string, given bool) map[string]any {
	if !given {
		return nil
	}
	out := map[string]any{"apiVersion": group + "/" + Version, "kind": kind}
	if value, ok := f.fields[field].(map[string]any); ok && f.Whole() {
		out = maps.Clone(value)
		out["apiVersion"], out["kind"] = f.apiVersion, f.kind
	} else if !f.Whole() {
		out[Self] = f.fields[field]
	}
	// What every stored object has, where the text leaves it out.
	metadata := map[string]any{"name": Self, "resourceVersion": "1"}
	own, _ := out["metadata"].(map[string]any)
	maps.Copy(metadata, own)
	delete(metadata, "namespace") // rules do not see it
	out["metadata"] = metadata
	return out
}
