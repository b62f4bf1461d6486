package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Apply makes the edits of a fix that are in one of the texts and returns the
// new text. All spans count in the text as it is given, so the order of the
// edits does not matter; two that overlap, or insert at the same place, and
// spans outside of the text are errors.
func (f Fix) Apply(name Text, text string) (string, error) {
	var edits []Edit
	for _, e := range f.Edits {
		if e.Text == name {
			edits = append(edits, e)
		}
	}
	// The last one first: what is before it keeps its place.
	slices.SortFunc(edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(b.Span.Start, a.Span.Start), cmp.Compare(b.Span.End, a.Span.End))
	})
	limit := len(text)
	for i, e := range edits {
		if e.Span.Start < 0 || e.Span.Start > e.Span.End || e.Span.End > limit {
			return "", fmt.Errorf("the edit of %s at %d to %d is outside of the text or overlaps another one", name, e.Span.Start, e.Span.End)
		}
		if i > 0 && e.Span == edits[i-1].Span {
			return "", fmt.Errorf("there are two edits of %s at %d", name, e.Span.Start)
		}
		text = text[:e.Span.Start] + e.New + text[e.Span.End:]
		limit = e.Span.Start
	}
	return text, nil
}
