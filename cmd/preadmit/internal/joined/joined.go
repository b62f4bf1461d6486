// Package joined combines files into a scenario's texts, and applies edits of the texts to the
// files.
package joined

import (
	"cmp"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// File is a file with its place in a text.
type File struct {
	Path    string
	Content string
	Text    diag.Text
	Start   int // byte offset in the text
}

// Set is a scenario's texts with their files.
type Set struct {
	scenario.Scenario
	Files []*File
}

// Separator separates two files in a text.
const Separator = "---\n"

// Add appends files to their texts.
func (s *Set) Add(files ...*File) {
	written := map[*string]*strings.Builder{}
	for _, f := range files {
		text := s.Of(f.Text)
		b := written[text]
		if b == nil {
			b = &strings.Builder{}
			b.WriteString(*text)
			written[text] = b
		}
		if b.Len() > 0 {
			if !strings.HasSuffix(b.String(), "\n") {
				b.WriteByte('\n')
			}
			b.WriteString(Separator)
		}
		f.Start = b.Len()
		s.Files = append(s.Files, f)
		b.WriteString(f.Content)
	}
	for text, b := range written {
		*text = b.String()
	}
}

// Of returns one of the texts. Files without their own text are in the policies.
func (s *Set) Of(t diag.Text) *string { return cmp.Or(s.Text(t), &s.Policies) }

// At returns the file at an offset in a text; nil between files.
func (s *Set) At(t diag.Text, span diag.Span) *File {
	for _, f := range s.Files {
		if f.Text == t && f.Start <= span.Start && span.Start <= f.Start+len(f.Content) && !(span.Start == f.Start+len(f.Content) && s.beginsAt(f, span.Start)) {
			return f
		}
	}
	return nil
}

// Edit applies edits of the texts to the files. The texts stay unchanged.
func (s *Set) Edit(round diag.Fix) error {
	for _, f := range s.Files {
		own := diag.Fix{Title: round.Title}
		shift := 0
		for _, e := range round.Edits {
			if e.Text != f.Text {
				continue
			}
			begin, end := f.Start, f.Start+len(f.Content)
			switch {
			case e.Span.Start >= begin && e.Span.End <= end && !(e.Span.Start == end && s.beginsAt(f, end)):
				own.Edits = append(own.Edits, diag.Edit{Text: e.Text, Span: diag.Span{Start: e.Span.Start - begin, End: e.Span.End - begin}, New: e.New})
			case e.Span.End <= begin:
				shift += len(e.New) - (e.Span.End - e.Span.Start)
			}
		}
		changed, err := own.Apply(f.Text, f.Content)
		if err != nil {
			return err
		}
		f.Content = changed
		f.Start += shift
	}
	return nil
}

// beginsAt reports whether another file of the same text begins at an offset.
func (s *Set) beginsAt(f *File, at int) bool {
	return slices.ContainsFunc(s.Files, func(other *File) bool { return other != f && other.Text == f.Text && other.Start == at })
}
