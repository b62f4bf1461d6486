package differential

import "github.com/preadmit/preadmit/conformance/wire"

// An Exception is a known and accepted difference.
type Exception struct {
	// Reason says why the engine may differ, for the documentation.
	Reason string
	// Applies reports whether all of a scenario's differences are of this kind.
	Applies func(wire.Case, []Difference) bool
}

// Exceptions lists all accepted differences. It is empty if the engine always responds as the API
// server does.
var Exceptions = []Exception{}

// excepted returns the applicable exception's reason, or "".
func excepted(exceptions []Exception, c wire.Case, differences []Difference) string {
	for _, e := range exceptions {
		if e.Applies(c, differences) {
			return e.Reason
		}
	}
	return ""
}
