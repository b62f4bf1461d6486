package differential

import (
	"regexp"
	"slices"

	"github.com/preadmit/preadmit/conformance/wire"
)

// An Exception is a difference that is known and meant.
type Exception struct {
	// Reason says why the engine may differ, for the documentation.
	Reason string
	// Applies says that all the differences of a scenario are of this kind.
	Applies func(wire.Case, []Difference) bool
}

// Exceptions lists all that are known.
var Exceptions = []Exception{{
	Reason: "the object breaks the schema or a rule of its CustomResourceDefinition: the reference runs policies and no registry, which refuses the object before they validate",
	Applies: func(_ wire.Case, differences []Difference) bool {
		return slices.ContainsFunc(differences, refusedByDefinition)
	},
}}

// invalidCustomResource is the server's answer for a custom resource that breaks
// its definition.
var invalidCustomResource = regexp.MustCompile(`^\w+\.example\.com "[^"]*" is invalid: `)

// refusedByDefinition reports whether the engine refused the object between the
// mutating and the validating phase. What follows in the reference has nothing to
// be compared with.
func refusedByDefinition(d Difference) bool {
	return d.What == "message" && invalidCustomResource.MatchString(d.Engine)
}

// excepted gives the reason of the exception that applies, "" when none does.
func excepted(exceptions []Exception, c wire.Case, differences []Difference) string {
	for _, e := range exceptions {
		if e.Applies(c, differences) {
			return e.Reason
		}
	}
	return ""
}
