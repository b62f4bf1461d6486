package expressions

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Definition adds repairs to a problem of a CustomResourceDefinition, which is at a path
// of its document; plain is the text that it is in. decoded is nil where the server
// cannot decode the document.
func (r *Repairer) Definition(d *diag.Diagnostic, doc *scenario.Document, plain, path string, decoded *crd.Definition, v version.Version) {
	steps := fieldpath.Parse(path)
	last := steps.Last()
	required, unsupported := strings.HasPrefix(d.Summary, "Required value"), strings.HasPrefix(d.Summary, "Unsupported value")
	switch {
	case decoded == nil:
		d.Fixes = requiredProperties(doc)
	case explained(d, doc, steps, required):
	case path == "metadata.name":
		d.Fixes = definitionName(doc, decoded)
	case strings.HasPrefix(path, "spec.names.") && strings.Contains(d.Summary, "DNS-1035"):
		value, _ := steps.Get(doc.Value)
		name, _ := value.(string)
		if name = strings.ToLower(strings.NewReplacer(" ", "", "_", "", ".", "").Replace(name)); name != "" {
			d.Fixes = written(doc, path, name)
		}
	case len(steps) > 0 && last == "name" && !doc.Has(path):
		d.Fixes = requiredField(doc, steps)
	case last == "default" && strings.Contains(d.Summary, "must be of type"):
		d.Fixes = typedDefault(doc, steps)
	case last == "type" && unsupported:
		value, _ := steps.Get(doc.Value)
		word, _ := value.(string)
		if word = schemaTypes[strings.ToLower(word)]; word != "" {
			d.Fixes = written(doc, path, word)
		}
	case unsupported:
		d.Fixes = supported(doc, path, d.Summary)
	case last == "message" && strings.Contains(d.Summary, "must not contain line breaks"):
		value, _ := steps.Get(doc.Value)
		text, _ := value.(string)
		d.Fixes = onOneLine(doc, path, text)
	case last == "fieldPath" && strings.Contains(d.Summary, "must be a valid path"):
		d.Fixes = relativePath(doc, steps)
	case structural(d.Summary):
		d.Fixes, d.Detail = ofBranches(doc, steps), structuralDetail
	case last == "type" && required:
		if d.Fixes = ofBranches(doc, steps); d.Fixes != nil {
			d.Detail = structuralDetail
		} else {
			d.Fixes = missingType(doc, steps)
		}
	case strings.Contains(d.Summary, "must be atomic as item of a list with x-kubernetes-list-type=set"):
		atomicItems(d, doc, steps.Parent())
	case required && last == "x-kubernetes-list-map-keys":
		d.Fixes = listMapKeys(doc, steps)
	case path == "spec.conversion.strategy" || strings.HasPrefix(path, "spec.conversion.webhook") && strings.Contains(d.Summary, "strategy is not set to Webhook"):
		d.Fixes, d.Detail = conversionStrategy(doc), "strategy is None or Webhook, and only Webhook takes a webhook."
	case required:
		d.Fixes = requiredField(doc, steps)
	case strings.Contains(d.Summary, "must not specify anything other than name and generateName"):
		restrictedMetadata(d, doc, path)
	case last == "additionalProperties" && strings.Contains(d.Summary, "mutual exclusive"):
		d.Fixes = closedObject(doc, path)
	case strings.Contains(d.Summary, "stored version") || strings.Contains(d.Summary, "marked as storage version"):
		d.Fixes = storedVersion(doc, decoded)
	case strings.Contains(d.Summary, "uncorrelatable portion of the schema"):
		uncorrelated(d, doc, steps)
	case strings.Contains(d.Summary, "estimated") && strings.Contains(d.Summary, "exceeds budget"):
		if !r.rewritten(d, doc, plain, steps, v) {
			r.sizes(d, doc, steps, v)
		}
	}
}

