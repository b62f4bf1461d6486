// Package position converts between the two places where one piece of text
// is: in the decoded value of a YAML or JSON scalar (a CEL expression, say),
// and in the text that the user typed.
//
// It exists because no parser we use says more than where a scalar starts.
// Block scalars lose indentation, folded ones lose line breaks, quoted ones
// hold escapes: an offset in the value is not an offset in the text plus a
// constant. Everything in the engine that converts offsets does it here; the page
// converts bytes to the UTF-16 units of a browser (web/app/offsets.ts).
//
// Units: "runes" count code points, "bytes" count UTF-8 bytes, both 0-based.
package position

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
)

// ScalarMap maps the decoded text of one scalar to the source that encodes it. Plain, SingleQuoted,
// DoubleQuoted, Block and JSONString create one.
type ScalarMap struct {
	// Text is the decoded value.
	Text string
	// Span is the whole scalar in the source, with its quotes or block header.
	Span diag.Span

	segments []segment
	runes    int // code points in Text
}

// segment is a run of decoded text and its source. In a verbatim segment both are the same bytes.
// Any other segment is one decoded code point (an escape, a folded line break). Source between
// segments encodes nothing: indentation, an escaped line break.
type segment struct {
	rune, runes int // in the decoded text, code points
	dec, decLen int // in the decoded text, bytes
	src, srcLen int // in the source, bytes
	verbatim    bool
}

// SpanOfRunes returns the source of decoded code points start to end (half-open). Offsets are
// clamped to the text. An empty range returns an empty span before the character at start.
func (m *ScalarMap) SpanOfRunes(start, end int) diag.Span {
	start = min(max(start, 0), m.runes)
	end = min(max(end, start), m.runes)
	if start == end {
		at := m.startOfRune(start)
		return diag.Span{Start: at, End: at}
	}
	_, last := m.sourceOfRune(end - 1)
	return diag.Span{Start: m.startOfRune(start), End: last}
}

// startOfRune returns the source offset of code point r; for r == m.runes, the end of the last one.
func (m *ScalarMap) startOfRune(r int) int {
	if len(m.segments) == 0 {
		return m.Span.Start
	}
	if r >= m.runes {
		last := m.segments[len(m.segments)-1]
		return last.src + last.srcLen
	}
	start, _ := m.sourceOfRune(r)
	return start
}

// sourceOfRune returns the source of code point r, which must exist.
func (m *ScalarMap) sourceOfRune(r int) (start, end int) {
	i := sort.Search(len(m.segments), func(i int) bool {
		s := m.segments[i]
		return s.rune+s.runes > r
	})
	s := m.segments[i]
	if !s.verbatim {
		return s.src, s.src + s.srcLen
	}
	at := r - s.rune
	if s.runes != s.decLen { // not only ASCII
		at = byteOfRune(m.Text[s.dec:s.dec+s.decLen], at)
	}
	_, width := utf8.DecodeRuneInString(m.Text[s.dec+at : s.dec+s.decLen])
	return s.src + at, s.src + at + width
}

// byteOfRune returns the byte offset of code point n in s, or len(s).
func byteOfRune(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// builder collects a scalar's segments from left to right.
type builder struct {
	source  string
	decoded strings.Builder
	m       ScalarMap
}

// verbatim adds source[start:end] unchanged.
func (b *builder) verbatim(start, end int) {
	if start >= end {
		return
	}
	part := b.source[start:end]
	if n := len(b.m.segments); n > 0 {
		last := &b.m.segments[n-1]
		if last.verbatim && last.src+last.srcLen == start {
			last.decLen += len(part)
			last.srcLen += len(part)
			count := utf8.RuneCountInString(part)
			last.runes += count
			b.m.runes += count
			b.decoded.WriteString(part)
			return
		}
	}
	b.add(part, start, end, true)
}

// encoded adds the single code point in s, encoded by source[start:end].
func (b *builder) encoded(s string, start, end int) { b.add(s, start, end, false) }

func (b *builder) add(s string, start, end int, verbatim bool) {
	count := utf8.RuneCountInString(s)
	b.m.segments = append(b.m.segments, segment{
		rune: b.m.runes, runes: count,
		dec: b.decoded.Len(), decLen: len(s),
		src: start, srcLen: end - start,
		verbatim: verbatim,
	})
	b.m.runes += count
	b.decoded.WriteString(s)
}

// finish compares the decoded text with want, the value from the parser that we use. A map of a
// different text would have wrong places.
func (b *builder) finish(start, end int, want string) (*ScalarMap, bool) {
	if b.decoded.String() != want {
		return nil, false
	}
	b.m.Text = want
	b.m.Span = diag.Span{Start: start, End: end}
	return &b.m, true
}
