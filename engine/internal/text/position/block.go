package position

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Block maps the literal (|) or folded (>) scalar whose indicator is source[start]. An explicit
// indentation indicator is relative to the parent, which is unknown here. Instead, want, the
// decoded text, determines the indentation.
func Block(source string, start int, want string) (*ScalarMap, bool) {
	i, chomp := blockHeader(source, start)
	s := &blockScanner{builder: builder{source: source}, folded: source[start] == '>', chomp: chomp}
	s.indent = blockIndent(source, i, want)
	end := s.scan(i)
	if end == i && end > start { // nothing but the header
		end = start + len(strings.TrimRight(source[start:i], " \t\r\n"))
	}
	return s.finish(start, end, want)
}

// blockHeader reads the indicators after | or > up to the end of the line.
func blockHeader(source string, start int) (next int, chomp byte) {
	i := start + 1
	for i < len(source) {
		if width, _ := breakAt(source, i); width > 0 {
			return i + width, chomp
		}
		switch c := source[i]; {
		case c == '#': // a comment: its + and - have no meaning
			return afterLine(source, i), chomp
		case c == '+' || c == '-':
			chomp = c
		}
		i++
	}
	return i, chomp
}

// afterLine returns the offset after the line break that ends the line at i.
func afterLine(source string, i int) int {
	for i < len(source) {
		if width, _ := breakAt(source, i); width > 0 {
			return i + width
		}
		i++
	}
	return i
}

// blockIndent finds the indentation of a block scalar's lines. It compares the first non-empty
// line, decoded and in the source: apart from the indentation, both start with the same blanks.
func blockIndent(source string, i int, want string) int {
	lines := 0
	for {
		width, _ := breakAt(want, 0)
		if width == 0 {
			break
		}
		lines++
		want = want[width:]
	}
	if want == "" {
		// Only line breaks: every blank line is empty.
		return len(source)
	}
	for range lines {
		i = afterLine(source, i)
	}
	return max(leadingSpaces(source[i:])-leadingSpaces(want), 1)
}

func leadingSpaces(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

// blockScanner decodes the lines of a block scalar.
type blockScanner struct {
	builder
	folded bool
	chomp  byte // '+', '-' or 0
	indent int
}

// lineBreak is a line break whose effect is not yet known.
type lineBreak struct {
	at, width int
	decoded   string
}

func (s *blockScanner) emit(list ...lineBreak) {
	for _, l := range list {
		s.encoded(l.decoded, l.at, l.at+l.width)
	}
}

// scan decodes from the first line after the header. It returns the scalar's end: after the last
// line break in its value, or after its last character.
func (s *blockScanner) scan(i int) int {
	end := i
	var leading, trailing []lineBreak // of the last line with text; of empty lines after it
	wasBlank := false
	i, trailing = s.emptyLines(i)
	for i < len(s.source) && s.atContent(i) {
		blank := isBlank(s.source[i])
		if s.folded && !wasBlank && !blank && len(leading) > 0 && leading[0].decoded == "\n" {
			if len(trailing) == 0 {
				s.encoded(" ", leading[0].at, leading[0].at+leading[0].width)
			}
		} else {
			s.emit(leading...)
		}
		s.emit(trailing...)
		wasBlank = blank
		leading = nil
		j := i
		for j < len(s.source) {
			if width, _ := breakAt(s.source, j); width > 0 {
				break
			}
			_, width := utf8.DecodeRuneInString(s.source[j:])
			j += width
		}
		s.verbatim(i, j)
		i, end = j, j
		if j < len(s.source) {
			width, decoded := breakAt(s.source, j)
			leading = []lineBreak{{j, width, decoded}}
			i = j + width
		}
		i, trailing = s.emptyLines(i)
	}
	if s.chomp != '-' {
		s.emit(leading...)
		end = endOf(leading, end)
	}
	if s.chomp == '+' {
		s.emit(trailing...)
		end = endOf(trailing, end)
	}
	return end
}

func endOf(list []lineBreak, otherwise int) int {
	if len(list) == 0 {
		return otherwise
	}
	last := list[len(list)-1]
	return last.at + last.width
}

// emptyLines skips indentation and empty lines. It returns the offset of the first other character.
func (s *blockScanner) emptyLines(i int) (next int, breaks []lineBreak) {
	for {
		line := i
		for i < len(s.source) && s.source[i] == ' ' && i-line < s.indent {
			i++
		}
		if i >= len(s.source) {
			return i, breaks
		}
		width, decoded := breakAt(s.source, i)
		if width == 0 {
			return i, breaks
		}
		breaks = append(breaks, lineBreak{i, width, decoded})
		i += width
	}
}

// atContent reports whether exactly the indentation precedes source[i].
func (s *blockScanner) atContent(i int) bool {
	from := i - s.indent
	return from >= 0 && strings.Count(s.source[from:i], " ") == s.indent && s.lineStart(from)
}

func (s *blockScanner) lineStart(i int) bool {
	if i == 0 {
		return true
	}
	head := s.source[:i]
	return slices.ContainsFunc([]string{"\n", "\r", "\u0085", "\u2028", "\u2029"}, func(b string) bool { return strings.HasSuffix(head, b) })
}
