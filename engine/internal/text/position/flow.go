package position

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// breakAt reports whether a YAML 1.1 line break starts at source[i], with its length in bytes and
// decoded form. CR LF, CR, LF and NEL decode to a line feed; line and paragraph separators stay.
func breakAt(source string, i int) (width int, decoded string) {
	rest := source[i:]
	switch {
	case strings.HasPrefix(rest, "\r\n"):
		return 2, "\n"
	case strings.HasPrefix(rest, "\n"), strings.HasPrefix(rest, "\r"):
		return 1, "\n"
	case strings.HasPrefix(rest, "\u0085"):
		return 2, "\n"
	case strings.HasPrefix(rest, "\u2028"), strings.HasPrefix(rest, "\u2029"):
		return 3, rest[:3]
	}
	return 0, ""
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// fold reads the white space at source[i], which has at least one line break or follows an escaped
// one, and adds its decoded form: a single line feed becomes a space, further ones stay. It returns
// the offset after it.
func (b *builder) fold(i int, escaped bool) int {
	first := !escaped
	single, singleWidth := -1, 0
	for i < len(b.source) {
		if isBlank(b.source[i]) {
			i++
			continue
		}
		width, decoded := breakAt(b.source, i)
		if width == 0 {
			break
		}
		switch {
		case first && decoded == "\n":
			single, singleWidth = i, width
		default:
			single = -1
			b.encoded(decoded, i, i+width)
		}
		first = false
		i += width
	}
	if single >= 0 {
		b.encoded(" ", single, single+singleWidth)
	}
	return i
}

// blanks reads the white space at source[i]: literally if text follows on the line, folded at the
// line's end.
func (b *builder) blanks(i int) int {
	j := i
	for j < len(b.source) && isBlank(b.source[j]) {
		j++
	}
	if j < len(b.source) {
		if width, _ := breakAt(b.source, j); width > 0 {
			return b.fold(j, false)
		}
	}
	b.verbatim(i, j)
	return j
}

func blankOrBreak(source string, i int) bool {
	if isBlank(source[i]) {
		return true
	}
	width, _ := breakAt(source, i)
	return width > 0
}

// Plain maps the plain (unquoted) scalar at source[start]. Its end depends on the context, so its
// decoded text, want, decides.
func Plain(source string, start int, want string) (*ScalarMap, bool) {
	b := builder{source: source}
	i, end := start, start
	for i < len(source) && b.decoded.Len() < len(want) {
		if blankOrBreak(source, i) {
			i = b.blanks(i)
			continue
		}
		_, width := utf8.DecodeRuneInString(source[i:])
		b.verbatim(i, i+width)
		i += width
		end = i
	}
	return b.finish(start, end, want)
}

// SingleQuoted maps the single-quoted scalar whose quote is source[start].
func SingleQuoted(source string, start int, want string) (*ScalarMap, bool) {
	b := builder{source: source}
	for i := start + 1; i < len(source); {
		switch {
		case strings.HasPrefix(source[i:], "''"):
			b.encoded("'", i, i+2)
			i += 2
		case source[i] == '\'':
			return b.finish(start, i+1, want)
		case blankOrBreak(source, i):
			i = b.blanks(i)
		default:
			_, width := utf8.DecodeRuneInString(source[i:])
			b.verbatim(i, i+width)
			i += width
		}
	}
	return nil, false
}

// DoubleQuoted maps the double-quoted scalar whose quote is source[start].
func DoubleQuoted(source string, start int, want string) (*ScalarMap, bool) {
	b := builder{source: source}
	return b.quoted(start, want, b.escape, true)
}

// quoted maps a text in double quotes, whose escapes escape reads. Folds says that blanks around the
// ends of lines are folded.
func (b *builder) quoted(start int, want string, escape func(i int) (next int, ok bool), folds bool) (*ScalarMap, bool) {
	for i := start + 1; i < len(b.source); {
		switch {
		case b.source[i] == '"':
			return b.finish(start, i+1, want)
		case b.source[i] == '\\':
			next, ok := escape(i)
			if !ok {
				return nil, false
			}
			i = next
		case folds && blankOrBreak(b.source, i):
			i = b.blanks(i)
		default:
			_, width := utf8.DecodeRuneInString(b.source[i:])
			b.verbatim(i, i+width)
			i += width
		}
	}
	return nil, false
}

// yamlEscapes are the one-letter escapes in YAML 1.1 double-quoted scalars.
var yamlEscapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v",
	'f': "\f", 'r': "\r", 'e': "\x1b", ' ': " ", '"': `"`, '\'': "'", '\\': `\`,
	'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// hexEscapes maps escapes to their number of hexadecimal digits.
var hexEscapes = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// escape reads the YAML escape whose backslash is source[i].
func (b *builder) escape(i int) (next int, ok bool) {
	if i+1 >= len(b.source) {
		return 0, false
	}
	if width, _ := breakAt(b.source, i+1); width > 0 {
		return b.fold(i+1+width, true), true
	}
	c := b.source[i+1]
	if s, found := yamlEscapes[c]; found {
		b.encoded(s, i, i+2)
		return i + 2, true
	}
	digits := hexEscapes[c]
	if digits == 0 {
		return 0, false
	}
	code, ok := hexAt(b.source, i+2, digits)
	if !ok {
		return 0, false
	}
	b.encoded(string(code), i, i+2+digits)
	return i + 2 + digits, true
}

func hexAt(source string, i, digits int) (rune, bool) {
	if i+digits > len(source) {
		return 0, false
	}
	n, err := strconv.ParseUint(source[i:i+digits], 16, 32)
	if err != nil || n > utf8.MaxRune {
		return 0, false
	}
	return rune(n), true
}

// JSONString maps the JSON string whose quote is source[start] (RFC 8259 §7). A pair of escaped
// surrogates is one code point. A lone one decodes to U+FFFD, as in encoding/json.
func JSONString(source string, start int, want string) (*ScalarMap, bool) {
	b := builder{source: source}
	return b.quoted(start, want, b.jsonEscape, false)
}

var jsonEscapes = map[byte]string{
	'"': `"`, '\\': `\`, '/': "/", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t",
}

func (b *builder) jsonEscape(i int) (next int, ok bool) {
	if i+1 >= len(b.source) {
		return 0, false
	}
	if s, found := jsonEscapes[b.source[i+1]]; found {
		b.encoded(s, i, i+2)
		return i + 2, true
	}
	if b.source[i+1] != 'u' {
		return 0, false
	}
	code, ok := hexAt(b.source, i+2, 4)
	if !ok {
		return 0, false
	}
	end := i + 6
	if utf16.IsSurrogate(code) {
		low, found := rune(0), false
		if strings.HasPrefix(b.source[end:], `\u`) {
			low, found = hexAt(b.source, end+2, 4)
		}
		pair := utf16.DecodeRune(code, low)
		if found && pair != utf8.RuneError {
			code, end = pair, end+6
		} else {
			code = utf8.RuneError
		}
	}
	b.encoded(string(code), i, end)
	return end, true
}
