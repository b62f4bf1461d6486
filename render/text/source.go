package text

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
)

// Sources say where the texts of a scenario came from.
type Sources map[diag.Text]*Source

// Source is one text of a scenario and the files that it was put together
// from.
type Source struct {
	Text   string
	Pieces []Piece // by Start
	// starts are the offsets at which lines begin, after the first; added is how
	// much of the text they are of.
	starts []int
	added  int
}

// Piece is the part of a text that came from one file.
type Piece struct {
	File string
	// Start is the byte offset in the text at which the piece begins, Line the
	// line of the file that is there (1-based). Column is how many characters
	// the lines of the file have before those of the piece; negative where those of
	// the piece are indented further.
	Start  int
	Line   int
	Column int
}

// Place is a place in a file.
type Place struct {
	File         string
	Line, Column int // 1-based; columns in runes
	// Source is the line of text.
	Source string
}

func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Separator is between the files that make up one text.
const Separator = "\n---\n"

// Add appends a file to a text; line is the line of the file at which content
// begins.
func (s *Source) Add(file, content string, line int) {
	if s.Text != "" {
		s.Text += Separator
	}
	s.Pieces = append(s.Pieces, Piece{File: file, Start: len(s.Text), Line: line})
	s.Text += content
}

// index finds the lines of what the text has got since the last time. A Source is
// used by one goroutine.
func (s *Source) index() {
	for ; s.added < len(s.Text); s.added++ {
		if s.Text[s.added] == '\n' {
			s.starts = append(s.starts, s.added+1)
		}
	}
}

// lineColumn is the line and column of an offset, counted from that of another.
func (s *Source) lineColumn(from, offset int) (line, column int) {
	s.index()
	first, last := sort.SearchInts(s.starts, from+1), sort.SearchInts(s.starts, offset+1)
	start := from
	if last > first {
		start = s.starts[last-1]
	}
	return last - first + 1, 1 + utf8.RuneCountInString(s.Text[start:offset])
}

// At returns the place of a byte offset.
func (s *Source) At(offset int) Place {
	offset = min(max(offset, 0), len(s.Text))
	i, found := slices.BinarySearchFunc(s.Pieces, offset, func(p Piece, at int) int { return p.Start - at })
	if !found {
		i--
	}
	if i < 0 {
		return Place{Line: 1, Column: 1}
	}
	piece := s.Pieces[i]
	line, column := s.lineColumn(piece.Start, offset)
	begin := strings.LastIndexByte(s.Text[:offset], '\n') + 1
	source, _, _ := strings.Cut(s.Text[begin:], "\n")
	source = source[min(len(source), max(-piece.Column, 0)):] // the file has it further left
	return Place{File: piece.File, Line: piece.Line + line - 1, Column: piece.Column + column, Source: strings.TrimSuffix(source, "\r")}
}

// Place says where a span of a text begins. It is false for a text of no
// file.
func (s Sources) Place(text diag.Text, span diag.Span) (Place, bool) {
	source, ok := s[text]
	if !ok || len(source.Pieces) == 0 {
		return Place{}, false
	}
	return source.At(span.Start), true
}
