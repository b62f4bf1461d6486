package engine

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// InternalError is a mistake of this library: a panic in it, which does not reach
// the caller. The texts that it came for are worth a report.
type InternalError = guard.InternalError

// asDiagnostic is the error for those who get a list of problems.
func asDiagnostic(e *InternalError) diag.Diagnostic {
	return diag.Diagnostic{Code: codes.Internal, Severity: diag.Error, Text: diag.Policies,
		Summary: fmt.Sprintf("Preadmit failed on these texts: %v", e.Reason), Detail: e.Stack}
}