// restrictedMetadata marks what a schema says about metadata besides names, and takes it away.
func restrictedMetadata(d *diag.Diagnostic, doc *scenario.Document, path string) {
	d.Detail = "The server validates metadata itself. A schema can only restrict name and generateName, and rules see only these. A ValidatingAdmissionPolicy can check labels and annotations."
	properties := fieldpath.Parse(path).Child("properties")
	fields := fieldpath.As[map[string]any](properties.Get(doc.Value))
	var others []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "name" && name != "generateName" {
			others = append(others, name)
		}
	}
	if len(others) == 0 {
		return
	}
	d.Span = doc.LocateKey(properties.Key(others[0]).String())
	f := diag.Fix{Title: "Remove " + strings.Join(others, ", ") + " from the schema"}
	if len(others) == len(fields) {
		edit, ok := doc.Remove(properties.String())
		if !ok {
			return
		}
		f.Edits = []diag.Edit{edit}
	} else {
		for _, name := range others {
			edit, ok := doc.Remove(properties.Key(name).String())
			if !ok {
				return
			}
			f.Edits = append(f.Edits, edit)
		}
	}
	d.Fixes = []diag.Fix{f}
}

// onOneLine writes a message on one line, which the server wants it on.
func onOneLine(doc *scenario.Document, path, text string) []diag.Fix {
	edit, ok := doc.Rewrite(path, scenario.Quoted(strings.Join(strings.Fields(text), " ")))
	return diag.OneEdit("Write it on one line", edit, ok)
}

// definitionName makes the name of a definition that of its resource and group. Where the group
// is written as the whole name, it is the group that is wrong, and where the resource is written
// in capitals, the resource, which has a problem of its own.
func definitionName(doc *scenario.Document, decoded *crd.Definition) []diag.Fix {
	plural, group := decoded.Spec.Names.Plural, decoded.Spec.Group
	if rest, ok := strings.CutPrefix(doc.Name, plural+"."); ok && group == doc.Name {
		return written(doc, "spec.group", rest)
	}
	if plural == "" || group == "" || doc.Name == strings.ToLower(plural)+"."+group {
		return nil
	}
	return written(doc, "metadata.name", plural+"."+group)
}

// relativePath writes the path of a field as a rule has it, from the value that the rule
// belongs to: .retention for spec.retention in a rule of spec.
func relativePath(doc *scenario.Document, path fieldpath.Path) []diag.Fix {
	text := fieldpath.As[string](path.Get(doc.Value))
	if rest, ok := strings.CutPrefix(text, "."+strings.Join(propertyNames(path), ".")+"."); ok {
		return written(doc, path.String(), "."+rest) // from the root of the object
	}
	if text == "" || strings.HasPrefix(text, ".") {
		return nil
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "$"), "self")
	for _, step := range path {
		text = strings.TrimPrefix(text, step.Name()+".")
	}
	return written(doc, path.String(), "."+strings.TrimPrefix(text, "."))
}

// supported writes the allowed value that a value looks like, of those that the server lists.
func supported(doc *scenario.Document, path, summary string) []diag.Fix {
	got := fieldpath.As[string](fieldpath.Parse(path).Get(doc.Value))
	if got == "" {
		return nil
	}
	if best := suggest.Supported(summary, got); best != "" {
		return written(doc, path, best)
	}
	// The reasons of rules have the field in their names: FieldValueInvalid.
	for _, m := range quotedValue.FindAllStringSubmatch(summary, -1) {
		if m[1] != got && len(got) > 4 && strings.HasSuffix(strings.ToLower(m[1]), strings.ToLower(got)) {
			return written(doc, path, m[1])
		}
	}
	return nil
}

var quotedValue = lazy.Regexp{Text: `"([^"]*)"`}

// propertyNames are the names of the properties that lead to a node of a schema.
func propertyNames(path fieldpath.Path) []string {
	var names []string
	for i := 1; i < len(path); i++ {
		if path[i-1].Name() == "properties" {
			names = append(names, path[i].Name())
		}
	}
	return names
}

// listMapKeys names the key of a list whose items are found by it: the field name, or the only
// one that all items must have.
func listMapKeys(doc *scenario.Document, path fieldpath.Path) []diag.Fix {
	items := fieldpath.As[map[string]any](path.Parent().Child("items").Get(doc.Value))
	required, _ := items["required"].([]any)
	key := ""
	for _, name := range required {
		if text, _ := name.(string); text == "name" || len(required) == 1 {
			key = text
		}
	}
	if key == "" {
		return nil
	}
	edit, ok := doc.Insert(path.Parent().String(), path.Last(), "["+key+"]")
	return diag.OneEdit("Add "+path.Last()+": ["+key+"]", edit, ok)
}

