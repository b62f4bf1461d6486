package findings

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// WithForeseen returns the problems of a report and those that are foreseen, in a report's order. What the answer to
// the request says of a place is not repeated. A problem that the report has already gets the example.
func WithForeseen(problems, found diag.Diagnostics) diag.Diagnostics {
	out := slices.Clone(problems)
	for _, d := range found {
		if i := slices.IndexFunc(out, func(k diag.Diagnostic) bool { return SameProblem(&k, &d) }); i >= 0 {
			if out[i].Example == "" {
				out[i].Example = d.Example
			}
			continue
		}
		said := func(k diag.Diagnostic) bool {
			return k.Severity != diag.Info && !codes.Standing(k.Code) && k.Text == d.Text && k.Path == d.Path && k.Span.Start < d.Span.End && d.Span.Start < k.Span.End
		}
		if !slices.ContainsFunc(problems, said) {
			out = append(out, d)
		}
	}
	out = WithoutWaiting(out)
	InOrder(out)
	return out
}

// SameProblem reports whether two problems are the same one, of which one may have an example.
func SameProblem(a, b *diag.Diagnostic) bool {
	return a.Code == b.Code && a.Text == b.Text && a.Span == b.Span && a.Document == b.Document && a.Summary == b.Summary
}
