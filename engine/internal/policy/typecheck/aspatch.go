package typecheck

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// patchFix makes a JSONPatch of an ApplyConfiguration: its type, the field that it
// is in, and the expression.
func (d *document) patchFix(path, title, expression string) []diag.Fix {
	body := fieldpath.Parse(path).Parent()
	mutation := body.Parent()
	kind, ok := d.Rewrite(mutation.Child("patchType").String(), "JSONPatch")
	name, renamed := d.Rename(body.String(), "jsonPatch")
	text, rewritten := d.Rewrite(path, "'"+strings.ReplaceAll(strings.Join(strings.Fields(expression), " "), "'", "''")+"'")
	if !ok || !renamed || !rewritten {
		return nil
	}
	return []diag.Fix{{Title: title, Edits: []diag.Edit{kind, name, text}}}
}
