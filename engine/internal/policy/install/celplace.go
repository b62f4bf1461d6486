package install

import (
	"regexp"
	"unicode"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
)

var (
	undeclaredText = regexp.MustCompile(`^undeclared reference to '([^']+)'`)
	quotedName     = regexp.MustCompile(`^(?:undeclared reference to|undefined field|found no matching overload for) '([^']+)'`)
)

// undeclared is the name that a compiler message calls undeclared.
func undeclared(message string) string {
	if m := undeclaredText.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return ""
}

// issueRange gives the characters of an expression that an issue is about, as
// rune offsets. cel-go tells only a position, and not always that of the name:
// a call is reported at its bracket, a selection at its dot, a literal of a
// type at its brace.
func issueRange(source []rune, issue eval.Issue) (start, end int) {
	at := offset(source, issue.Line, issue.Column)
	if at >= len(source) {
		return max(len(source)-1, 0), len(source)
	}
	if m := quotedName.FindStringSubmatch(issue.Message); m != nil {
		name := []rune(m[1])
		for _, from := range []int{at, at + 1, at - len(name)} {
			if hasAt(source, name, from) {
				return from, from + len(name)
			}
		}
	}
	return at, tokenEnd(source, at)
}

// offset converts cel-go's 1-based line and 0-based column, in runes.
func offset(source []rune, line, column int) int {
	at := 0
	for ; line > 1 && at < len(source); at++ {
		if source[at] == '\n' {
			line--
		}
	}
	return min(at+column, len(source))
}

func hasAt(source, part []rune, from int) bool {
	return from >= 0 && from+len(part) <= len(source) && string(source[from:from+len(part)]) == string(part)
}

// tokenEnd is the end of the token that starts at i: a word, a number, a
// string, an operator of one or two characters.
func tokenEnd(source []rune, i int) int {
	word := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	c := source[i]
	switch {
	case word(c):
		for i < len(source) && word(source[i]) {
			i++
		}
		return i
	case c == '\'' || c == '"':
		for j := i + 1; j < len(source) && source[j] != '\n'; j++ {
			if source[j] == '\\' {
				j++
			} else if source[j] == c {
				return j + 1
			}
		}
		return i + 1
	}
	for _, operator := range []string{"==", "!=", "<=", ">=", "&&", "||"} {
		if hasAt(source, []rune(operator), i) {
			return i + 2
		}
	}
	return i + 1
}
