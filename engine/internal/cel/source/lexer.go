// Package source reads the text of a CEL expression, whether or not it
// compiles: its tokens, and the characters that a position of cel-go is about.
//
// Offsets are code points in the expression, half-open, 0-based, unless they
// are called bytes.
package source

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what a token is.
type Kind int

// The kinds of tokens.
const (
	Word    Kind = iota // identifiers, also in backticks, and in, true, false, null
	Number              // with its sign of an exponent, without one before it
	String              // strings and bytes, with prefix and quotes
	Symbol              // operators, brackets, and what CEL does not know
	Comment             // without the end of the line
)

// Token is a piece of an expression.
type Token struct {
	Kind       Kind
	Text       string
	Start, End int // code points
	Bytes      int // offset of the first byte
	// Open says that the text ends within a string, a comment or a name in
	// backticks.
	Open bool
}

// EndBytes is the offset of the first byte after the token.
func (t Token) EndBytes() int { return t.Bytes + len(t.Text) }

// Literal is the text in a String, without prefix and quotes; escapes stay as
// they are.
func (t Token) Literal() string {
	text := strings.TrimLeft(t.Text, "rRbB")
	if text == "" {
		return ""
	}
	quote := text[:1]
	if triple := strings.Repeat(quote, 3); len(text) >= 6 && strings.HasPrefix(text, triple) {
		quote = triple
	}
	text = text[len(quote):]
	if !t.Open {
		text = strings.TrimSuffix(text, quote)
	}
	return text
}

// Lex cuts an expression into tokens. It accepts anything: what is being typed
// seldom parses.
func Lex(expression string) []Token {
	s := &scanner{source: expression}
	for s.at < len(expression) {
		s.next()
	}
	return s.out
}

// Backticks are the places of the backticks that are in no string and no
// comment.
func Backticks(expression string) []int {
	var out []int
	s := &scanner{source: expression}
	for s.at < len(expression) {
		if s.peek(0) == '`' {
			out = append(out, s.runes)
			s.advance()
			continue
		}
		s.next()
	}
	return out
}

type scanner struct {
	source    string
	at, runes int // the same place in bytes and code points
	out       []Token
}

// peek is the byte n bytes ahead, 0 after the end. What a token begins and ends
// with is ASCII, which no other character contains a byte of.
func (s *scanner) peek(n int) byte {
	if s.at+n < len(s.source) {
		return s.source[s.at+n]
	}
	return 0
}

func (s *scanner) rune() rune {
	r, _ := utf8.DecodeRuneInString(s.source[s.at:])
	return r
}

func (s *scanner) advance() {
	_, width := utf8.DecodeRuneInString(s.source[s.at:])
	if width > 0 {
		s.at, s.runes = s.at+width, s.runes+1
	}
}

func (s *scanner) skip(n int) {
	for range n {
		s.advance()
	}
}

func (s *scanner) next() {
	t := Token{Kind: Symbol, Start: s.runes, Bytes: s.at}
	switch r := s.rune(); {
	case unicode.IsSpace(r):
		s.advance()
		return
	case r == '/' && s.peek(1) == '/':
		t.Kind = Comment
		s.while(func(r rune) bool { return r != '\n' })
		t.Open = s.at == len(s.source)
	case s.stringPrefix() >= 0:
		t.Kind = String
		t.Open = !s.quoted(s.stringPrefix())
	case r == '`':
		t.Kind = Word
		s.advance()
		s.while(func(r rune) bool { return r != '`' })
		t.Open = s.at == len(s.source)
		s.advance()
	case r == '_' || unicode.IsLetter(r):
		t.Kind = Word
		s.while(isWord)
	case unicode.IsDigit(r), r == '.' && isDigit(s.peek(1)):
		t.Kind = Number
		s.number()
	default:
		pair := slices.Contains(pairs, s.source[s.at:min(s.at+2, len(s.source))])
		s.advance()
		if pair {
			s.advance()
		}
	}
	t.End, t.Text = s.runes, s.source[t.Bytes:s.at]
	s.out = append(s.out, t)
}

var pairs = []string{"==", "!=", "<=", ">=", "&&", "||"}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (s *scanner) while(in func(rune) bool) {
	for s.at < len(s.source) && in(s.rune()) {
		s.advance()
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
		if !exponent && (s.peek(0) != '.' || !isDigit(s.peek(1))) {
			return
		}
		s.advance()
	}
}

// stringPrefix is the number of letters before the quote of a string that
// begins here, -1 if none does.
func (s *scanner) stringPrefix() int {
	for n := range 3 {
		switch c := s.peek(n); {
		case c == '"' || c == '\'':
			return n
		case strings.IndexByte("rRbB", c) < 0:
			return -1
		}
	}
	return -1
}

// quoted reads a string and reports whether it ends.
func (s *scanner) quoted(prefix int) bool {
	raw := strings.ContainsAny(s.source[s.at:s.at+prefix], "rR")
	s.skip(prefix)
	quote := s.source[s.at : s.at+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(s.source[s.at:], triple) {
		quote = triple
	}
	for s.skip(len(quote)); s.at < len(s.source); s.advance() {
		if s.peek(0) == '\\' && !raw {
			s.advance()
		} else if strings.HasPrefix(s.source[s.at:], quote) {
			s.skip(len(quote))
			return true
		}
	}
	return false
}
