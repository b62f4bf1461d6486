package objects

import (
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// ofAllVersions are the fields of a definition's spec that apiextensions.k8s.io/v1beta1 had for all versions, and their
// names in a version of v1.
var ofAllVersions = map[string]string{"validation": "schema", "subresources": "subresources", "additionalPrinterColumns": "additionalPrinterColumns"}

// asVersions writes what a CustomResourceDefinition of v1beta1 has beside its versions into each version, as v1 has it.
func (o Object) asVersions(steps fieldpath.Path) []diag.Fix {
	definition, _ := o.value(nil).(map[string]any)
	spec := untyped.Sub(definition, "spec")
	if definition["kind"] != "CustomResourceDefinition" || len(steps) != 2 || steps[0].Name() != "spec" || ofAllVersions[steps.Last()] == "" && steps.Last() != "version" {
		return nil
	}
	whole, ok := objecttext.In(o.Document, o.At.String())
	if !ok {
		return nil
	}
	return whole.Fix("Write it in spec.versions, as apiextensions.k8s.io/v1 has it", func(object map[string]any) {
		after := untyped.Sub(object, "spec")
		versions, _ := after["versions"].([]any)
		if name, _ := spec["version"].(string); len(versions) == 0 && name != "" {
			versions = []any{map[string]any{"name": name, "served": true, "storage": true}}
		}
		for _, version := range untyped.Items(versions) {
			for old, now := range ofAllVersions {
				if value := spec[old]; value != nil && version[now] == nil {
					version[now] = asV1(untyped.Copy(value))
				}
			}
			if schema := untyped.Sub(version, "schema", "openAPIV3Schema"); schema != nil && schema["type"] == nil {
				schema["type"] = "object" // which v1 requires
			}
		}
		after["versions"] = versions
		delete(after, "version")
		for old := range ofAllVersions {
			delete(after, old)
		}
	})
}

// asV1 renames the JSONPath of printer columns, which v1 writes in lower case.
func asV1(value any) any {
	columns, _ := value.([]any)
	for _, column := range untyped.Items(columns) {
		if path, old := column["JSONPath"]; old {
			column["jsonPath"] = path
			delete(column, "JSONPath")
		}
	}
	return value
}
