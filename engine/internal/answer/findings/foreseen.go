package findings

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// WithForeseen returns the problems of a report and those that are foreseen, in a report's order. What the answer to
// the request says of a place is not repeated. A problem that the report has already, or that the same repair is for,
// gets the example. What the types say of a field is left out where a request shows it.
func WithForeseen(problems, found diag.Diagnostics) diag.Diagnostics {
	out := slices.Clone(problems)
	for _, d := range found {
		if i := slices.IndexFunc(out, func(k diag.Diagnostic) bool { return SameProblem(&k, &d) }); i >= 0 {
			if out[i].Example == "" {
				out[i].Example = d.Example
			}
			continue
		}
		if i := slices.IndexFunc(out, func(k diag.Diagnostic) bool { return k.Code != d.Code && sameRepair(&k, &d) }); i >= 0 {
			k := &out[i]
			k.Related = slices.Concat(k.Related, []diag.Related{{Text: d.Text, Span: d.Span, Line: d.Line, Column: d.Column, Path: d.Path, Summary: d.Summary}})
			if k.Example == "" {
				k.Example = d.Example
			}
			continue
		}
		out = slices.DeleteFunc(out, func(k diag.Diagnostic) bool {
			return d.Code == codes.FailsForKind && k.Code == codes.UnknownObjectField && k.Severity == diag.Info && overlaps(&k, &d)
		})
		said := func(k diag.Diagnostic) bool {
			return k.Severity != diag.Info && !codes.Standing(k.Code) && k.Code != codes.ValidationNeverFalse && overlaps(&k, &d)
		}
		if !slices.ContainsFunc(problems, said) {
			out = append(out, d)
		}
	}
	out = WithoutWaiting(out)
	InOrder(out)
	return out
}

// sameRepair reports whether the first repair of a problem that is no advice is the first one of another, too.
func sameRepair(a, b *diag.Diagnostic) bool {
	return a.Severity != diag.Info && len(a.Fixes) > 0 && len(b.Fixes) > 0 && len(a.Fixes[0].Edits) > 0 && slices.Equal(a.Fixes[0].Edits, b.Fixes[0].Edits)
}

func overlaps(a, b *diag.Diagnostic) bool {
	return a.Text == b.Text && a.Path == b.Path && a.Span.Start < b.Span.End && b.Span.Start < a.Span.End
}

// Known reports whether a list has a problem.
func Known(list []diag.Diagnostic, d *diag.Diagnostic) bool {
	return slices.ContainsFunc(list, func(k diag.Diagnostic) bool { return SameProblem(&k, d) })
}

// SameProblem reports whether two problems are the same one, of which one may have an example.
func SameProblem(a, b *diag.Diagnostic) bool {
	return a.Code == b.Code && a.Text == b.Text && a.Span == b.Span && a.Document == b.Document && a.Summary == b.Summary
}
