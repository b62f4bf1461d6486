package position

import (
	"sort"
	"unicode/utf8"
)

// Index converts offsets within one text between UTF-8 bytes, code points and
// UTF-16 units (what JavaScript strings and browser editors count in).
// Conversions take time logarithmic in the length of the text.
type Index struct {
	text  string
	marks []mark
}

// mark is a place whose offset is known in all three units.
type mark struct{ bytes, runes, units int }

// markEvery is the number of bytes between two marks.
const markEvery = 256

// NewIndex prepares the conversion of offsets in text.
func NewIndex(text string) *Index {
	x := &Index{text: text, marks: []mark{{}}}
	var at mark
	for i, r := range text {
		if i >= x.marks[len(x.marks)-1].bytes+markEvery {
			at.bytes = i
			x.marks = append(x.marks, at)
		}
		at.runes++
		at.units += unitsOf(r)
	}
	return x
}

func unitsOf(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// find walks to the last place whose offset in the given unit is not beyond
// offset. Offsets are clamped to the text.
func (x *Index) find(offset int, unit func(mark) int) mark {
	offset = max(offset, 0)
	i := sort.Search(len(x.marks), func(i int) bool { return unit(x.marks[i]) > offset })
	at := x.marks[max(i-1, 0)]
	for at.bytes < len(x.text) && unit(at) < offset {
		r, width := utf8.DecodeRuneInString(x.text[at.bytes:])
		next := mark{at.bytes + width, at.runes + 1, at.units + unitsOf(r)}
		if unit(next) > offset {
			break
		}
		at = next
	}
	return at
}

func inBytes(m mark) int { return m.bytes }
func inRunes(m mark) int { return m.runes }
func inUnits(m mark) int { return m.units }

// UTF16 converts a byte offset to UTF-16 units.
func (x *Index) UTF16(offset int) int { return x.find(offset, inBytes).units }

// FromUTF16 converts UTF-16 units to a byte offset. An offset between the two
// halves of a surrogate pair counts as the pair's start.
func (x *Index) FromUTF16(units int) int { return x.find(units, inUnits).bytes }

// Runes converts a byte offset to code points.
func (x *Index) Runes(offset int) int { return x.find(offset, inBytes).runes }

// FromRunes converts code points to a byte offset.
func (x *Index) FromRunes(runes int) int { return x.find(runes, inRunes).bytes }

// LineStarts gives the byte offset of every line of text from offset from on,
// where lines end as YAML 1.1 ends them: also at CR, NEL, LS and PS.
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
