package position

import (
	"sort"
	"unicode/utf8"
)

// Index converts offsets in one text between UTF-8 bytes and code points, in time logarithmic in
// the text's length.
type Index struct {
	text  string
	marks []mark
}

// mark is a place with its offset in both units.
type mark struct{ bytes, runes int }

// markEvery is the number of bytes between two marks.
const markEvery = 256

// NewIndex returns an index for a text.
func NewIndex(text string) *Index {
	x := &Index{text: text, marks: []mark{{}}}
	var at mark
	for i := range text {
		if i >= x.marks[len(x.marks)-1].bytes+markEvery {
			at.bytes = i
			x.marks = append(x.marks, at)
		}
		at.runes++
	}
	return x
}

// find walks to the last place at or before offset, in the given unit. Offsets are clamped to the
// text.
func (x *Index) find(offset int, unit func(mark) int) mark {
	offset = max(offset, 0)
	i := sort.Search(len(x.marks), func(i int) bool { return unit(x.marks[i]) > offset })
	at := x.marks[max(i-1, 0)]
	for at.bytes < len(x.text) && unit(at) < offset {
		_, width := utf8.DecodeRuneInString(x.text[at.bytes:])
		next := mark{at.bytes + width, at.runes + 1}
		if unit(next) > offset {
			break
		}
		at = next
	}
	return at
}

func inBytes(m mark) int { return m.bytes }
func inRunes(m mark) int { return m.runes }

// Runes converts a byte offset to code points.
func (x *Index) Runes(offset int) int { return x.find(offset, inBytes).runes }

// FromRunes converts code points to a byte offset.
func (x *Index) FromRunes(runes int) int { return x.find(runes, inRunes).bytes }

// LineStarts returns the byte offset of every line of text that starts at or after offset from.
// Lines end as in YAML 1.1: also at CR, NEL, LS and PS.
func LineStarts(text string, from int) []int {
	starts := []int{from}
	for i := from; i < len(text); {
		if width, _ := breakAt(text, i); width > 0 {
			i += width
			starts = append(starts, i)
			continue
		}
		i++
	}
	return starts
}
