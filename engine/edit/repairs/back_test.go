package repairs

import (
	"context"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestBack: fixes that lead back to a text that was there are undone and not tried again.
func TestBack(t *testing.T) {
	before, after := scenario.Scenario{Expression: "1"}, scenario.Scenario{Expression: "2"}
	change := func(to string) diag.Fix {
		return diag.Fix{Edits: []diag.Edit{{Text: diag.Expression, Span: diag.Span{End: 1}, New: to}}}
	}
	there, back := diag.Diagnostic{Code: "there"}, diag.Diagnostic{Code: "back"}
	f := &fixer{ctx: context.Background(), failed: map[string]bool{}, seen: []scenario.Scenario{before, after}, ends: []int{1},
		Result: Result{Scenario: after, Applied: []Applied{{Code: there.Code, key: key(there)}}, Rounds: []diag.Fix{change("2")}}}
	again, err := f.apply([]repair{{back, change("1")}})
	if err != nil || !again || f.Scenario.Expression != "1" || len(f.Applied)+len(f.Rounds) > 0 || !f.failed[key(there)] || !f.failed[key(back)] {
		t.Errorf("%v %v: %q, applied %v, failed %v", again, err, f.Scenario.Expression, f.Applied, f.failed)
	}
}
