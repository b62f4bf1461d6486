package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
)

// Places from the line index equal those from counting, in every piece.
func TestSourceLines(t *testing.T) {
	s := &Source{}
	s.Add("a.yaml", "a: ü\nb:\n\n  - c\n", 7)
	s.Add("b.yaml", "", 1)
	s.Add("c.yaml", "x", 1)
	s.Add("d.yaml", strings.Repeat("é: 1\n", 50), 3)
	for offset := range len(s.Text) + 1 {
		at := s.At(offset)
		p := s.Pieces[0]
		for _, later := range s.Pieces {
			if later.Start <= offset {
				p = later
			}
		}
		line, column := diag.LineColumn(s.Text[p.Start:], offset-p.Start)
		if at.File != p.File || at.Line != p.Line+line-1 || at.Column != column {
			t.Fatalf("offset %d: %s, want %s:%d:%d", offset, at, p.File, p.Line+line-1, column)
		}
		if before := at.Source[:min(at.at, len(at.Source))]; s.Text[offset-len(before):offset] != before || strings.Contains(at.Source, "\n") {
			t.Fatalf("offset %d: byte %d of %q", offset, at.at, at.Source)
		}
	}
}

// A line of megabytes with thousands of problems is read once, not for each of them, in any order.
func TestLongLine(t *testing.T) {
	s := &Source{}
	s.Add("a.yaml", strings.Repeat("é: 1, ", 20_000), 1)
	for _, offset := range []int{len(s.Text), 70_000, 7, 0} {
		if at := s.At(offset); at.Column != 1+utf8.RuneCountInString(s.Text[:offset]) {
			t.Errorf("offset %d: column %d", offset, at.Column)
		}
	}
	if want := len(s.Text) / countEach; len(s.counts) < want || len(s.counts) > want+1 {
		t.Errorf("%d counts, want about %d", len(s.counts), want)
	}
	list := make([]diag.Diagnostic, 100)
	for i := range list {
		list[i] = diag.Diagnostic{Text: diag.Policies, Span: diag.Span{Start: 1000 * i, End: 1000*i + 1}, Severity: diag.Error, Summary: "wrong"}
	}
	var out strings.Builder
	made := testing.AllocsPerRun(1, func() {
		out.Reset()
		if err := (Printer{Sources: Sources{diag.Policies: s}, Width: 80}).Diagnostics(&out, list); err != nil {
			t.Fatal(err)
		}
	})
	if out.Len() > 400*len(list) || made > 60*float64(len(list)) {
		t.Errorf("%d bytes, %.0f allocations", out.Len(), made)
	}
}
