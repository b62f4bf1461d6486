package text

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
)

// Sources map a scenario's texts to files.
type Sources map[diag.Text]*Source

// Source is one text of a scenario with the files that it was joined from.
type Source struct {
	Text   string
	Pieces []Piece // by Start
	// starts are the offsets of line starts after the first. added is how much of the text they
	// cover.
	starts []int
	added  int
	// counts are for a text of one long line with thousands of problems: the runes before about
	// every countEach bytes.
	counts []runeCount
}

// runeCount is how many runes a text has before an offset.
type runeCount struct{ offset, runes int }

const countEach = 4096

// Piece is the part of a text from one file.
type Piece struct {
	File string
	// Start is the piece's byte offset in the text, and Line the corresponding line of the file
	// (1-based). Column is the number of characters before the piece's lines in the file; negative
	// if the piece is indented further.
	Start  int
	Line   int
	Column int
}

// Place is a place in a file.
type Place struct {
	File         string
	Line, Column int // 1-based; columns in runes
	// Source is the line of text, and at the place's byte offset in it.
	Source string
	at     int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Separator separates files in one text.
const Separator = "\n---\n"

// Add appends a file to a text. line is the file's line at which content begins.
func (s *Source) Add(file, content string, line int) {
	if s.Text != "" {
		s.Text += Separator
	}
	s.Pieces = append(s.Pieces, Piece{File: file, Start: len(s.Text), Line: line})
	s.Text += content
}

// index finds the line starts in text added since the last call. A Source is not safe for
// concurrent use.
func (s *Source) index() {
	for ; s.added < len(s.Text); s.added++ {
		if s.Text[s.added] == '\n' {
			s.starts = append(s.starts, s.added+1)
		}
	}
}

// runesBefore counts the runes before an offset of the text.
func (s *Source) runesBefore(offset int) int {
	if len(s.counts) == 0 {
		s.counts = []runeCount{{}}
	}
	last := s.counts[len(s.counts)-1]
	for last.offset+countEach <= offset {
		next := last.offset + countEach
		for next < offset && !utf8.RuneStart(s.Text[next]) {
			next++
		}
		last = runeCount{next, last.runes + utf8.RuneCountInString(s.Text[last.offset:next])}
		s.counts = append(s.counts, last)
	}
	i, found := slices.BinarySearchFunc(s.counts, offset, func(c runeCount, at int) int { return c.offset - at })
	if !found {
		i--
	}
	return s.counts[i].runes + utf8.RuneCountInString(s.Text[s.counts[i].offset:offset])
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
	s.index()
	first, last := sort.SearchInts(s.starts, piece.Start+1), sort.SearchInts(s.starts, offset+1)
	start, end := piece.Start, len(s.Text)
	if last > first {
		start = s.starts[last-1]
	}
	if last < len(s.starts) {
		end = s.starts[last] - 1
	}
	column := piece.Column + 1 + s.runesBefore(offset) - s.runesBefore(start)
	start = min(start+max(-piece.Column, 0), end) // the file has it further left
	return Place{File: piece.File, Line: piece.Line + last - first, Column: column, Source: strings.TrimSuffix(s.Text[start:end], "\r"), at: max(offset-start, 0)}
}

// Place returns the start of a span in its file. It is false for a text without a file.
func (s Sources) Place(text diag.Text, span diag.Span) (Place, bool) {
	source, ok := s[text]
	if !ok || len(source.Pieces) == 0 {
		return Place{}, false
	}
	return source.At(span.Start), true
}
