package failures

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// allItems is a path with steps for all items of lists, as other languages of paths have them; a JSON
// pointer leads to one place.
var allItems = lazy.Regexp{Text: `^(?:(?:/[A-Za-z][A-Za-z0-9]*)+(?:/\*|/\[\*?\]|\[\*?\]))+((?:/[^/*\[\]]+)+)$`}

// anyItem is such a step.
var anyItem = lazy.Regexp{Text: `/\*|/?\[\*?\]`}

// eachItem explains a path that is meant for all items of a list, and makes the operation for each of
// them; false for other paths.
func (x *explainer) eachItem(e *report.Evaluation, root *node, document string) bool {
	s := x.texts.source(e.Text, e.Path, e.Span)
	at := x.operationAt(e, root)
	path, _ := at.Value.(string)
	if !allItems.MatchString(path) || at.Kind != "literal" || s == nil || string(s.Runes) != e.Expression {
		return false
	}
	d := x.at(e, at, codes.PatchOperation, fmt.Sprintf("%q is not a JSON pointer", path), document)
	d.Detail = "A JSON pointer (RFC 6901) names one place. To create an operation for each item of a list, use transformList()."
	if f, ok := forEachItem(s, at, strings.Split(anyItem.ReplaceAllString(path, "*"), "*")); ok {
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

// forEachItem makes the operation with that path for each item of a list, or of the lists in the items of another
// one: a part of the sum of a patch that it is an item of. steps are the paths to the lists, and the one below.
func forEachItem(s *rewrite.Source, at *node, steps []string) (diag.Fix, bool) {
	operation := at.parent
	patch := operation.parent
	if patch == nil || patch.Kind != "list" {
		return diag.Fix{}, false
	}
	text := func(from, to int) string { return string(s.Runes[from:to]) }
	lists, below := steps[:len(steps)-1], steps[len(steps)-1]
	last := len(lists) - 1
	variables := func(level int) (index, item string) {
		if level == 0 {
			return "i", "item"
		}
		return string(rune('i' + level)), "item" + strconv.Itoa(level+1)
	}
	pointer := ""
	for level, list := range lists {
		index, _ := variables(level)
		pointer += literal(list+"/") + " + string(" + index + ") + "
	}
	made := text(operation.Start, at.Start) + pointer + literal(below) + text(at.End, operation.End)
	for level := last; level >= 0; level-- {
		of := "object"
		if level > 0 {
			_, of = variables(level - 1)
		}
		index, item := variables(level)
		guard := ""
		if level < last {
			guard = presence(item, strings.Split(lists[level+1][1:], "/")) + ", "
		} else if slices.ContainsFunc(operation.children, func(n *node) bool { return n.Kind == "literal" && n.Value == "remove" }) {
			guard = presence(item, strings.Split(below[1:], "/")) + ", "
		}
		made = fmt.Sprintf("%s%s.transformList(%s, %s, %s%s)", of, strings.ReplaceAll(lists[level], "/", "."), index, item, guard, made)
		if level < last {
			made += ".flatten()"
		}
	}
	title := "Create the operation for each item of object" + strings.ReplaceAll(lists[0], "/", ".")
	if len(patch.children) == 1 {
		return s.Fix(title, rewrite.Replace(patch.Start, patch.End, made)), true
	}
	if next := operation.index + 1; next < len(patch.children) {
		if operation.index > 0 {
			return diag.Fix{}, false // between others, whose order may matter
		}
		return s.Fix(title, rewrite.Replace(patch.Start, patch.children[next].Start, made+" + [")), true
	}
	before := patch.children[operation.index-1]
	return s.Fix(title, rewrite.Replace(before.End, patch.End, "] + "+made)), true
}
