package typecheck

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// patchFix makes a JSONPatch of an ApplyConfiguration: its type, the field that it
// is in, and the expression.
func (d *document) patchFix(path, title, expression string) []diag.Fix {
	body := fieldpath.Parse(path).Parent()
	mutation := body.Parent()
	kind, ok := d.Rewrite(mutation.Child("patchType").String(), "JSONPatch")
	name, renamed := d.Rename(body.String(), "jsonPatch")
	text, rewritten := d.Rewrite(path, d.written(path, expression))
	if !ok || !renamed || !rewritten {
		return nil
	}
	return []diag.Fix{{Title: title, Edits: []diag.Edit{kind, name, text}}}
}

// written is an expression as the value of a field: over several lines, after the comments of the
// expression in its place, or in quotes where the document is in flow style.
func (d *document) written(path, expression string) string {
	expression = strings.Join(strings.Fields(expression), " ")
	body := fieldpath.Parse(path).Parent().String()
	if d.IsJSON() || d.Brackets(body) {
		return "'" + strings.ReplaceAll(expression, "'", "''") + "'"
	}
	before := fieldpath.As[string](fieldpath.Parse(path).Get(d.Value))
	lines := append(expressions.Comments(before), strings.Split(expressions.Layout(expression), "\n")...)
	indent := "\n" + strings.Repeat(" ", d.KeyColumn(path)+2)
	return "|-" + indent + strings.Join(lines, indent)
}

// conditions are the match conditions of a policy with one mutation: after an earlier one, they may
// not hold any more.
func (d *document) conditions() []string {
	mutations, _ := fieldpath.Parse("spec.mutations").Get(d.Value)
	if list, _ := mutations.([]any); len(list) != 1 {
		return nil
	}
	list := fieldpath.As[[]any](fieldpath.Parse("spec.matchConditions").Get(d.Value))
	var out []string
	for i := range list {
		if text, ok := fieldpath.New("expression").Get(list[i]); ok {
			s, _ := text.(string)
			out = append(out, s)
		}
	}
	return out
}