// atomicItems explains a set of objects, and makes its items atomic, or the list a map by the fields that items must have.
func atomicItems(d *diag.Diagnostic, doc *scenario.Document, items fieldpath.Path) {
	d.Detail = "The items of a set are compared as a whole, so no part of an item can be merged. Say that they are atomic, or identify them by a field."
	whole, _ := objecttext.In(doc, "")
	d.Fixes = whole.Fix("Add x-kubernetes-map-type: atomic to the items", func(object map[string]any) { items.Child("x-kubernetes-map-type").Set(object, "atomic") })
	node := fieldpath.As[map[string]any](items.Get(doc.Value))
	if keys, _ := node["required"].([]any); len(keys) == 1 {
		d.Fixes = append(d.Fixes, whole.Fix(fmt.Sprintf("Identify the items by %v: x-kubernetes-list-type: map", keys[0]), func(object map[string]any) {
			items.Parent().Child("x-kubernetes-list-type").Set(object, "map")
			items.Parent().Child("x-kubernetes-list-map-keys").Set(object, keys)
		})...)
	}
}

// uncorrelated explains a rule with oldSelf below the items of a list that is no map, and makes the list one.
func uncorrelated(d *diag.Diagnostic, doc *scenario.Document, rule fieldpath.Path) {
	items := rule.Parent()
	for list := rule.Parent(); len(list) > 0; list = list.Parent() {
		if kind, _ := list.Parent().Child("x-kubernetes-list-type").Get(doc.Value); list.Last() == "items" && kind != "map" {
			items = list
		}
	}
	if items.Last() != "items" {
		return
	}
	name := items.Parent().Last()
	d.Detail = "The server cannot tell which old item of " + name + " belongs to which new one. It can where x-kubernetes-list-type is map, and x-kubernetes-list-map-keys name the fields that identify an item."
	node := fieldpath.As[map[string]any](items.Get(doc.Value))
	required, _ := node["required"].([]any)
	if !slices.Contains(required, any("name")) {
		return
	}
	whole, _ := objecttext.In(doc, "")
	d.Fixes = whole.Fix("Identify the items by name: x-kubernetes-list-type: map", func(object map[string]any) {
		items.Parent().Child("x-kubernetes-list-type").Set(object, "map")
		items.Parent().Child("x-kubernetes-list-map-keys").Set(object, []any{"name"})
	})
}

// closedObject takes additionalProperties: false away, which other schemas have: an object with
// properties has no others here.
func closedObject(doc *scenario.Document, path string) []diag.Fix {
	value, _ := fieldpath.Parse(path).Get(doc.Value)
	if closed, ok := value.(bool); !ok || closed {
		return nil
	}
	edit, ok := doc.Remove(path)
	return diag.OneEdit("Remove additionalProperties: false", edit, ok)
}

// blockSign begins a text of several lines.
var blockSign = lazy.Regexp{Text: `^:[ \t]*[|>][0-9+-]*[ \t]*\r?\n`}

// textOfSchema makes a mapping of the lines that a sign of YAML makes one text of.
func textOfSchema(doc *scenario.Document, path fieldpath.Path, text string) []diag.Fix {
	docs, problems := scenario.ParseDocuments(diag.Cluster, text)
	if len(docs) != 1 || len(problems) > 0 && docs[0].Value == nil {
		return nil
	}
	after := doc.LocateKey(path.String()).End
	sign := blockSign.FindString(doc.Source()[after:])
	if sign == "" {
		return nil
	}
	end := after + len(strings.TrimRight(sign, "\r\n"))
	return []diag.Fix{{Title: "Write it as a mapping, without " + strings.TrimSpace(sign[1:]), Edits: []diag.Edit{{
		Text: doc.Text, Span: diag.Span{Start: after + 1, End: end},
	}}}}
}

