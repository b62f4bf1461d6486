package failures

import (
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
)

// misspeltKey renames the key of a text that is nearly the well-known one which an expression reads.
func (x *explainer) misspeltKey(n *node) (diag.Fix, bool) {
	if n.Kind != "index" || !explain.WellKnownKeys[n.Missing] {
		return diag.Fix{}, false
	}
	nearest, ok := suggest.Of(n.Has, n.Missing)
	if !ok || explain.WellKnownKeys[nearest] {
		return diag.Fix{}, false
	}
	d, path, ok := x.field(n.children[0])
	if !ok {
		return diag.Fix{}, false
	}
	edit, ok := d.Rename(fieldpath.Path(path).Key(nearest).String(), n.Missing)
	return diag.Fix{Title: "Change " + nearest + " to " + n.Missing, Edits: []diag.Edit{edit}}, ok
}
