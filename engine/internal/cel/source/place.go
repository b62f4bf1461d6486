package source

import (
	"strings"
	"unicode"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// Text is an expression as the positions of cel-go see it. All of its methods
// are total: whatever position is given, the range they return is within the
// expression, and empty only if the expression is.
type Text struct {
	*Tokens
	runes []rune
	lines []int // where each line begins
}

// NewText reads an expression.
func NewText(expression string) *Text {
	t := &Text{Tokens: NewTokens(expression), runes: []rune(expression), lines: []int{0}}
	for i, r := range t.runes {
		if r == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

var (
	quotedName     = lazy.Regexp{Text: `^(?:undeclared reference to|undefined field|found no matching overload for) '([^']+)'`}
	undefinedField = lazy.Regexp{Text: `^undefined field '(.*)'$`}
)

// Issue returns the characters that a problem of the compiler is about. Lines
// count from 1, columns from 0 and in code points, as cel-go counts. It reports
// a point, and not always that of the name: a call at its bracket, a selection
// at its dot, a field in has() at the macro. A problem without a position, such
// as an expression that is too deep or too long, is about all of it.
func (t *Text) Issue(line, column int, message string) (start, end int) {
	if line < 1 || column < 0 || line > len(t.lines) {
		return t.Whole()
	}
	at := t.lines[line-1] + column
	if strings.HasPrefix(message, "Syntax error") {
		return t.rest(at)
	}
	if m := quotedName.FindStringSubmatch(message); m != nil {
		name := []rune(m[1])
		for _, from := range []int{at, at + 1, at - len(name)} {
			if t.has(name, from) {
				return from, from + len(name)
			}
		}
	}
	start, end = t.WordAt(at)
	if m := undefinedField.FindStringSubmatch(message); m != nil && t.Slice(start, end) == "has" {
		if from, to, ok := t.lastField(end, m[1]); ok {
			return from, to
		}
	}
	return start, end
}

// Whole is the range of the expression without the space around it.
func (t *Text) Whole() (start, end int) {
	end = len(t.runes)
	for end > 1 && unicode.IsSpace(t.runes[end-1]) {
		end--
	}
	for start < end-1 && unicode.IsSpace(t.runes[start]) {
		start++
	}
	return start, end
}

// Slice is the part of the expression in a range.
func (t *Text) Slice(start, end int) string { return string(t.runes[start:end]) }

// rest is what a syntax error is about: the token at an offset from there on, or
// the last character where the expression ends too early. Of what is never
// closed it is the beginning.
func (t *Text) rest(at int) (start, end int) {
	if at >= len(t.runes) {
		return max(len(t.runes)-1, 0), len(t.runes)
	}
	if i := t.at(at); i >= 0 && !t.List[i].Open {
		return at, t.List[i].End
	}
	return at, at + 1
}

// WordAt is the word or operator that the point at an offset means: the name
// after the dot of a selection, before the bracket of a call or the colon of a
// field.
func (t *Text) WordAt(at int) (start, end int) {
	at = max(at, 0)
	i := -1
	if at < len(t.runes) {
		i = t.at(at)
	}
	if i < 0 {
		return t.rest(at)
	}
	switch {
	case t.Is(i, "."):
		next := i + 1
		if t.Is(next, "?") {
			next++
		}
		if t.IsWord(next) {
			i = next
		}
	case t.Is(i, "("), t.Is(i, ":"):
		if t.IsWord(i - 1) {
			i--
		}
	}
	return t.List[i].Start, t.List[i].End
}

// TypeName is the name of the literal whose point is at an offset: its brace or
// its name, by the version of the parser.
func (t *Text) TypeName(at int) (start, end int) {
	brace := max(t.at(at), 0)
	for brace < len(t.List) && !t.Is(brace, "{") {
		brace++
	}
	if !t.IsWord(brace - 1) {
		return t.WordAt(at)
	}
	return t.List[t.Dotted(brace-1)].Start, t.List[brace-1].End
}

// lastField is the last selection of a field in the brackets that follow an
// offset.
func (t *Text) lastField(after int, name string) (start, end int, ok bool) {
	open := t.Starting(after)
	if !t.Is(open, "(") || t.Partner[open] < 0 {
		return 0, 0, false
	}
	for i := t.Partner[open] - 1; i > open; i-- {
		if t.Is(i, name) && (t.Is(i-1, ".") || t.Is(i-1, "?") && t.Is(i-2, ".")) {
			return t.List[i].Start, t.List[i].End, true
		}
	}
	return 0, 0, false
}

// has reports whether a name, as a whole, is at an offset.
func (t *Text) has(name []rune, from int) bool {
	to := from + len(name)
	return from >= 0 && to <= len(t.runes) && t.Slice(from, to) == string(name)
}
