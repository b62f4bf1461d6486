package repair

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/policy/model"
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
	switch last := steps.Last(); {
	case decoded == nil:
		d.Fixes = requiredProperties(doc)
	case path == "metadata.name":
		if spec := decoded.Spec; spec.Names.Plural != "" && spec.Group != "" {
			d.Fixes = written(doc, path, spec.Names.Plural+"."+spec.Group)
		}
	case last == "type" && strings.HasPrefix(d.Summary, "Unsupported value"):
		value, _ := steps.Get(doc.Value)
		word, _ := value.(string)
		if word = schemaTypes[strings.ToLower(word)]; word != "" {
			d.Fixes = written(doc, path, word)
		}
	case last == "type" && strings.HasPrefix(d.Summary, "Required value"):
		d.Fixes = missingType(doc, steps)
	case (last == "rule" || last == "messageExpression") && strings.Contains(d.Summary, "compil"):
		r.rule(d, doc, plain, steps, decoded, v)
	}
}

// schemaTypes are the types of schemas by the names that they have elsewhere.
var schemaTypes = map[string]string{
	"int": "integer", "int32": "integer", "int64": "integer", "long": "integer", "uint": "integer", "bool": "boolean", "float": "number", "double": "number", "decimal": "number",
	"map": "object", "dict": "object", "struct": "object", "list": "array", "slice": "array", "str": "string", "text": "string", "integer": "integer", "string": "string", "boolean": "boolean",
	"object": "object", "array": "array", "number": "number",
}

// written changes a value.
func written(doc *scenario.Document, path, value string) []diag.Fix {
	edit, ok := doc.Rewrite(path, value)
	if !ok {
		return nil
	}
	return []diag.Fix{{Title: "Change to " + value, Edits: []diag.Edit{edit}}}
}

// missingType gives a node of a schema the type that its other fields are for.
func missingType(doc *scenario.Document, path fieldpath.Path) []diag.Fix {
	parent := path.Parent()
	value, _ := parent.Get(doc.Value)
	node, _ := value.(map[string]any)
	kind := "string"
	for _, of := range []struct{ field, kind string }{{"properties", "object"}, {"additionalProperties", "object"}, {"x-kubernetes-preserve-unknown-fields", "object"},
		{"items", "array"}, {"maxItems", "array"}, {"minimum", "integer"}, {"maximum", "integer"}} {
		if node[of.field] != nil {
			kind = of.kind
			break
		}
	}
	edit, ok := doc.Insert(parent.String(), "type", kind)
	if !ok {
		return nil
	}
	return []diag.Fix{{Title: "Add type: " + kind, Edits: []diag.Edit{edit}}}
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
	versions, _ := fieldpath.Parse("spec.versions").Get(doc.Value)
	list, _ := versions.([]any)
	for i := range list {
		at := fieldpath.Parse("spec.versions").Index(i).Child("schema").Child("openAPIV3Schema")
		value, _ := at.Get(doc.Value)
		walk(at, value)
	}
	if len(edits) == 0 || !ok {
		return nil
	}
	return []diag.Fix{{Title: "List what is required in the object around it", Edits: edits}}
}

// schemaNode is the node of a schema that a path leads to, and the names of the
// properties on the way; nil where there is none.
func schemaNode(path fieldpath.Path, d *crd.Definition) (node *apiextensions.JSONSchemaProps, names []string) {
	number := -1
	for i, step := range path {
		if step.IsIndex() && number < 0 {
			number = i
		}
		if step.Name() != "openAPIV3Schema" {
			continue
		}
		node = versionSchema(d, path, number)
		for i++; i < len(path) && node != nil; i++ {
			switch path[i].Name() {
			case "properties":
				i++
				if i >= len(path) {
					return nil, nil
				}
				property, ok := node.Properties[path[i].Name()]
				if !ok {
					return nil, nil
				}
				node, names = &property, append(names, path[i].Name())
			case "items":
				if node.Items == nil {
					return nil, nil
				}
				node, names = node.Items.Schema, nil
			case "additionalProperties":
				if node.AdditionalProperties == nil {
					return nil, nil
				}
				node, names = node.AdditionalProperties.Schema, nil
			default:
				return node, names
			}
		}
		return node, names
	}
	return nil, nil
}

