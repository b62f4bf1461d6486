package language

import (
	"sort"
	"unicode/utf8"

	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/engine/diag"
)

// lines converts between bytes of a text and the editor's places.
type lines struct {
	text   string
	starts []int
	utf8   bool
}

func newLines(text string, bytes bool) *lines {
	l := &lines{text: text, starts: []int{0}, utf8: bytes}
	for i := range len(text) {
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// end is where a line ends, without its line break.
func (l *lines) end(line int) int {
	if line+1 == len(l.starts) {
		return len(l.text)
	}
	end := l.starts[line+1] - 1
	if end > l.starts[line] && l.text[end] == '\n' && l.text[end-1] == '\r' {
		end--
	}
	return end
}

// offset is the byte at a place. A place outside is the nearest one inside, as the protocol says.
func (l *lines) offset(p protocol.Position) int {
	line := int(p.Line)
	if line >= len(l.starts) {
		return len(l.text)
	}
	at, end := l.starts[line], l.end(line)
	if l.utf8 {
		at = min(at+int(p.Character), end)
		for at > l.starts[line] && at < len(l.text) && !utf8.RuneStart(l.text[at]) {
			at--
		}
		return at
	}
	for units := int(p.Character); units > 0 && at < end; {
		r, size := utf8.DecodeRuneInString(l.text[at:end])
		if units -= width(r); units < 0 {
			break // within a pair
		}
		at += size
	}
	return at
}

// width is the length of a character in UTF-16 units.
func width(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// at is the place of a byte.
func (l *lines) at(offset int) protocol.Position {
	offset = max(0, min(offset, len(l.text)))
	line := sort.SearchInts(l.starts, offset+1) - 1
	character := offset - l.starts[line]
	if !l.utf8 {
		character = 0
		for _, r := range l.text[l.starts[line]:offset] {
			character += width(r)
		}
	}
	return protocol.Position{Line: uint32(line), Character: uint32(character)}
}

// span is the range of bytes of the text.
func (l *lines) span(s diag.Span) protocol.Range {
	return protocol.Range{Start: l.at(s.Start), End: l.at(max(s.Start, s.End))}
}
