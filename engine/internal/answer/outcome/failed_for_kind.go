package outcome

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/policy/typecheck"
	"github.com/preadmit/preadmit/engine/report"
)

// failedForKind reports why policies whose rules name no kind failed for the kind of the
// request. Without one, nobody knows the fields that their expressions may use. A search explains
// the requests that it makes up by itself.
func failedForKind(e *evaluate.Evaluation) {
	if !e.Options.Explain || e.Once || e.Chain == nil || e.Ended != nil {
		return
	}
	seen := map[installed]bool{}
	for i := range e.Report.Steps {
		s := &e.Report.Steps[i]
		policy, ok := policyOf(s)
		if !ok || policy.configuration != "" || seen[policy] || !failed(s) {
			continue
		}
		seen[policy] = true
		for _, text := range []diag.Text{diag.Policies, diag.Cluster} {
			for _, d := range e.Parsed(text) {
				if d.Kind != s.Kind || d.Name != s.Policy {
					continue
				}
				// The report is complete without it: an internal error leaves it out.
				if found, err := typecheck.ForRequest(d, e.Texts()[text], e.Chain.Attributes.Kind, e.Checker.Within(e.Budget), e.Catalog); err == nil {
					e.Report.Diagnostics = slices.DeleteFunc(e.Report.Diagnostics, func(earlier diag.Diagnostic) bool { return slices.ContainsFunc(found, sameProblem(earlier)) })
					e.Diagnose(found)
				}
			}
		}
	}
}

// failed reports whether an expression of a step failed, or its patch.
func failed(s *report.Step) bool {
	found := false
	s.Evaluations(func(e *report.Evaluation) { found = found || e.Error != "" })
	return found
}

// sameProblem reports whether a problem is one that was found without the kind, where less is known to repair it.
func sameProblem(earlier diag.Diagnostic) func(diag.Diagnostic) bool {
	return func(d diag.Diagnostic) bool {
		return d.Code == earlier.Code && d.Text == earlier.Text && d.Path == earlier.Path && d.Span == earlier.Span
	}
}