// otherNames are the names that fields of definitions have elsewhere.
var otherNames = map[string][]string{
	"rule": {"expression", "cel", "validation", "condition"}, "openAPIV3Schema": {"openapi", "openAPISchema", "schema", "openAPI"}, "schema": {"validation"}, "plural": {"resource", "name"}, "kind": {"Kind"},
	"name": {"version"},
}

// requiredField returns a field that is missing the name that it must have where it is there
// under another one, or its usual value.
func requiredField(doc *scenario.Document, path fieldpath.Path) []diag.Fix {
	parent := path.Parent()
	if len(parent) > 1 && !doc.Has(parent.String()) && otherNames[parent.Last()] != nil {
		return requiredField(doc, parent) // what is around it is missing, or has another name
	}
	object := fieldpath.As[map[string]any](parent.Get(doc.Value))
	name := path.Last()
	for _, key := range slices.Sorted(maps.Keys(object)) {
		_, near := suggest.Of([]string{name}, key)
		if key == name || !near && !slices.Contains(otherNames[name], key) {
			continue
		}
		if edit, ok := doc.Rename(parent.Child(key).String(), name); ok {
			return []diag.Fix{{Title: "Change to " + name, Edits: []diag.Edit{edit}}}
		}
	}
	if name == "items" && object["type"] == "array" {
		if edit, ok := doc.Insert(parent.String(), "items", "{type: string}"); ok {
			return []diag.Fix{{Title: "Add items: {type: string}", Edits: []diag.Edit{edit}}}
		}
	}
	return nil
}

// storedVersion stores the last version where none is said to be stored.
func storedVersion(doc *scenario.Document, decoded *crd.Definition) []diag.Fix {
	n := len(decoded.Spec.Versions)
	if n == 0 || slices.ContainsFunc(decoded.Spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool { return v.Storage }) {
		return nil
	}
	edit, ok := doc.Put(fieldpath.New("spec", "versions").Index(n-1).String(), "storage", "true")
	return diag.OneEdit("Add storage: true", edit, ok)
}

// schemaTypes are the types of schemas by the names that they have elsewhere.
var schemaTypes = map[string]string{
	"int": "integer", "int32": "integer", "int64": "integer", "long": "integer", "uint": "integer", "bool": "boolean", "float": "number", "double": "number", "decimal": "number",
	"map": "object", "dict": "object", "struct": "object", "list": "array", "slice": "array", "str": "string", "text": "string", "integer": "integer", "string": "string", "boolean": "boolean",
	"object": "object", "array": "array", "number": "number",
}

// NamedSchema writes the schema of a property that is only the name of a type: {type: string}
// for string, and {type: array, items: {type: string}} for string[] and []string.
func NamedSchema(doc *scenario.Document, path fieldpath.Path) []diag.Fix {
	text := fieldpath.As[string](path.Get(doc.Value))
	if strings.Contains(text, "\n") {
		return textOfSchema(doc, path, text)
	}
	word := strings.ToLower(strings.TrimSpace(text))
	item := strings.TrimSuffix(strings.TrimPrefix(word, "[]"), "[]")
	kind := schemaTypes[item]
	switch {
	case kind == "" || kind == "object" || kind == "array":
		return nil // what is in it is not said
	case item != word:
		return written(doc, path.String(), "{type: array, items: {type: "+kind+"}}")
	}
	return written(doc, path.String(), "{type: "+kind+"}")
}

// conversionStrategy writes the strategy that a conversion with a webhook has, or takes the webhook away.
func conversionStrategy(doc *scenario.Document) []diag.Fix {
	const conversion = "spec.conversion"
	if !doc.Has(conversion + ".webhook") {
		edit, ok := doc.Put(conversion, "strategy", "None")
		return diag.OneEdit("Set strategy: None", edit, ok)
	}
	var fixes []diag.Fix
	if edit, ok := doc.Put(conversion, "strategy", "Webhook"); ok {
		fixes = append(fixes, diag.Fix{Title: "Set strategy: Webhook", Edits: []diag.Edit{edit}})
	}
	gone := conversion // without any, the strategy is None
	if doc.Has(conversion + ".strategy") {
		gone += ".webhook"
	}
	if edit, ok := doc.Remove(gone); ok {
		fixes = append(fixes, diag.Fix{Title: "Remove the webhook", Edits: []diag.Edit{edit}})
	}
	return fixes
}

