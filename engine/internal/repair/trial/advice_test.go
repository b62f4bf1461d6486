package trial

import (
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestAdviceWithoutEffect tries two repairs of an advice: after one the same advice is given at the same place, after
// the other it is given for another place only.
func TestAdviceWithoutEffect(t *testing.T) {
	const before, same, elsewhere = "a: has(x) && has(x)", "a: true && has(x) && has(x)", "a: true && has(x)"
	advice := func(start int) diag.Diagnostic {
		return diag.Diagnostic{Code: "dropped-value", Severity: diag.Info, Text: diag.Policies, Path: "a", Document: "Policy/p", Summary: "has(x) is false", Span: diag.Span{Start: start, End: start + 6}}
	}
	d := advice(3)
	edit := func(start, end int, text string) diag.Fix {
		return diag.Fix{Title: text, Edits: []diag.Edit{{Text: diag.Policies, Span: diag.Span{Start: start, End: end}, New: text}}}
	}
	d.Fixes = []diag.Fix{edit(3, 3, "true && "), edit(3, 9, "true")}
	answers := map[string]*report.Report{
		same:      {Diagnostics: []diag.Diagnostic{advice(11)}},
		elsewhere: {Diagnostics: []diag.Diagnostic{advice(11)}},
	}
	r := &report.Report{Diagnostics: []diag.Diagnostic{d}}
	tried := Trial{Scenario: scenario.Scenario{Policies: before}, Report: r}
	tried.Compile = func(s scenario.Scenario) (Run, error) {
		after := answers[s.Policies]
		if after == nil {
			t.Fatalf("unknown text %q", s.Policies)
		}
		return func(scenario.Scenario, eval.Options) (*report.Report, error) { return after, nil }, nil
	}
	tried.Withhold()
	if left := r.Diagnostics[0].Fixes; len(left) != 1 || left[0].Title != "true" {
		t.Errorf("left: %+v", left)
	}
}
