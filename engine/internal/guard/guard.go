// Package guard turns panics into errors: a bug of ours does not end the
// program that uses the library.
package guard

import (
	"fmt"
	"runtime/debug"
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

// Of is the error for the reason of a panic.
func Of(reason any) *InternalError {
	return &InternalError{Reason: reason, Stack: string(debug.Stack())}
}

// Error makes an error of a panic. It is deferred, with the address of the error that
// the function returns.
func Error(err *error) {
	if reason := recover(); reason != nil {
		*err = Of(reason)
	}
}
