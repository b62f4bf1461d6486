package failures

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// allItems is a path with a step for all items of a list, as other languages of paths have it; a JSON
// pointer leads to one place.
var allItems = lazy.Regexp{Text: `^((?:/[A-Za-z][A-Za-z0-9]*)+)(?:/\*|/\[\*?\]|\[\*?\])((?:/[^/*\[\]]+)+)$`}

// eachItem explains a path that is meant for all items of a list, and makes the operation for each of
// them; false for other paths.
func (x *explainer) eachItem(e *report.Evaluation, root *node, document string) bool {
	s := x.texts.source(e.Text, e.Path, e.Span)
	at := x.operationAt(e, root)
	path, _ := at.Value.(string)
	m := allItems.FindStringSubmatch(path)
	if m == nil || at.Kind != "literal" || s == nil || string(s.Runes) != e.Expression {
		return false
	}
	d := x.at(e, at, codes.PatchOperation, fmt.Sprintf("%q is not a JSON pointer", path), document)
	d.Detail = "A JSON pointer (RFC 6901) names one place. To create an operation for each item of a list, use transformList()."
	if f, ok := forEachItem(s, at, m[1], m[2]); ok {
		d.Fixes = []diag.Fix{f}
	}
	x.add(d)
	return true
}

// itemByName writes the index of an item where a path has the name of it, which map() gives the
// operation: "/spec/containers/" + c.name.
func itemByName(s *rewrite.Source, at *node) (diag.Fix, bool) {
	macro := at.parent
	for macro != nil && (macro.Kind != "macro" || macro.Name != "map" || len(macro.children) != 3) {
		macro = macro.parent
	}
	if macro == nil || at.Kind != "call" {
		return diag.Fix{}, false
	}
	list, item := macro.children[0], macro.children[1]
	name, index := string(s.Runes[item.Start:item.End]), "i"
	if name == index {
		index = "index"
	}
	changes := []rewrite.Change{
		rewrite.Replace(list.End, item.Start, ".transformList("+index+", "),
	}
	found := false
	at.walk(func(n *node) {
		if n.Kind == "select" && n.Name == "name" && string(s.Runes[n.Start:n.End]) == name+".name" {
			changes, found = append(changes, rewrite.Replace(n.Start, n.End, "string("+index+")")), true
		}
	})
	return s.Fix("Write the item's index", changes...), found
}

// forEachItem makes the operation with that path for each item of a list: a part of the sum of a patch
// that it is an item of.
func forEachItem(s *rewrite.Source, at *node, list, below string) (diag.Fix, bool) {
	operation := at.parent
	patch := operation.parent
	if patch == nil || patch.Kind != "list" {
		return diag.Fix{}, false
	}
	of := "object" + strings.ReplaceAll(list, "/", ".")
	text := func(from, to int) string { return string(s.Runes[from:to]) }
	made := fmt.Sprintf("%s.transformList(i, item, %s%s + string(i) + %s%s)", of, text(operation.Start, at.Start), literal(list+"/"), literal(below), text(at.End, operation.End))
	title := "Create the operation for each item of " + of
	if len(patch.children) == 1 {
		return s.Fix(title, rewrite.Replace(patch.Start, patch.End, made)), true
	}
	if next := operation.index + 1; next < len(patch.children) {
		if operation.index > 0 {
			return diag.Fix{}, false // between others, whose order may matter
		}
		return s.Fix(title, rewrite.Replace(patch.Start, patch.children[next].Start, made+" + [")), true
	}
	last := patch.children[operation.index-1]
	return s.Fix(title, rewrite.Replace(last.End, patch.End, "] + "+made)), true
}
