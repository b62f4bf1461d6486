package typecheck

import (
	"slices"
	"unicode"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
)

// source finds the places of things in an expression. CEL reports a point for
// everything; what is underlined is the word or operator at that point. Offsets
// are code points.
type source struct {
	text  []rune
	lines []int
}

func newSource(expression string) *source {
	s := &source{text: []rune(expression), lines: []int{0}}
	for i, r := range s.text {
		if r == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	return s
}

// issue is the place of a problem that the compiler reports. Lines count from
// 1, columns from 0. A field in has() is reported at the macro.
func (s *source) issue(e *cel.Error) (start, end int) {
	line := min(max(e.Location.Line(), 1), len(s.lines))
	start, end = s.wordAt(s.lines[line-1] + max(e.Location.Column(), 0))
	if m := undefinedField.FindStringSubmatch(e.Message); m != nil && string(s.text[start:end]) == "has" {
		if from, to, ok := s.lastField(end, m[1]); ok {
			return from, to
		}
	}
	return start, end
}

// lastField is the last selection of a field in the brackets that follow an
// offset.
func (s *source) lastField(at int, name string) (start, end int, ok bool) {
	depth := 0
	for i := at; i < len(s.text); i++ {
		switch s.text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth <= 0 {
				return start, end, ok
			}
		case '"', '\'':
			i = s.stringEnd(i) - 1
		case '.':
			if from, to := s.wordAt(i); string(s.text[from:to]) == name {
				start, end, ok = from, to, true
			}
		}
	}
	return start, end, ok
}

// node is the place of a node of the expression.
func (s *source) node(a *ast.AST, id int64) (start, end int) {
	offsets, ok := a.SourceInfo().GetOffsetRange(id)
	if !ok {
		return 0, len(s.text)
	}
	return s.wordAt(int(offsets.Start))
}

// wordAt is the word that the point at an offset stands for: the name after the
// dot of a selection, before the bracket of a call or the colon of a field.
func (s *source) wordAt(at int) (start, end int) {
	at = min(max(at, 0), len(s.text))
	if at == len(s.text) {
		return at, at
	}
	switch r := s.text[at]; {
	case r == '.':
		return s.wordFrom(s.skip(at+1, "?"))
	case r == '(' || r == ':':
		if start, end := s.wordBefore(at); start < end {
			return start, end
		}
	case r == '"' || r == '\'':
		return at, s.stringEnd(at)
	case slices.Contains([]rune("=!<>&|+-*/%"), r):
		end = at + 1
		for end < len(s.text) && end < at+2 && slices.Contains([]rune("=&|"), s.text[end]) {
			end++
		}
		return at, end
	}
	return s.wordFrom(at)
}

func (s *source) skip(at int, what string) int {
	for at < len(s.text) && (unicode.IsSpace(s.text[at]) || slices.Contains([]rune(what), s.text[at])) {
		at++
	}
	return at
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordFrom is the word that begins at an offset, at least one character.
func (s *source) wordFrom(at int) (start, end int) {
	end = at
	for end < len(s.text) && isWord(s.text[end]) {
		end++
	}
	if end < len(s.text) && end > at && (s.text[end] == '"' || s.text[end] == '\'') {
		end = s.stringEnd(end) // the prefix of a string, such as r or b
	}
	return at, min(max(end, at+1), len(s.text))
}

func (s *source) wordBefore(at int) (start, end int) {
	for at > 0 && unicode.IsSpace(s.text[at-1]) {
		at--
	}
	start = at
	for start > 0 && isWord(s.text[start-1]) {
		start--
	}
	return start, at
}

// stringEnd is the offset after the string that begins with the quote at an
// offset.
func (s *source) stringEnd(at int) int {
	for i := at + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case s.text[at]:
			return i + 1
		}
	}
	return len(s.text)
}

// typeName is the name of the literal that stands before its brace.
func (s *source) typeName(a *ast.AST, id int64, name string) (start, end int) {
	offsets, ok := a.SourceInfo().GetOffsetRange(id)
	if !ok {
		return 0, len(s.text)
	}
	// The point is the brace or the name, by the version of the parser.
	brace := int(offsets.Start)
	for brace < len(s.text) && s.text[brace] != '{' {
		brace++
	}
	end = brace
	for end > 0 && unicode.IsSpace(s.text[end-1]) {
		end--
	}
	return max(end-len([]rune(name)), 0), end
}
