package hints

import (
	"fmt"
	"maps"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// Explained is one message of the compiler in our own words.
type Explained struct {
	eval.Issue
	// Code is the diagnostic code: codes.LaterVersion for a name that a later release
	// declares, else codes.CELCompile.
	Code string
	// Name is the name that the compiler does not know; empty for other messages.
	Name string
	// Summary says what is wrong, Detail what to know about it. Detail may be empty.
	Summary, Detail string
}

// CompileIn returns the compiler's messages about the same expression in another release. The
// mode says whether it is compiled as a new expression or as a stored one.
type CompileIn func(version.Version, eval.Mode) []eval.Issue

// Issues explains what the compiler of a release says about an expression at a place.
// Messages that only follow from another one are left out: those about a name that a later
// release declares, and what the parser says after its first syntax error.
func Issues(place *model.Place, v version.Version, compiled *eval.Compiled, in CompileIn) []Explained {
	later := laterNamesOf(v, compiled.Issues, in)
	var out []Explained
	for _, issue := range compiled.Issues {
		x := Explained{Issue: issue, Name: Undeclared(issue.Message), Code: codes.CELCompile}
		since, isLater := later.names[x.Name]
		switch {
		case isLater:
			x.Code, x.Summary = codes.LaterVersion, fmt.Sprintf("%q is available from Kubernetes %s on", x.Name, since)
			x.Detail = laterDetail(v, since, issue.Message)
		case later.solves(issue.Message), len(out) > 0 && syntaxError(issue.Message) && syntaxError(out[0].Message):
			continue
		default:
			x.Summary, x.Detail = Terse(issue.Message), Compile(place, issue.Message)
			switch {
			case x.Detail == laterVariable && !strings.HasSuffix(string([]rune(compiled.Expression)[:issue.Start]), "variables."):
				x.Detail = ""
			case ofRule(place) && strings.HasSuffix(string([]rune(compiled.Expression)[:issue.Start]), "metadata.") && undefinedName.MatchString(issue.Message):
				x.Detail = OnlyNames
			case issue.Message == invalidRegex:
				x.Detail = regexDetail(compiled.Expression, issue)
			case strings.HasPrefix(issue.Message, "expected type 'bool' but found") && isTest(compiled.Expression, issue.Start):
				x.Detail = "Only tests can be here: true or false, or a comparison. Use has() to check whether a field exists."
			}
		}
		out = append(out, x)
	}
	return out
}

// isTest reports whether what begins at an offset, in code points, is a side of && or ||, or what a
// macro tests. Otherwise it is an item of a list or map literal.
func isTest(expression string, offset int) bool {
	t := source.NewTokens(expression)
	start := t.Starting(offset)
	own := true // no comma is between
	for i := start - 1; i >= 0; i-- {
		switch p := t.Partner[i]; {
		case p >= 0 && p < i:
			i = p
		case own && (t.Is(i, "&&") || t.Is(i, "||")), t.Is(i, "(") && t.IsWord(i-1):
			return true
		case t.Is(i, ","):
			own = false
		case t.Is(i, "[") || t.Is(i, "{"):
			return testsBefore(t, start)
		}
	}
	return true
}

// testsBefore reports whether && or || follows token i in the same item of a literal.
func testsBefore(t *source.Tokens, i int) bool {
	for ; i < len(t.List) && !t.Is(i, ",") && !t.Is(i, "]") && !t.Is(i, "}"); i++ {
		if t.Is(i, "&&") || t.Is(i, "||") {
			return true
		}
		i = max(i, t.Partner[i])
	}
	return false
}

// laterNames are names in an expression that only later releases know.
type laterNames struct {
	names map[string]version.Version // with the release that brings them
	// remaining are the compiler's messages in a release that knows them all.
	remaining map[string]bool
}

// solves reports whether a later release would not say message.
func (l laterNames) solves(message string) bool { return len(l.names) > 0 && !l.remaining[message] }

// laterNamesOf finds the undeclared names that a later release declares: the table proposes a
// release, and compiling there decides.
func laterNamesOf(v version.Version, issues []eval.Issue, in CompileIn) laterNames {
	found := laterNames{names: map[string]version.Version{}}
	var newest version.Version
	for _, issue := range issues {
		if since := version.WordSince(Undeclared(issue.Message)); v.Before(since) {
			found.names[Undeclared(issue.Message)] = since
			if newest.Before(since) {
				newest = since
			}
		}
	}
	if (newest == version.Version{}) {
		return found
	}
	// Beyond the last release that we know, what this one can run is what the next one accepts.
	mode := eval.Write
	if version.Newest().Before(newest) {
		newest, mode = version.Newest(), eval.Run
	}
	found.remaining = map[string]bool{}
	for _, issue := range in(newest, mode) {
		found.remaining[issue.Message] = true
	}
	maps.DeleteFunc(found.names, func(name string, _ version.Version) bool {
		for message := range found.remaining {
			if Undeclared(message) == name {
				return true
			}
		}
		return false
	})
	return found
}

func laterDetail(own, later version.Version, message string) string {
	text := fmt.Sprintf("The server says: %s.", message)
	if later == own.Next() {
		text += fmt.Sprintf(" Kubernetes %s can run it, but lets new expressions use it only one release later, so that a downgrade works.", own)
	}
	return text
}
