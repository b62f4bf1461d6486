package failures

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// The type check finds a field that no object of the kind has, and the expression that reads
// it then fails when it runs. That is one mistake: the check says what is wrong, and the
// failure shows what it does to this request.

// causing are the codes of the checks of an expression that say beforehand why it fails.
var causing = []string{codes.UnknownObjectField, codes.TypeChecking, codes.WrongOperandType, codes.ImpossibleIndex, codes.FailingConstant, codes.DoubtfulText}

// cause is the problem of an expression that a part of it failed for: one at the part
// itself, or one whose first repair changes it. Nil where the failure is a problem of its
// own.
func (x *explainer) cause(e *report.Evaluation, n *node) *diag.Diagnostic {
	var behind *diag.Diagnostic
	for i := range x.report.Diagnostics {
		d := &x.report.Diagnostics[i]
		if d.Text != e.Text || d.Path != e.Path || d.Severity == diag.Info || !slices.Contains(causing, d.Code) {
			continue
		}
		if n.at(d.Span) {
			return d
		}
		if behind == nil && len(d.Fixes) > 0 && slices.ContainsFunc(d.Fixes[0].Edits, func(f diag.Edit) bool {
			return f.Text == d.Text && f.Span.Start < n.Span.End && n.Span.Start < f.Span.End
		}) {
			behind = d
		}
	}
	return behind
}

// at reports whether a place is in a part and in none of those that it is made of, the key
// of an index apart.
func (n *node) at(place diag.Span) bool {
	within := func(n *node) bool { return n.Span.Start <= place.Start && place.End <= n.Span.End }
	return within(n) && !slices.ContainsFunc(n.children, func(part *node) bool {
		return within(part) && (n.Kind != "index" || part.index == 0)
	})
}

// join adds the failure of a part to the problem that caused it, as one more place. The
// failure's repairs are used only if the problem has none.
func (x *explainer) join(cause *diag.Diagnostic, failure diag.Diagnostic, note string) {
	summary := "for this request it fails here: " + strings.TrimPrefix(failure.Summary, failedSummary)
	if note, _, _ = strings.Cut(note, explain.DidYouMean); note != "" {
		summary += " (" + note + ")"
	}
	told := diag.Related{Text: failure.Text, Span: failure.Span, Path: failure.Path, Summary: summary}
	if slices.Contains(cause.Related, told) {
		return // the expression runs in several steps
	}
	cause.Related = slices.Concat(cause.Related, []diag.Related{told}, failure.Related)
	if len(cause.Fixes) == 0 {
		cause.Fixes = failure.Fixes
	}
}