// typedDefault writes a default without its quotes, or in quotes, as the type of its
// property wants it.
func typedDefault(doc *scenario.Document, path fieldpath.Path) []diag.Fix {
	value, _ := path.Get(doc.Value)
	kind, _ := path.Parent().Child("type").Get(doc.Value)
	text, isText := value.(string)
	switch {
	case kind == "string" && !isText && value != nil:
		if scalar, ok := doc.Scalar(path.String()); ok {
			return written(doc, path.String(), strconv.Quote(scalar.Text))
		}
	case kind == "boolean" && isText && (text == "true" || text == "false"):
		return written(doc, path.String(), text)
	case kind == "integer" && isText:
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			return written(doc, path.String(), text)
		}
	case kind == "number" && isText:
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			return written(doc, path.String(), text)
		}
	}
	return nil
}

func written(doc *scenario.Document, path, value string) []diag.Fix {
	edit, ok := doc.Rewrite(path, value)
	return diag.OneEdit("Change to "+value, edit, ok)
}

// missingType gives a node of a schema the type that its other fields are for.
func missingType(doc *scenario.Document, path fieldpath.Path) []diag.Fix {
	parent := path.Parent()
	node := fieldpath.As[map[string]any](parent.Get(doc.Value))
	kind := ""
	for _, of := range []struct{ field, kind string }{{"properties", "object"}, {"additionalProperties", "object"}, {"x-kubernetes-preserve-unknown-fields", "object"},
		{"items", "array"}, {"maxItems", "array"}, {"minimum", "integer"}, {"maximum", "integer"}, {"enum", "string"}, {"pattern", "string"}, {"format", "string"},
		{"maxLength", "string"}, {"minLength", "string"}} {
		if node[of.field] != nil {
			kind = of.kind
			break
		}
	}
	if kind != "" {
		edit, ok := doc.Insert(parent.String(), "type", kind)
		return diag.OneEdit("Add type: "+kind, edit, ok)
	}
	// Nothing says what its values are. Objects that exist stay valid only if all are allowed.
	var fixes []diag.Fix
	for _, field := range []struct{ name, value string }{{preserve, "true"}, {"type", "string"}, {"type", "integer"}, {"type", "object"}} {
		if edit, ok := doc.Insert(parent.String(), field.name, field.value); ok {
			fixes = append(fixes, diag.Fix{Title: "Add " + field.name + ": " + field.value, Edits: []diag.Edit{edit}, Choice: true})
		}
	}
	return fixes
}

// requiredProperties moves `required: true` of properties, as older schemas have it, into
// the list of the objects that the properties belong to.
func requiredProperties(doc *scenario.Document) []diag.Fix {
	var edits []diag.Edit
	ok := true
	var walk func(path fieldpath.Path, value any)
	walk = func(path fieldpath.Path, value any) {
		node, _ := value.(map[string]any)
		properties, _ := node["properties"].(map[string]any)
		var names []string
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if property, _ := properties[name].(map[string]any); property != nil {
				at := path.Child("properties").Child(name)
				if is, flag := property["required"].(bool); flag {
					e, made := doc.Remove(at.Child("required").String())
					if edits, ok = append(edits, e), ok && made; is {
						names = append(names, name)
					}
				}
				walk(at, property)
			}
		}
		if items := node["items"]; items != nil {
			walk(path.Child("items"), items)
		}
		if len(names) > 0 {
			e, made := doc.Insert(path.String(), "required", "["+strings.Join(names, ", ")+"]")
			edits, ok = append(edits, e), ok && made && node["required"] == nil
		}
	}
	list := fieldpath.As[[]any](fieldpath.Parse("spec.versions").Get(doc.Value))
	for i := range list {
		at := fieldpath.Parse("spec.versions").Index(i).Child("schema").Child("openAPIV3Schema")
		value, _ := at.Get(doc.Value)
		walk(at, value)
	}
	if len(edits) == 0 || !ok {
		return nil
	}
	return []diag.Fix{{Title: "List the required fields in the parent object", Edits: edits}}
}
