package expressions

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
)

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
	for i, name := range d.undeclaredRoots() {
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

// unknownOfSelf are the fields of self and oldSelf that the schema does not have, by the tokens of
// their names.
func (d *draft) unknownOfSelf() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := range d.List {
			if d.self == nil || !d.Is(i, "self") && !d.Is(i, "oldSelf") || d.Is(i-1, ".") || !d.Is(i+1, ".") || !d.IsWord(i+2) {
				continue
			}
			name := d.List[i+2].Text
			if _, ok := d.self.Properties[name]; !ok && d.messages("undefined field '"+name+"'") && !yield(i+2, name) {
				return
			}
		}
	}
}

// selfBelow reads a field of self where the schema has it: below another one.
func selfBelow(d *draft) string {
	for i, name := range d.unknownOfSelf() {
		var within []string
		for property, node := range d.self.Properties {
			if _, ok := node.Properties[name]; ok {
				within = append(within, property)
			}
		}
		if slices.Contains(within, "spec") {
			within = []string{"spec"}
		}
		if len(within) > 0 {
			return d.with(edit{d.start(i), d.start(i), slices.Min(within) + "."})
		}
	}
	return d.text
}

// selfOld reads self.oldSelf.field as oldSelf.field.
func selfOld(d *draft) string {
	for i, name := range d.unknownOfSelf() {
		if selfNames[name] == "oldSelf" && d.Is(i+1, ".") {
			return d.with(edit{d.start(i - 2), d.end(i), "oldSelf"})
		}
	}
	return d.text
}

// selfAgain leaves out the name of what self is.
func selfAgain(d *draft) string {
	for i, name := range d.unknownOfSelf() {
		if slices.Contains(d.selfPath, name) && d.Is(i+1, ".") {
			return d.with(edit{d.start(i), d.end(i + 1), ""})
		}
	}
	return d.text
}

// selfSpelt spells a field of self as the schema does.
func selfSpelt(d *draft) string {
	for i, name := range d.unknownOfSelf() {
		names := slices.Sorted(maps.Keys(d.self.Properties))
		best, near := suggest.Of(names, name)
		if !near {
			best, near = suggest.Word(names, name)
		}
		if near {
			return d.with(edit{d.start(i), d.end(i), best})
		}
	}
	return d.text
}

// eachItself asks an item what a rule asks all items of the list for: a rule below items belongs to
// each of them.
func eachItself(d *draft) string {
	if !d.item || !d.messages("cannot be range of a comprehension") {
		return d.text
	}
	for i := range d.List {
		from, variable, body, ok := d.macro(i)
		if !ok || !d.Is(i, "all") || from != i-2 || !d.Is(from, "self") {
			continue
		}
		open, _, _ := d.call(i)
		text := d.inPlaceOf(variable, "self", body)
		if from > 0 || d.Partner[open] < len(d.List)-1 {
			text = "(" + text + ")"
		}
		return d.with(edit{d.start(from), d.end(d.Partner[open]), text})
	}
	return d.text
}

// oldSelfThere takes a test of oldSelf for null away: a rule that reads it is not run where there is none.
func oldSelfThere(d *draft) string {
	if d.self == nil || !d.messages(", null)'") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "oldSelf") || d.Is(i-1, ".") || d.Is(i-1, "!") || !d.Is(i+2, "null") {
			continue
		}
		absent, present := d.Is(i+1, "==") && d.Is(i+3, "||"), d.Is(i+1, "!=") && d.Is(i+3, "&&")
		if (absent || present) && i+4 < len(d.List) {
			return d.with(edit{d.start(i), d.start(i + 4), ""})
		}
	}
	return d.text
}

// escapedFields writes a field that is called as a word of CEL the way rules read it:
// self.namespace is self.__namespace__ where the release does not read it as it stands.
func escapedFields(d *draft) string {
	if d.self == nil {
		return d.text
	}
	return d.each(func(i int) (string, bool) {
		escaped, ok := reservedField(d.Tokens, i)
		return escaped, ok && d.ends(i-2) && (d.syntaxError() || d.messages("undefined field '"+d.List[i].Text+"'"))
	})
}

// optionalOldSelf reads the value of oldSelf where optionalOldSelf makes it an optional one,
// and lets the rule pass where there is none.
func optionalOldSelf(d *draft) string {
	if !d.optionalOld || !d.messages("optional_type") {
		return d.text
	}
	asked := false
	text := d.each(func(i int) (string, bool) {
		if !d.Is(i, "oldSelf") || d.Is(i-1, ".") {
			return "", false
		}
		if _, method, ok := d.call(i + 2); ok && method && slices.Contains([]string{"value", "hasValue", "orValue", "or", "optMap", "optFlatMap"}, d.List[i+2].Text) {
			asked = asked || d.Is(i+2, "hasValue")
			return "", false
		}
		return "oldSelf.value()", !d.Is(i+1, ".") || !d.Is(i+2, "?")
	})
	if text == d.text || asked {
		return text
	}
	return guardOldSelf(text)
}

// guardOldSelf tests oldSelf.hasValue() before the parts of a rule that read oldSelf. Where other alternatives decide
// about a new object, those that read oldSelf are false for it; all else about the old value holds for it.
func guardOldSelf(text string) string {
	tree := values.ParseText(text)
	if tree == nil {
		return "!oldSelf.hasValue() || (" + text + ")"
	}
	root, runes := tree.Root, []rune(text)
	reads := func(n *values.Node) bool { return strings.Contains(string(runes[n.Start:n.End]), "oldSelf") }
	parts := []*values.Node{root}
	if root.Kind == values.Logical {
		parts = root.Children
	}
	own := slices.ContainsFunc(parts, func(n *values.Node) bool { return !reads(n) })
	switch {
	case root.Kind != values.Logical && root.Kind != values.Ternary:
		return "!oldSelf.hasValue() || " + text
	case !own || root.Kind == values.Ternary:
		return "!oldSelf.hasValue() || (" + text + ")"
	}
	for _, n := range slices.Backward(parts) {
		if !reads(n) {
			continue
		}
		part := string(runes[n.Start:n.End])
		if (n.Kind == values.Logical || n.Kind == values.Ternary) && (part[0] != '(' || part[len(part)-1] != ')') {
			part = "(" + part + ")"
		}
		if root.Name == "_||_" {
			part = "oldSelf.hasValue() && " + part
		} else {
			part = "(!oldSelf.hasValue() || " + part + ")"
		}
		runes = slices.Concat(runes[:n.Start], []rune(part), runes[n.End:])
	}
	return string(runes)
}
