package codes_test

import (
	"context"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/growth"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// withoutExample are the codes that no small text shows.
var withoutExample = []string{
	"not-utf8", "text-too-large", "too-many-documents", "too-many-values", "too-deep", "too-many-problems", "more-problems",
	"unknown-plugin", "link-unknown", "link-newer", "link-damaged", "link-too-large", "link-content",
}

// TestExamples runs the example of every code: the code must be in its report,
// and no error with another code.
func TestExamples(t *testing.T) {
	for _, e := range codes.All() {
		t.Run(e.Code, func(t *testing.T) {
			if e.Title == "" || e.Meaning == "" {
				t.Error("the entry has no title or no meaning")
			}
			if e.Example == "" {
				if !slices.Contains(withoutExample, e.Code) {
					t.Error("the entry has no example")
				}
				return
			}
			s, problems := scenario.FromTxtar([]byte(e.Example))
			recorded, err := engine.EvaluateRecorded(context.Background(), s)
			if err != nil {
				t.Fatal(err)
			}
			r := recorded.Report
			r.Diagnostics = append(problems, r.Diagnostics...)
			if e.Code == growth.CodeCostLimit { // only sought when asked for
				growth.New(recorded, 10_000_000).Step(func() bool { return false })
			}
			found := codesOf(r)
			if !slices.Contains(found, e.Code) {
				t.Errorf("the report has the codes %q\n%s", found, e.Example)
			}
			for _, d := range r.Diagnostics {
				if d.Severity == diag.Error && d.Code != e.Code {
					t.Errorf("another error, %s: %s", d.Code, d.Summary)
				}
			}
		})
	}
}

// codesOf lists the codes that a report has anywhere.
func codesOf(r *report.Report) []string {
	var out []string
	notes := func(list []report.Note) {
		for _, n := range list {
			out = append(out, n.Code)
		}
	}
	for _, d := range r.Diagnostics {
		out = append(out, d.Code)
	}
	for _, f := range r.Findings {
		out = append(out, f.Code)
	}
	for i := range r.Steps {
		notes(r.Steps[i].Notes)
		r.Steps[i].Evaluations(func(e *report.Evaluation) { notes(e.Notes) })
	}
	return out
}
