package repairs

import (
	"context"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// A fix whose edits do not fit its text is a mistake of ours and an error. Among
// several it may be the others that it does not go together with.
func TestFixThatDoesNotFit(t *testing.T) {
	wrong := repair{diag.Diagnostic{Code: "x"}, diag.Fix{Title: "wrong", Sure: true, Edits: []diag.Edit{{Text: diag.Policies, Span: diag.Span{Start: 5, End: 9}}}}}
	f := &fixer{ctx: context.Background(), Result: Result{Scenario: scenario.Scenario{Policies: "a"}, Report: &report.Report{}}, failed: map[string]bool{}}
	if done, err := f.apply([]repair{wrong}); done || err == nil {
		t.Errorf("alone: %t, %v", done, err)
	}
	if done, err := f.apply([]repair{wrong, wrong}); done || err != nil {
		t.Errorf("one of two: %t, %v", done, err)
	}
	f.Report.Diagnostics = []diag.Diagnostic{{Code: "x", Severity: diag.Error, Fixes: []diag.Fix{wrong.fix}}}
	if _, err := f.round(); err == nil {
		t.Error("a round goes on after a fix that does not fit")
	}
}
