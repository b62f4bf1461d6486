package engine

import (
	"fmt"
	"runtime/debug"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// InternalError is a mistake of this library: a panic in it, which does not reach
// the caller. The texts that it came for are worth a report.
type InternalError struct {
	Reason any    // of the panic
	Stack  string // of the goroutine, as Go prints it
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("internal error: %v\n%s", e.Reason, e.Stack)
}

// recovered makes an error of a panic. It is deferred.
func recovered(err *error) {
	if reason := recover(); reason != nil {
		*err = internal(reason)
	}
}

func internal(reason any) *InternalError {
	return &InternalError{Reason: reason, Stack: string(debug.Stack())}
}

// diagnostic is the error for those who get a list of problems.
func (e *InternalError) diagnostic() diag.Diagnostic {
	return diag.Diagnostic{Code: codes.Internal, Severity: diag.Error, Text: diag.Policies,
		Summary: fmt.Sprintf("Preadmit failed on these texts: %v", e.Reason), Detail: e.Stack}
}
