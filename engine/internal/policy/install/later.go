package install

import (
	"fmt"
	"maps"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/policy/hints"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// laterNames are names in an expression that only later versions know.
type laterNames struct {
	names map[string]version.Version // with the version that brings them
	// remaining are the compiler's messages in a version that knows them all.
	remaining map[string]bool
}

// solves reports whether a later version would not say message.
func (l laterNames) solves(message string) bool { return len(l.names) > 0 && !l.remaining[message] }

// laterNames finds the undeclared names that a later version declares: the
// table proposes a version, and compiling there decides.
func (in *installer) laterNames(e *failedExpression) laterNames {
	found := laterNames{names: map[string]version.Version{}}
	var newest version.Version
	for _, issue := range e.compiled.Issues {
		if since := version.WordSince(hints.Undeclared(issue.Message)); in.version.Before(since) {
			found.names[hints.Undeclared(issue.Message)] = since
			if newest.Before(since) {
				newest = since
			}
		}
	}
	if (newest == version.Version{}) {
		return found
	}
	found.remaining = in.messagesIn(newest, e)
	maps.DeleteFunc(found.names, func(name string, _ version.Version) bool {
		for message := range found.remaining {
			if hints.Undeclared(message) == name {
				return true
			}
		}
		return false
	})
	return found
}

// messagesIn are the compiler's messages about an expression in another
// version. Beyond the last version that we know, what this one can run is what
// the next one accepts.
func (in *installer) messagesIn(v version.Version, e *failedExpression) map[string]bool {
	mode := eval.Write
	if version.Newest().Before(v) {
		v, mode = version.Newest(), eval.Run
	}
	messages := map[string]bool{}
	environments, err := in.sets.ForVersion(v)
	if err != nil { // the table names only versions that there are
		return messages
	}
	compiler := environments.NewCompiler(mode, e.compiler.params, e.compiler.composed)
	for _, variable := range e.compiler.Variables[:e.variables] {
		compiler.AddVariable(variable.Declaration)
	}
	for _, issue := range compiler.Compile(e.compiled.Expression, e.compiled.Place).Issues {
		messages[issue.Message] = true
	}
	return messages
}

func laterDetail(own, later version.Version, message string) string {
	text := fmt.Sprintf("The server says: %s.", message)
	if later == own.Next() {
		text += fmt.Sprintf(" Kubernetes %s can run it, but lets new policies use it only one version later, so that a downgrade works.", own)
	}
	return text
}
