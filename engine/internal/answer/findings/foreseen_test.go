package findings

import (
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// TestSameRepair: what is foreseen with the repair of a known problem is a place of that problem, with its line.
func TestSameRepair(t *testing.T) {
	fixes := []diag.Fix{{Title: "Change it", Edits: []diag.Edit{{Text: diag.Policies, New: "x"}}}}
	known := diag.Diagnostics{{Code: codes.CELRuntime, Severity: diag.Warning, Text: diag.Policies, Fixes: fixes}}
	foreseen := diag.Diagnostics{{Code: codes.FailsWhenMissing, Severity: diag.Warning, Text: diag.Policies, Line: 3, Column: 4, Summary: "it fails", Fixes: fixes}}
	got := WithForeseen(known, foreseen)
	if len(got) != 1 || len(got[0].Related) != 1 || got[0].Related[0].Line != 3 || got[0].Related[0].Column != 4 {
		t.Errorf("got %+v", got)
	}
}
