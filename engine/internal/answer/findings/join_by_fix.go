package findings

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// JoinSame makes one problem of those of one expression that the same repair is for: the
// compiler says of x.all(c, ...) written in another way that it knows no all, and of each c
// that it knows no c. The later ones become places of the first.
func JoinSame(list []diag.Diagnostic) []diag.Diagnostic {
	out := list[:0:0]
	byField := map[field][]int{} // those of out with repairs
	for _, d := range list {
		of, at := field{d.Text, d.Document, d.Path}, -1
		if (d.Path != "" || d.Text == diag.Expression) && len(d.Fixes) > 0 {
			for _, i := range byField[of] {
				if sameMistake(out[i], d) {
					at = i
					break
				}
			}
			if at < 0 {
				byField[of] = append(byField[of], len(out))
			}
		}
		if at < 0 {
			out = append(out, d)
			continue
		}
		first := &out[at]
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

// field is one of a document.
type field struct {
	text           diag.Text
	document, path string
}

// sameMistake reports whether two problems of one field have the same repairs. Names that a
// later version brings are each a thing to know, although one version has them all.
func sameMistake(a, b diag.Diagnostic) bool {
	sameKind := a.Code == b.Code || ofTypes[a.Code] && ofTypes[b.Code]
	return a.Code != codes.LaterVersion && sameKind && a.Severity == b.Severity && a.Accepted == b.Accepted && a.Next == b.Next &&
		slices.EqualFunc(a.Fixes, b.Fixes, func(f, g diag.Fix) bool { return slices.Equal(f.Edits, g.Edits) && len(f.Edits) > 0 })
}

// ofTypes are the codes of a field that does not exist: the server's for the first of an
// expression, and ours for the others.
var ofTypes = map[string]bool{codes.TypeChecking: true, codes.UnknownObjectField: true}
