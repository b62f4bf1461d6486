package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/report"
)

// dear is an expression that is true and costs nine tenths of what one may; that is the
// price of a long pattern and a long text, which takes no time.
var dear = fmt.Sprintf("!lists.range(300).map(i, '%s').join('').matches('%s')", strings.Repeat("y", 100), strings.Repeat("x", 1200))

// TestBudgets: validations that use up the budget end in one error in place of all
// decisions, and so do audit annotations, of which none is published (semantics §7.1, §7.4).
func TestBudgets(t *testing.T) {
	list := func(n int, before, after string) string {
		out := ""
		for i := range n {
			out += fmt.Sprintf(before, i) + dear + after + "\n"
		}
		return out
	}
	validations := func(n int) string {
		return "validations:\n- expression: 'false'\n" + list(n, "- message: m%d\n  expression: \"", "\"")
	}
	annotations := func(n int) string {
		return "auditAnnotations:\n- {key: first, valueExpression: \"'x'\"}\n" + list(n, "- key: k%d\n  valueExpression: \"(", ") ? 'a' : 'b'\"")
	}
	for _, c := range []struct {
		name, policy, spec string
		want               string // the end of the message
		status             report.Status
		verdict            report.Verdict
		published          bool
	}{
		{"enough for all", "Fail", validations(9), "failed expression: false", report.Evaluated, report.Deny, false},
		{"not enough", "Fail", validations(12), eval.OutOfBudget, report.Errored, report.Deny, false},
		{"not enough, ignored", "Ignore", validations(12), "", report.Errored, "", false},
		{"annotations", "Fail", annotations(9), "", report.Evaluated, report.Admit, true},
		{"too many annotations", "Fail", annotations(12), eval.OutOfBudget, report.Evaluated, report.Deny, false},
		{"too many annotations, ignored", "Ignore", annotations(12), "", report.Evaluated, report.Admit, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := evaluate(t, "1.36", "failurePolicy: "+c.policy+"\n"+c.spec, "Deny")
			step := r.Steps[0]
			if !strings.HasSuffix(r.Outcome.Message, c.want) || r.Outcome.Allowed != (c.want == "") {
				t.Errorf("the message is %.200s", r.Outcome.Message)
			}
			if step.Status != c.status || step.Verdict != c.verdict || (step.Error != "") != (strings.Contains(c.name, "not enough") || strings.Contains(c.name, "too many")) {
				t.Errorf("the step is %s %s, %s", step.Status, step.Verdict, step.Error)
			}
			if got := r.Outcome.AuditAnnotations["limits/first"] == "x"; got != c.published {
				t.Errorf("published: %v", r.Outcome.AuditAnnotations)
			}
			exceeded := false
			for _, b := range r.Budgets {
				exceeded = exceeded || b.Exceeded
			}
			if exceeded != (step.Error != "") {
				t.Errorf("the budgets are %+v", r.Budgets)
			}
		})
	}
}
