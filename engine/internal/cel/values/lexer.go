// Package values knows the parts of a CEL expression: where each is in the text,
// and which value and cost it had when the expression ran.
//
// cel-go keeps one position for each node, of its operator or bracket, not its extent; and
// it replaces macros by what they stand for. Here is the tree as it was
// written, every node with the range of runes that belongs to it.
//
// Offsets are runes in the expression, half-open, 0-based.
package values

import (
	"slices"
	"strings"
	"unicode"
)

// Kind of a token.
type tokenKind int

const (
	word tokenKind = iota // identifiers and the words in, true, false, null
	number
	text // strings and bytes, with prefix and quotes
	symbol
)

type token struct {
	kind       tokenKind
	start, end int
	text       string
}

// scanner cuts an expression into tokens. The expression is known to compile,
// so there is nothing to report.
type scanner struct {
	source []rune
	at     int
	out    []token
}

func scan(source []rune) []token {
	s := &scanner{source: source}
	for s.at < len(source) {
		s.next()
	}
	return s.out
}

func (s *scanner) peek(n int) rune {
	if s.at+n < len(s.source) {
		return s.source[s.at+n]
	}
	return 0
}

func (s *scanner) next() {
	start, kind := s.at, symbol
	switch r := s.peek(0); {
	case unicode.IsSpace(r):
		s.at++
		return
	case r == '/' && s.peek(1) == '/':
		for s.at < len(s.source) && s.source[s.at] != '\n' {
			s.at++
		}
		return
	case s.stringPrefix() >= 0:
		kind = text
		s.quoted(s.stringPrefix())
	case r == '`':
		kind = word
		s.at++
		for s.at < len(s.source) && s.source[s.at] != '`' {
			s.at++
		}
		s.at++
	case r == '_' || unicode.IsLetter(r):
		kind = word
		s.while(isWord)
	case unicode.IsDigit(r), r == '.' && unicode.IsDigit(s.peek(1)):
		kind = number
		s.number()
	default:
		s.at++
		if slices.Contains(pairs, string(r)+string(s.peek(0))) {
			s.at++
		}
	}
	s.at = min(s.at, len(s.source))
	s.out = append(s.out, token{kind, start, s.at, string(s.source[start:s.at])})
}

var pairs = []string{"==", "!=", "<=", ">=", "&&", "||"}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func (s *scanner) while(in func(rune) bool) {
	for s.at < len(s.source) && in(s.source[s.at]) {
		s.at++
	}
}

// number also takes what follows a point when that is a digit, and the sign of
// an exponent.
func (s *scanner) number() {
	hex := s.peek(0) == '0' && (s.peek(1) == 'x' || s.peek(1) == 'X')
	for {
		s.while(isWord)
		last := s.source[max(s.at-1, 0)]
		exponent := !hex && (last == 'e' || last == 'E') && (s.peek(0) == '-' || s.peek(0) == '+')
		if !exponent && (s.peek(0) != '.' || !unicode.IsDigit(s.peek(1))) {
			return
		}
		s.at++
	}
}

// stringPrefix is the number of letters before the quote of a string that
// begins here, -1 if none does.
func (s *scanner) stringPrefix() int {
	for n := range 3 {
		switch r := s.peek(n); {
		case r == '"' || r == '\'':
			return n
		case !strings.ContainsRune("rRbB", r):
			return -1
		}
	}
	return -1
}

func (s *scanner) quoted(prefix int) {
	raw := slices.ContainsFunc(s.source[s.at:s.at+prefix], func(r rune) bool { return r == 'r' || r == 'R' })
	s.at += prefix
	quote, width := s.peek(0), 1
	if s.peek(1) == quote && s.peek(2) == quote {
		width = 3
	}
	for s.at += width; s.at < len(s.source); s.at++ {
		if s.peek(0) == '\\' && !raw {
			s.at++
		} else if s.closes(quote, width) {
			s.at += width
			return
		}
	}
}

func (s *scanner) closes(quote rune, width int) bool {
	for n := range width {
		if s.peek(n) != quote {
			return false
		}
	}
	return true
}

// tokens are the tokens of an expression, with their brackets paired.
type tokens struct {
	list    []token
	partner []int // of a bracket, the index of the other one; -1 otherwise
}

func newTokens(source []rune) *tokens {
	t := &tokens{list: scan(source)}
	t.partner = make([]int, len(t.list))
	var open []int
	for i, k := range t.list {
		t.partner[i] = -1
		if k.kind != symbol {
			continue
		}
		switch k.text {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			if n := len(open); n > 0 {
				t.partner[i], t.partner[open[n-1]] = open[n-1], i
				open = open[:n-1]
			}
		}
	}
	return t
}

// starting is the index of the token that begins at or first after an offset.
func (t *tokens) starting(offset int) int {
	i, _ := slices.BinarySearchFunc(t.list, offset, func(k token, at int) int { return k.start - at })
	return i
}

// is reports whether token i is a certain symbol or word.
func (t *tokens) is(i int, text string) bool {
	return i >= 0 && i < len(t.list) && t.list[i].kind != number && t.list[i].text == text
}

func (t *tokens) isWord(i int) bool {
	return i >= 0 && i < len(t.list) && t.list[i].kind == word && t.list[i].text != "in"
}

// ends reports whether an operand ends with token i, so that a sign or a point
// after it is an operator.
func (t *tokens) ends(i int) bool {
	if i < 0 {
		return false
	}
	k := t.list[i]
	return k.kind == number || k.kind == text || t.isWord(i) || k.text == ")" || k.text == "]" || k.text == "}"
}

// dotted is the index of the token where the dotted name begins that ends with
// token i.
func (t *tokens) dotted(i int) int {
	for t.is(i-1, ".") && t.isWord(i-2) {
		i -= 2
	}
	if t.is(i-1, ".") && !t.ends(i-2) {
		i--
	}
	return i
}

// around widens a range by what encloses just it and leaves no node: parentheses
// and, unless a point or bracket follows, signs that cancel each other out.
func (t *tokens) around(start, end int, signs bool) (int, int) {
	first, last := t.starting(start), t.starting(end)-1
	for first < len(t.list) && last >= first {
		switch {
		case t.is(first-1, "(") && t.partner[first-1] == last+1 && !t.isWord(first-2):
			first, last = first-1, last+1
			start, end = t.list[first].start, t.list[last].end
		case t.is(first-1, "!") && t.is(first-2, "!"),
			t.is(first-1, "-") && t.is(first-2, "-") && !t.ends(first-3):
			first -= 2
			if signs {
				start = t.list[first].start
			}
		default:
			return start, end
		}
	}
	return start, end
}

// Backticks are the places of the backticks of a text that stand in no string
// and no comment. The text need not compile.
func Backticks(expression string) []int {
	var out []int
	s := &scanner{source: []rune(expression)}
	for s.at < len(s.source) {
		if s.peek(0) == '`' {
			out = append(out, s.at)
			s.at++
			continue
		}
		s.next()
	}
	return out
}
