package explain

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file leads from a part of an expression that failed to what it read: the
// place in the request or cluster text where a field is missing, or has a type
// that does not fit.

// related are the places of the data that a part failed on.
func (x *explainer) related(n *node) []diag.Related {
	switch {
	case n.Nearest != "":
		return x.relatedField(parentOf(n), step(n.Nearest), n.Nearest+" stands here")
	case n.Missing != "":
		return x.relatedField(n, "", fmt.Sprintf("there is no %s here", n.Missing))
	case strings.HasPrefix(n.Error, "no such overload"):
		var out []diag.Related
		for _, operand := range n.children {
			if d, path, ok := x.field(operand); ok && d.Has(path) {
				out = append(out, diag.Related{Text: d.Text, Span: d.Locate(path), Path: path, Summary: "a value of the type " + operand.Type})
			}
		}
		return out
	}
	return nil
}

// relatedField is the place of a field, or of the nearest part of the text that
// is there.
func (x *explainer) relatedField(n *node, below, summary string) []diag.Related {
	d, path, ok := x.field(n)
	if !ok {
		return nil
	}
	path = strings.TrimPrefix(path+below, ".")
	if below == "" && d.Has(path) {
		summary = "it is here, but was changed or left out before the expression ran"
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
func (x *explainer) field(n *node) (d *scenario.Document, path string, ok bool) {
	root, path, ok := fieldPath(n)
	if !ok {
		return nil, "", false
	}
	d, prefix := x.document(root)
	return d, strings.TrimPrefix(prefix+path, "."), d != nil
}

// fieldPath is the path of what a part reads, below one of the variables of
// admission. Variables of macros stand for the item that decided the loop.
func fieldPath(n *node) (root, path string, ok bool) {
	switch n.Kind {
	case "variable":
		if loop := binding(n); loop != nil {
			return itemPath(loop, n.Name)
		}
		return n.Name, "", true
	case "select":
		root, path, ok = fieldPath(n.children[0])
		return root, path + step(n.Name), ok
	case "index":
		key := n.children[1]
		root, path, ok = fieldPath(n.children[0])
		return root, path + step(key.Value), ok && key.Value != nil
	}
	return "", "", false
}

// step is one step of a path, as the API server writes it.
func step(key any) string {
	if name, ok := key.(string); ok && identifier.MatchString(name) {
		return "." + name
	}
	return fmt.Sprintf("[%v]", key)
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
func itemPath(loop *node, name string) (root, path string, ok bool) {
	over := loop.children[0]
	if root, path, ok = fieldPath(over); !ok {
		return "", "", false
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
		return "", "", false // it is a key or an index
	}
	if over.Type != "map" {
		return root, path + step(*loop.Decided), true
	}
	for i, at := range keys.At {
		if at[len(at)-1] == *loop.Decided {
			return root, path + step(keys.Values[i]), true
		}
	}
	return root, path + step(keys.Value), keys.Count == 0 && keys.Value != nil
}

// document is where the value of a variable of admission stands.
func (x *explainer) document(variable string) (d *scenario.Document, prefix string) {
	request := x.report.Request
	switch {
	case request == nil:
		return nil, ""
	case variable == "params" && x.step != nil && x.step.Param != "":
		return x.named(x.step.Param, func(kind string) bool { return kind != "Namespace" }), ""
	case variable == "namespaceObject":
		return x.named(request.Namespace, func(kind string) bool { return kind == "Namespace" }), ""
	case variable != "object" && variable != "oldObject":
		return nil, ""
	}
	docs := x.texts.parsed(diag.Request)
	if len(docs) == 0 {
		return nil, ""
	}
	switch request.Form {
	case "AdmissionReview":
		return docs[0], "request." + variable
	case "AdmissionRequest":
		return docs[0], variable
	}
	if variable == "object" {
		return docs[0], ""
	}
	return nil, ""
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
