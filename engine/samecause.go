package engine

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// joinCauses makes one problem of those that have one cause: the server says of a rule that it
// costs too much, of the schema that all rules together do, and of each rule that it is one of
// them; and of a name that is not valid wherever it is written. The others become places of the
// one that is to be repaired.
func joinCauses(list []diag.Diagnostic) []diag.Diagnostic {
	var out []diag.Diagnostic
	for i, d := range list {
		cause := slices.IndexFunc(list, func(other diag.Diagnostic) bool { return comesOf(d, other) })
		if cause < 0 || cause == i {
			out = append(out, d)
		}
	}
	if len(out) == len(list) {
		return list
	}
	for i := range out {
		first := &out[i]
		for _, d := range list {
			if comesOf(d, *first) {
				place := diag.Related{Text: d.Text, Span: d.Span, Path: d.Path, Summary: d.Summary}
				first.Related = slices.Concat(first.Related, []diag.Related{place})
			}
		}
	}
	return out
}

// comesOf reports whether a problem is nothing but what comes of another one.
func comesOf(d, cause diag.Diagnostic) bool {
	if d.Code != cause.Code || d.Text != cause.Text || len(cause.Fixes) == 0 {
		return false
	}
	switch d.Code {
	case codes.CRD:
		return d.Document == cause.Document && costWeight(d.Summary) > costWeight(cause.Summary) && costWeight(cause.Summary) > 0
	case codes.InvalidName:
		of := slices.IndexFunc(cause.Fixes[0].Edits, func(e diag.Edit) bool { return e.Text == d.Text && e.Span == d.Span })
		return of > 0 // the first edit is that of its own place
	}
	return false
}

// costWeight orders what the server says of the cost of rules by how near it is to the cause: that
// of a rule alone, that of all together, and that a rule is one of them. It is 0 for others.
func costWeight(summary string) int {
	switch {
	case strings.Contains(summary, "estimated rule cost exceeds budget"):
		return 1
	case strings.Contains(summary, "estimated rule cost total for entire"):
		return 2
	case strings.Contains(summary, "contributed to estimated rule cost total"):
		return 3
	}
	return 0
}
