package objects

import (
	"cmp"
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// asProperties moves a schema's properties that are next to its type under properties. Only an object
// has any: where the type is another, they are one level too deep and belong beside the field.
func (o Object) asProperties(steps fieldpath.Path) []diag.Fix {
	parent := steps.Parent()
	t := o.typeOf(parent)
	schema, _ := o.value(parent).(map[string]any)
	if t == nil || t.Kind != catalog.Struct || t.Field("properties") == nil || t.Field("additionalProperties") == nil || schema["properties"] != nil ||
		o.Document.IsJSON() || o.Document.Brackets(o.in(parent)) {
		return nil
	}
	var names []string
	for name, value := range schema {
		of, mapping := value.(map[string]any)
		if _, typed := of["type"].(string); mapping && typed && t.Field(name) == nil {
			names = append(names, name)
		}
	}
	if !slices.Contains(names, steps.Last()) {
		return nil
	}
	start := func(name string) int { return o.Document.LocateKey(o.in(parent.Child(name))).Start }
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(start(a), start(b)) })
	if is, _ := schema["type"].(string); is == "" || is == "object" {
		return o.around(parent, []string{"properties"}, names)
	}
	beside := parent.Parent()
	fields, _ := o.value(beside).(map[string]any)
	if beside.Last() != "properties" || slices.ContainsFunc(names, func(name string) bool { return fields[name] != nil }) {
		return nil
	}
	return o.movedTo(beside, parent, names)
}
