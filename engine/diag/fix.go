package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Apply applies a fix's edits to one of the texts and returns the new text. All spans count in the
// given text, so the edits' order does not matter. Overlapping edits, edits that insert at the same
// place, and spans outside the text are errors.
func (f Fix) Apply(name Text, text string) (string, error) {
	var edits []Edit
	for _, e := range f.Edits {
		if e.Text == name {
			edits = append(edits, e)
		}
	}
	slices.SortFunc(edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(a.Span.End, b.Span.End))
	})
	// Tabs in each of 100,000 lines are that many edits: the text is written once, not per edit.
	var out strings.Builder
	done := 0 // written up to here
	for i, e := range edits {
		if i > 0 && e.Span == edits[i-1].Span {
			return "", fmt.Errorf("there are two edits of %s at %d", name, e.Span.Start)
		}
		if e.Span.Start < done || e.Span.Start > e.Span.End || e.Span.End > len(text) {
			return "", fmt.Errorf("the edit of %s at %d to %d is outside of the text or overlaps another one", name, e.Span.Start, e.Span.End)
		}
		out.WriteString(text[done:e.Span.Start])
		out.WriteString(e.New)
		done = e.Span.End
	}
	out.WriteString(text[done:])
	return out.String(), nil
}

// Moved returns the edits of a field that goes from one place of a source to another. They are one
// where the field is added at the end of what is removed. It is false if the field is added inside
// what is removed, or outside the source.
func Moved(source string, removed, added Edit) ([]Edit, bool) {
	switch {
	case removed.Span.End <= added.Span.Start || removed.Span.Start >= added.Span.End:
		return []Edit{removed, added}, true
	case added.Span.Start < removed.Span.Start || added.Span.End > removed.Span.End || added.Span.End < 0 || removed.Span.End > len(source):
		return nil, false
	}
	removed.New = strings.TrimPrefix(added.New, "\n") + source[added.Span.End:removed.Span.End]
	return []Edit{removed}, true
}
