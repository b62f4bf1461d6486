package answer

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// AsDiagnostic is a mistake of this library for those who get a list of problems.
func AsDiagnostic(e *guard.InternalError) diag.Diagnostic {
	detail := "This is a bug in Preadmit. Please report it at " + codes.ReportAddress + ", with the texts if they are not secret."
	// The page's engine does not have the names of functions (scripts/module/tables): numbers tell nobody anything.
	if strings.Contains(e.Stack, "preadmit/engine") {
		detail += " Where it happened:\n" + e.Stack
	}
	return diag.Diagnostic{Code: codes.Internal, Severity: diag.Error, Text: diag.Policies,
		Summary: fmt.Sprintf("Preadmit failed on these texts: %v", e.Reason),
		Detail:  detail}
}

// Failure makes a report of a panic. It is deferred, with the address of the report that
// the function returns, and the version of its texts.
func Failure(r **report.Report, kubernetes string) {
	if reason := recover(); reason != nil {
		*r = failed(kubernetes, AsDiagnostic(guard.Of(reason)))
	}
}

// failed is the report of an evaluation that a mistake of this library ended: nothing but
// the mistake.
func failed(kubernetes string, d diag.Diagnostic) *report.Report {
	out := compile.NewReport(cmp.Or(kubernetes, version.Default().String()))
	out.Diagnostics = append(out.Diagnostics, d)
	out.Outcome.State, out.Outcome.StateReason = report.StateUndecided, d.Summary
	return out
}
