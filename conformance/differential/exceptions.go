package differential

import "github.com/preadmit/preadmit/conformance/wire"

// An Exception is a difference that is known and meant.
type Exception struct {
	// Reason says why the engine may differ, for the documentation.
	Reason string
	// Applies says that all the differences of a scenario are of this kind.
	Applies func(wire.Case, []Difference) bool
}

// Exceptions lists all that are known. It is empty when the engine answers as
// the API server does.
var Exceptions = []Exception{}

// excepted gives the reason of the exception that applies, "" when none does.
func excepted(exceptions []Exception, c wire.Case, differences []Difference) string {
	for _, e := range exceptions {
		if e.Applies(c, differences) {
			return e.Reason
		}
	}
	return ""
}
