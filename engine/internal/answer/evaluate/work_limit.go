package evaluate

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/report"
)

// Optional runs a part that the answer does not need. When it reaches its share, it
// ends and the report says so.
func (e *Evaluation) Optional(step string, share int64, f func()) {
	if ended := e.Budget.Within(step, share, f); ended != nil {
		e.Diagnose([]diag.Diagnostic{compile.LeftOut(step, ended)})
	}
}

// Cut completes the report of a run that ended early: the steps so far, and no
// verdict.
func (e *Evaluation) Cut(ended *worklimit.Ended) {
	e.Ended = ended
	e.Diagnose([]diag.Diagnostic{compile.Stopped(ended, slices.Concat(e.Compiled.Documents[diag.Policies], e.Compiled.Documents[diag.Cluster]))})
	if e.Chain == nil {
		return
	}
	if s := e.Chain.Last(); s != nil && underWay(s, ended) {
		s.Status, s.Verdict, s.Reason = report.Skipped, "", "Preadmit stopped here: "+compile.Why(ended)+"."
	}
	e.Report.Steps = e.Chain.Reported()
	e.Report.Object, e.Report.Mutated = e.Chain.Attributes.Object, e.afterMutation
	e.Report.Outcome.DecidedBy = -1
	e.Report.Outcome.Warnings, e.Report.Outcome.AuditAnnotations = e.Chain.Warnings(), e.Chain.AuditAnnotations()
}

// underWay reports whether a run ended while the last of its steps was evaluated.
func underWay(last *report.Step, ended *worklimit.Ended) bool {
	if last.Status != "" && last.Status != report.Evaluated || last.Verdict != "" && last.Verdict != report.Admit {
		return false
	}
	return last.Verdict == "" || last.Policy != "" && strings.HasSuffix(ended.Step, " policy "+last.Policy)
}
