package eval

import (
	"time"

	"github.com/google/cel-go/common/types/ref"

	"github.com/preadmit/preadmit/engine/internal/cel/values"
)

// Result is one run of one expression.
type Result struct {
	*Compiled
	// Value is nil when there is an error.
	Value ref.Val
	// Err is the server's text with its prefix, CELErr what CEL itself said.
	Err, CELErr string
	// Cost is that of the expression without its variables.
	Cost int64
	// Elapsed is the time that the run took, with the variables that it computed; 0
	// when the evaluator has no clock.
	Elapsed time.Duration
	// Brief says that nobody looks at the value, unless it is a boolean.
	Brief bool
	// Ran is false for what did not compile, or came after an abort.
	Ran bool
	// Exceeded says that the limit of a single call was broken.
	Exceeded bool
	// Variables are those first computed during this run, in order.
	Variables []*VariableResult
	// Used names every variable that this run read.
	Used []string
	// Trace has the parts of the expression; nil unless the run of its list traces.
	Trace *values.Trace
	// Untraced says why a run that traces has no Trace of this run.
	Untraced Untraced
	// asked are the variables that this run looked at, without those that its
	// variables looked at.
	asked asked
}

// VariableResult is the one computation of a variable in the run of a list.
type VariableResult struct {
	Variable
	Result
	Reads int
}
