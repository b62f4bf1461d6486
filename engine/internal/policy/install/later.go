package install

import (
	"fmt"
	"maps"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/policy/hints"
)

// laterFunctions are the functions, macros and roots of names that came after
// 1.30, by the first minor whose API server accepts them in a new policy
// (semantics §1.8). A test compiles each in its version and in the one before.
var laterFunctions = map[int][]string{
	31: {"ip", "isIP", "isCanonical", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast",
		"isGlobalUnicast", "cidr", "isCIDR", "containsIP", "containsCIDR", "masked", "prefixLength"},
	32: {"format", "named", "dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix",
		"dns1123SubdomainPrefix", "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date", "datetime", "validate",
		"fieldSelector", "labelSelector"},
	33: {"all", "exists", "existsOne", "transformList", "transformMap", "transformMapEntry"},
	34: {"semver", "isSemver", "major", "minor", "patch"},
	35: {"distinct", "flatten", "lists", "range", "reverse", "slice", "sort", "sortBy"},
	38: {"includes"},
}

// laterNames are names in an expression that only later versions know.
type laterNames struct {
	names map[string]int // by the minor that brings them
	// remaining are the compiler's messages in a version that knows them all.
	remaining map[string]bool
}

// solves tells whether a later version would not say message.
func (l laterNames) solves(message string) bool { return len(l.names) > 0 && !l.remaining[message] }

// laterNames finds the undeclared names that a later version declares: the
// table proposes a version, and compiling there decides.
func (in *installer) laterNames(e *failedExpression) laterNames {
	found := laterNames{names: map[string]int{}}
	newest := 0
	for _, issue := range e.compiled.Issues {
		if minor := laterMinor(hints.Undeclared(issue.Message)); minor > in.minor {
			found.names[hints.Undeclared(issue.Message)] = minor
			newest = max(newest, minor)
		}
	}
	if newest == 0 {
		return found
	}
	found.remaining = messagesIn(newest, e)
	maps.DeleteFunc(found.names, func(name string, _ int) bool {
		for message := range found.remaining {
			if hints.Undeclared(message) == name {
				return true
			}
		}
		return false
	})
	return found
}

func laterMinor(name string) int {
	for minor, names := range laterFunctions {
		for _, n := range names {
			if n == name {
				return minor
			}
		}
	}
	return 0
}

// messagesIn are the compiler's messages about an expression in another
// version. Beyond the last version that we know, what this one can run is what
// the next one accepts.
func messagesIn(minor int, e *failedExpression) map[string]bool {
	mode := eval.Write
	if minor > eval.NewestMinor {
		minor, mode = eval.NewestMinor, eval.Run
	}
	messages := map[string]bool{}
	environments, err := eval.ForVersion(fmt.Sprintf("1.%d", minor))
	if err != nil { // the table names only versions that there are
		return messages
	}
	compiler := environments.NewCompiler(mode, e.compiler.params, e.compiler.composed)
	for _, v := range e.compiler.Variables[:e.variables] {
		compiler.AddVariable(v.Declaration)
	}
	for _, issue := range compiler.Compile(e.compiled.Expression, e.compiled.Place).Issues {
		messages[issue.Message] = true
	}
	return messages
}

func laterDetail(minor, later int, message string) string {
	text := fmt.Sprintf("The server says: %s.", message)
	if later == minor+1 {
		text += fmt.Sprintf(" Kubernetes 1.%d can run it, but lets new policies use it only one version later, so that a downgrade works.", minor)
	}
	return text
}