// versionSchema is the schema of the version whose number is the step of a path; the one
// that all versions have is kept beside them.
func versionSchema(d *crd.Definition, path fieldpath.Path, number int) *apiextensions.JSONSchemaProps {
	for i := range d.Spec.Versions {
		if number >= 0 && fieldpath.New("x").Index(i)[1] == path[number] && d.Spec.Versions[i].Schema != nil {
			return d.Spec.Versions[i].Schema.OpenAPIV3Schema
		}
	}
	if d.Spec.Validation != nil {
		return d.Spec.Validation.OpenAPIV3Schema
	}
	return nil
}

// rule repairs a rule, or the message of one, that does not compile.
func (r *Repairer) rule(d *diag.Diagnostic, doc *scenario.Document, plain string, path fieldpath.Path, decoded *crd.Definition, v version.Version) {
	props, names := schemaNode(path, decoded)
	if props == nil {
		return
	}
	node, err := schema.NewStructural(props)
	if err != nil {
		return
	}
	self := rules.SelfType(node, len(names) == 0 && strings.HasSuffix(path.Parent().Parent().Parent().String(), "openAPIV3Schema"), v)
	if self == nil {
		return
	}
	scope, err := r.Environments.RuleScope(eval.Write, self, false)
	if err != nil {
		return
	}
	place, result := model.CustomRule, eval.Condition
	if path.Last() == "messageExpression" {
		place, result = model.CustomRuleMessage, eval.Message
	}
	source := rewrite.In(doc, plain, path.String())
	if source == nil {
		return
	}
	r.Environments.Budget().Work(repairWork * len(source.Runes))
	c := &context{expression: model.Expression{Place: place, Webhook: -1}, self: node, selfPath: names,
		compile: func(text string) *eval.Compiled { return scope.CompileRule(text, result) }}
	repaired, said := c.repair(string(source.Runes))
	if repaired == "" {
		return
	}
	d.Fixes = []diag.Fix{source.Fix(title(said, repaired), source.Differences(repaired)...)}
	if d.Detail == "" {
		d.Detail = strings.Join(said, " ")
	}
}

// selfNames are the roots of rules by the names that other places of CEL have for them.
var selfNames = map[string]string{
	"object": "self", "obj": "self", "this": "self", "value": "self", "root": "self", "Self": "self", "item": "self", "resource": "self",
	"oldObject": "oldSelf", "old": "oldSelf", "oldObj": "oldSelf", "oldself": "oldSelf", "old_self": "oldSelf", "previous": "oldSelf", "oldValue": "oldSelf",
}

// selfRoots writes the roots of rules: self is the value that the rule belongs to, not
// the whole object.
func selfRoots(d *draft) string {
	if d.self == nil {
		return d.text
	}
	undeclared := d.undeclared()
	for i := range d.List {
		name, ok := undeclared[i]
		if !ok || !d.IsWord(i) || d.Is(i-1, ".") || d.Is(i+1, "(") {
			continue
		}
		name, _, _ = strings.Cut(name, ".")
		if root := selfNames[name]; root != "" {
			end := i
			for _, step := range d.selfPath {
				if d.Is(end+1, ".") && d.Is(end+2, step) {
					end += 2
				}
			}
			return d.with(edit{d.start(i), d.end(end), root})
		}
		if _, ok := d.self.Properties[name]; ok {
			return d.with(edit{d.start(i), d.start(i), "self."})
		}
		if len(d.selfPath) > 0 && name == d.selfPath[0] && d.Is(i+1, ".") {
			return d.with(edit{d.start(i), d.end(i), "self"})
		}
	}
	return d.text
}

// selfFields reads fields of self where the schema has them.
func selfFields(d *draft) string {
	if d.self == nil {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "self") && !d.Is(i, "oldSelf") || d.Is(i-1, ".") || !d.Is(i+1, ".") || !d.IsWord(i+2) {
			continue
		}
		name := d.List[i+2].Text
		if _, ok := d.self.Properties[name]; ok || !d.messages("undefined field '"+name+"'") {
			continue
		}
		var names, within []string
		for property, node := range d.self.Properties {
			names = append(names, property)
			if _, ok := node.Properties[name]; ok {
				within = append(within, property)
			}
		}
		slices.Sort(names)
		slices.Sort(within)
		at := slices.Index(d.selfPath, name)
		best, near := suggest.Of(names, name)
		switch {
		case len(within) > 0:
			if slices.Contains(within, "spec") {
				within = []string{"spec"}
			}
			return d.with(edit{d.start(i + 2), d.start(i + 2), within[0] + "."})
		case at >= 0 && d.Is(i+3, "."):
			return d.with(edit{d.start(i + 2), d.end(i + 3), ""})
		case near:
			return d.with(edit{d.start(i + 2), d.end(i + 2), best})
		}
	}
	return d.text
}
