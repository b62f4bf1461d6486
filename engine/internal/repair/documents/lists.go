package documents

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// splitItem joins two items of a list that were one before a dash too many: the first has only
// a name, or an expression whose message is behind the dash. Nil where it is otherwise.
func (m Document) splitItem(path fieldpath.Path) []diag.Fix {
	item := path.Parent()
	if len(item) < 2 || !item[len(item)-1].IsIndex() {
		return nil
	}
	list := item.Parent()
	items, _ := m.value(list.String()).([]any)
	for i := 1; i < len(items); i++ {
		named, _ := items[i-1].(map[string]any)
		rest, _ := items[i].(map[string]any)
		here := list.Index(i).String() == item.String() || list.Index(i-1).String() == item.String()
		first, second := "name", "expression"
		if list.Last() == "validations" {
			first, second = "expression", "message"
		}
		if !here || named[first] == nil || rest[first] != nil || rest[second] == nil || named[second] != nil || len(named) != 1 {
			continue
		}
		start := m.Locate(list.Index(i).String()).Start
		source := m.Source()
		dash := strings.LastIndexByte(source[:start], '-')
		if dash < 0 || strings.TrimSpace(source[dash+1:start]) != "" || strings.Contains(source[dash:start], "\n") {
			return nil
		}
		return []diag.Fix{{Title: "Remove the dash between " + first + " and " + second, Edits: []diag.Edit{{
			Text: m.Document.Text, Span: diag.Span{Start: dash, End: dash + 1}, New: " ",
		}}}}
	}
	return nil
}

// annotationFields gives both fields of an audit annotation the names that they have, which are
// others than those of conditions and variables. Nil where they have them.
func (m Document) annotationFields(path fieldpath.Path) []diag.Fix {
	item := path.Parent()
	if item.Parent().Last() != "auditAnnotations" {
		return nil
	}
	var edits []Edit
	var names []string
	for _, f := range [][2]string{{"name", "key"}, {"expression", "valueExpression"}} {
		if m.Has(item.Child(f[0]).String()) && !m.Has(item.Child(f[1]).String()) {
			edits, names = append(edits, m.ToRename(item.Child(f[0]).String(), f[1])), append(names, f[1])
		}
	}
	if len(edits) == 0 || !m.Has(path.String()) || path.Last() != "name" && path.Last() != "expression" {
		return nil
	}
	return Fix("Change to "+strings.Join(names, " and "), edits...)
}

// kindInReference takes out of a paramRef what says of which kind the params are, which the
// policy says.
func (m Document) kindInReference(path fieldpath.Path) []diag.Fix {
	reference := path.Parent()
	if reference.Last() != "paramRef" {
		return nil
	}
	var edits []Edit
	var names []string
	found := false
	for _, name := range []string{"apiVersion", "apiGroup", "group", "version", "kind", "resource"} {
		if at := reference.Child(name).String(); m.Has(at) {
			edits, names, found = append(edits, m.ToRemove(at)), append(names, name), found || name == path.Last()
		}
	}
	if !found {
		return nil
	}
	return Fix("Remove "+strings.Join(names, " and "), edits...)
}
