package engine

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// joinSame makes one problem of those of one expression that the same repair is for: the
// compiler says of x.all(c, ...) written in another way that it knows no all, and of each c
// that it knows no c. The later ones become places of the first.
func joinSame(list []diag.Diagnostic) []diag.Diagnostic {
	out := list[:0:0]
	for _, d := range list {
		i := -1
		if d.Path != "" && len(d.Fixes) > 0 {
			i = slices.IndexFunc(out, func(first diag.Diagnostic) bool { return sameMistake(first, d) })
		}
		if i < 0 {
			out = append(out, d)
			continue
		}
		first := &out[i]
		if d.Span != first.Span || d.Summary != first.Summary {
			place := diag.Related{Text: d.Text, Span: d.Span, Path: d.Path, Summary: "the same mistake: " + d.Summary}
			first.Related = slices.Concat(first.Related, []diag.Related{place})
		}
		for _, r := range d.Related {
			if !slices.Contains(first.Related, r) {
				first.Related = slices.Concat(first.Related, []diag.Related{r})
			}
		}
	}
	return out
}

// sameMistake reports whether two problems are of one field and have the same repairs. Names
// that a later version brings are each a thing to know, although one version has them all.
func sameMistake(a, b diag.Diagnostic) bool {
	sameField := a.Text == b.Text && a.Document == b.Document && a.Path == b.Path
	sameKind := a.Code == b.Code || ofTypes[a.Code] && ofTypes[b.Code]
	return a.Code != codes.LaterVersion && sameField && sameKind && a.Severity == b.Severity && a.Accepted == b.Accepted && a.Next == b.Next &&
		slices.EqualFunc(a.Fixes, b.Fixes, func(f, g diag.Fix) bool { return slices.Equal(f.Edits, g.Edits) && len(f.Edits) > 0 })
}

// ofTypes are the codes of a field that does not exist: the server's for the first of an
// expression, and ours for the others.
var ofTypes = map[string]bool{codes.TypeChecking: true, codes.UnknownObjectField: true}
