package install

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/expr"
)

// laterFunctions are the functions and macros that came after 1.30, by the
// first minor whose API server accepts them in a new policy (semantics §1.8).
// A test compiles each in the version before and in its own.
var laterFunctions = map[int][]string{
	31: {"ip", "isIP", "isCanonical", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast",
		"isGlobalUnicast", "cidr", "isCIDR", "containsIP", "containsCIDR", "masked", "prefixLength"},
	32: {"format", "named", "dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix",
		"dns1123SubdomainPrefix", "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date", "datetime", "validate",
		"fieldSelector", "labelSelector"},
	33: {"all", "exists", "existsOne", "exists_one", "transformList", "transformMap", "transformMapEntry"},
	34: {"semver", "isSemver", "major", "minor", "patch"},
	35: {"distinct", "flatten", "range", "lists", "reverse", "slice", "sort", "sortBy"},
	38: {"includes"},
}

// laterName is a name that exists from a later minor on.
type laterName struct {
	name  string
	minor int
}

// laterVersion finds out whether an undeclared name exists in a later version:
// the table proposes a version, and compiling there decides.
func (in *installer) laterVersion(e *failedExpression, issue expr.Issue) (laterName, bool) {
	name := undeclared(issue.Message)
	for minor, names := range laterFunctions {
		for _, n := range names {
			if n == name && minor > in.minor && knownIn(minor, e, issue.Message) {
				return laterName{name, minor}, true
			}
		}
	}
	return laterName{}, false
}

// knownIn compiles an expression for a version and tells whether a message is
// gone. Beyond the last version that we know, what this one can run is what
// the next one accepts.
func knownIn(minor int, e *failedExpression, message string) bool {
	mode := expr.Write
	if minor > newestMinor {
		minor, mode = newestMinor, expr.Run
	}
	environments, err := expr.ForVersion(fmt.Sprintf("1.%d", minor))
	if err != nil {
		return false
	}
	compiler := environments.NewCompiler(mode, true, true)
	for _, v := range e.compiler.Variables {
		compiler.AddVariable(v.Declaration)
	}
	for _, issue := range compiler.Compile(e.compiled.Expression, e.compiled.Place).Issues {
		if issue.Message == message {
			return false
		}
	}
	return true
}

// newestMinor is the newest version that package expr knows.
const newestMinor = 37

func (l laterName) summary() string {
	return fmt.Sprintf("%q is available from Kubernetes 1.%d on", l.name, l.minor)
}

func (l laterName) detail(minor int, message string) string {
	text := fmt.Sprintf("The server says: %s.", message)
	if l.minor == minor+1 {
		text += fmt.Sprintf(" Kubernetes 1.%d can run it, but lets new policies use it only one version later, so that a downgrade works.", minor)
	}
	return text
}
