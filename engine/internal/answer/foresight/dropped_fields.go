package foresight

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/policy/lint"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// droppedFields finds served versions of CustomResourceDefinitions with fields that the stored version lacks, where no
// webhook converts between them: the server accepts the fields, and does not store them.
func (f *foresight) droppedFields() {
	for _, d := range slices.Concat(f.Documents[diag.Policies], f.Documents[diag.Cluster]) {
		if d.Kind != "CustomResourceDefinition" || textAt(d.Value, "spec", "conversion", "strategy") == "Webhook" || lint.Ignores(d, codes.DroppedByConversion) {
			continue
		}
		list, _ := fieldpath.New("spec", "versions").Get(d.Value)
		versions, _ := list.([]any)
		stored := slices.IndexFunc(versions, func(v any) bool { return flag(v, "storage") })
		if stored < 0 {
			continue
		}
		for i, v := range versions {
			if i == stored || !flag(v, "served") {
				continue
			}
			if path, ok := lacking(schemaOf(v), schemaOf(versions[stored]), nil); ok {
				f.reportDropped(d, i, path, textAt(mapOf(v), "name"), textAt(mapOf(versions[stored]), "name"))
			}
		}
	}
}

func (f *foresight) reportDropped(d *scenario.Document, i int, path []string, version, stored string) {
	at := fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
	for _, step := range path {
		if step == "[*]" {
			at += ".items"
			continue
		}
		at += ".properties." + step
	}
	span := d.LocateKey(at)
	if !d.Has(at) {
		at = fmt.Sprintf("spec.versions[%d].name", i)
		span = d.Locate(at)
	}
	name := strings.ReplaceAll(strings.Join(path, "."), ".[*]", "[*]")
	f.found = append(f.found, diag.Diagnostic{Code: codes.DroppedByConversion, Severity: diag.Warning, Accepted: true, Text: d.Text, Span: span, Path: at, Document: d.Kind + "/" + d.Name,
		Summary: fmt.Sprintf("the server accepts %s in %s and drops it: the stored version %s has no such field", name, version, stored),
		Detail:  "With conversion strategy None the server only changes apiVersion. Add the field to the stored version, or convert by a webhook."})
}

// lacking is the first field of a schema that another one neither has nor keeps as unknown.
func lacking(schema, other map[string]any, path []string) ([]string, bool) {
	if schema == nil || other == nil || flag(other, "x-kubernetes-preserve-unknown-fields") || other["additionalProperties"] != nil {
		return nil, false
	}
	fields, others := mapOf(schema["properties"]), mapOf(other["properties"])
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		next := append(slices.Clone(path), name)
		of, has := others[name]
		if !has {
			if len(path) == 0 && (name == "apiVersion" || name == "kind" || name == "metadata") {
				continue
			}
			return next, true
		}
		if out, ok := lacking(mapOf(fields[name]), mapOf(of), next); ok {
			return out, true
		}
	}
	return lacking(mapOf(schema["items"]), mapOf(other["items"]), append(slices.Clone(path), "[*]"))
}

func schemaOf(version any) map[string]any {
	value, _ := fieldpath.New("schema", "openAPIV3Schema").Get(version)
	return mapOf(value)
}

func mapOf(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func flag(v any, name string) bool { return mapOf(v)[name] == true }
