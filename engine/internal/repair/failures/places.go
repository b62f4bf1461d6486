package failures

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file leads from a part of an expression that failed to what it read: the
// place in the request or cluster text where a field is missing, or has a type
// that does not fit.

// related are the places of the data that a part failed on.
func (x *explainer) related(n *node) []diag.Related {
	switch {
	case n.Nearest != "":
		return x.relatedField(parentOf(n), n.Nearest, n.Nearest+" is here")
	case n.Missing != "":
		return x.relatedField(n, "", fmt.Sprintf("%s is missing here", n.Missing))
	case strings.HasPrefix(n.Error, "no such overload"):
		var out []diag.Related
		for _, operand := range n.children {
			if d, at, ok := x.field(operand); ok && d.Has(at.String()) {
				path := at.String()
				out = append(out, diag.Related{Text: d.Text, Span: d.Locate(path), Path: path, Summary: "a value of the type " + operand.Type})
			}
		}
		return out
	}
	return nil
}

// relatedField is the place of a field, or of the nearest part of the text that
// is there: of what a part reads, or of the field below it that is named.
func (x *explainer) relatedField(n *node, below, summary string) []diag.Related {
	d, at, ok := x.field(n)
	if !ok {
		return nil
	}
	if below != "" {
		at = step(at, below)
	}
	path := at.String()
	if root, _ := rootOf(n); root != nil && root.Name == "namespaceObject" && x.step != nil && x.step.Webhook != "" {
		return nil // no condition of a webhook gets it, whatever the cluster has
	}
	if below == "" && d.Has(path) {
		summary = "it is here, but was changed or removed before the expression ran"
	}
	return []diag.Related{{Text: d.Text, Span: d.LocateKey(path), Path: path, Summary: summary}}
}

func parentOf(n *node) *node {
	if len(n.children) == 0 {
		return n
	}
	return n.children[0]
}

// field finds the document and the field that a part reads.
func (x *explainer) field(n *node) (d *scenario.Document, path fieldpath.Path, ok bool) {
	root, path, ok := fieldPath(n)
	if !ok {
		return nil, nil, false
	}
	d, prefix := x.document(root)
	return d, slices.Concat(prefix, path), d != nil
}

// fieldPath is the path of what a part reads, below one of the variables of
// admission. A variable of a macro is the item that decided the loop.
func fieldPath(n *node) (root string, path fieldpath.Path, ok bool) {
	switch n.Kind {
	case "variable":
		if loop := binding(n); loop != nil {
			return itemPath(loop, n.Name)
		}
		return n.Name, nil, true
	case "select":
		root, path, ok = fieldPath(n.children[0])
		return root, step(path, n.Name), ok
	case "index":
		key := n.children[1]
		root, path, ok = fieldPath(n.children[0])
		return root, step(path, key.Value), ok && key.Value != nil
	}
	return "", nil, false
}

// step is the path of a field, key or item below another. What could be a field
// is written as one: an expression does not say whether it reads a map.
func step(path fieldpath.Path, key any) fieldpath.Path {
	if name, ok := key.(string); ok && identifier.MatchString(name) {
		return path.Child(name)
	}
	return path.Key(fmt.Sprint(key))
}

// binding is the macro that declares a variable; nil for those of admission.
func binding(n *node) *node {
	for at := n; at.parent != nil; at = at.parent {
		if at.parent.Kind != "macro" || at.index == 0 {
			continue
		}
		for _, child := range at.parent.children {
			if child.Kind == "declared" && child.Name == n.Name {
				return at.parent
			}
		}
	}
	return nil
}

// itemPath is the path of the item that decided a loop; of the value that
// optMap binds, the value's own.
func itemPath(loop *node, name string) (root string, path fieldpath.Path, ok bool) {
	over := loop.children[0]
	if root, path, ok = fieldPath(over); !ok {
		return "", nil, false
	}
	if strings.HasPrefix(loop.Name, "opt") {
		return root, path, true
	}
	keys := loop.children[1]
	values := keys
	if len(loop.children) > 2 && loop.children[2].Kind == "declared" {
		values = loop.children[2]
	}
	if loop.Decided == nil || values.Name != name || over.Type == "map" && values == keys {
		return "", nil, false // it is a key or an index
	}
	if over.Type != "map" {
		return root, step(path, *loop.Decided), true
	}
	for i, at := range keys.At {
		if at[len(at)-1] == *loop.Decided {
			return root, step(path, keys.Values[i]), true
		}
	}
	return root, step(path, keys.Value), keys.Count == 0 && keys.Value != nil
}

// document is where the value of a variable of admission is written.
func (x *explainer) document(variable string) (d *scenario.Document, prefix fieldpath.Path) {
	if x.report.Rules != nil && x.step == nil {
		return x.rulesDocument(variable)
	}
	request := x.report.Request
	switch {
	case request == nil:
		return nil, nil
	case variable == "params" && x.step != nil && x.step.Param != "":
		return x.named(x.step.Param, func(kind string) bool { return kind != "Namespace" }), nil
	case variable == "namespaceObject":
		return x.named(request.Namespace, func(kind string) bool { return kind == "Namespace" }), nil
	case variable != "object" && variable != "oldObject":
		return nil, nil
	}
	docs := x.texts.parsed(diag.Request)
	if len(docs) == 0 {
		return nil, nil
	}
	switch request.Form {
	case "AdmissionReview":
		return docs[0], fieldpath.New("request", variable)
	case "AdmissionRequest":
		return docs[0], fieldpath.New(variable)
	}
	if variable == "object" {
		return docs[0], nil
	}
	return nil, nil
}

// rulesDocument is where the values are written that rules are tried on. What the rule
// sees of them begins where the rule is, which only a rule of the whole value tells.
func (x *explainer) rulesDocument(variable string) (d *scenario.Document, prefix fieldpath.Path) {
	docs := x.texts.parsed(diag.Expression)
	if len(docs) == 0 || variable != "self" && variable != "oldSelf" || !x.wholeValue {
		return nil, nil
	}
	return docs[0], fieldpath.New(variable)
}

// named finds the only object of the cluster text with a name, written as the
// report writes it: namespace/name or name.
func (x *explainer) named(name string, kinds func(string) bool) *scenario.Document {
	var found *scenario.Document
	for _, d := range x.texts.parsed(diag.Cluster) {
		metadata, _ := d.Value["metadata"].(map[string]any)
		kind, _ := d.Value["kind"].(string)
		full, _ := metadata["name"].(string)
		if namespace, _ := metadata["namespace"].(string); namespace != "" {
			full = namespace + "/" + full
		}
		if full != name || !kinds(kind) {
			continue
		}
		if found != nil {
			return nil // the report does not say of which kind it is
		}
		found = d
	}
	return found
}
