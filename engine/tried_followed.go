package engine

import (
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// followed is a repair of an expression together with the one that it leads to: a mistake may be
// behind another one, of types that show only in what compiles, and the one who repairs the first
// wants none of the second. s is the scenario after the repair; nil where nothing is left that has one
// likely answer.
func (t *trial) followed(of diag.Diagnostic, f diag.Fix, s scenario.Scenario, after *report.Report) *diag.Fix {
	if of.Text != diag.Policies || of.Code != codes.CELCompile || f.Draft {
		return nil
	}
	for _, d := range after.Diagnostics {
		if d.Path != of.Path || d.Document != of.Document || d.Severity == diag.Info || len(d.Fixes) != 1 || !d.Fixes[0].Sure || d.Code == codes.CostlyExpression {
			continue
		}
		both, err := d.Fixes[0].Apply(diag.Policies, s.Policies)
		if err != nil {
			return nil
		}
		return &diag.Fix{Title: d.Fixes[0].Title, Edits: []diag.Edit{difference(t.of.scenario.Policies, both)}}
	}
	return nil
}

// difference is the edit that makes one text another one.
func difference(before, after string) diag.Edit {
	start, end := 0, 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	for start > 0 && !utf8.RuneStart(before[min(start, len(before)-1)]) {
		start--
	}
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	for end > 0 && !utf8.RuneStart(before[len(before)-end]) {
		end--
	}
	return diag.Edit{Text: diag.Policies, Span: diag.Span{Start: start, End: len(before) - end}, New: after[start : len(after)-end]}
}
