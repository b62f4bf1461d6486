package text

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

// Places from the line index equal those from counting, in every piece.
func TestSourceLines(t *testing.T) {
	s := &Source{}
	s.Add("a.yaml", "", 1)
	s.Add("b.yaml", "a: ü\nb:\n\n  - c\n", 7)
	s.Add("c.yaml", "x", 1)
	s.Add("d.yaml", strings.Repeat("é: 1\n", 50), 3)
	for offset := range len(s.Text) + 1 {
		for _, p := range s.Pieces {
			if p.Start > offset {
				continue
			}
			line, column := s.lineColumn(p.Start, offset)
			wantLine, wantColumn := diag.LineColumn(s.Text[p.Start:], offset-p.Start)
			if line != wantLine || column != wantColumn {
				t.Fatalf("offset %d from %d: %d:%d, want %d:%d", offset, p.Start, line, column, wantLine, wantColumn)
			}
		}
	}
}
