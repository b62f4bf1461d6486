package scenario

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
)

// tabWidths are the possible widths of a tab, most likely first if the text does not say.
var tabWidths = []int{2, 4, 8, 6}

// tabEdits replaces tabs in indentation with spaces: the number that aligns most lines with the
// keys before them.
func (p *parser) tabEdits(s *source) []diag.Edit {
	if s.to-s.from > maxMend {
		return p.spaced(s, tabWidths[0])
	}
	width, most := tabWidths[0], -1
	for _, w := range tabWidths {
		text := untabbed(s.src[s.from:s.to], w)
		if n := fitting(strings.Split(text, "\n"), strings.Split(s.src[s.from:s.to], "\n")); readable(text) && n > most {
			width, most = w, n
		}
	}
	return p.spaced(s, width)
}

// spaced returns the edits that replace each tab of an indentation with spaces.
func (p *parser) spaced(s *source, width int) []diag.Edit {
	var edits []diag.Edit
	for line := s.from; line < s.to; line = lineEnd(s.src[:s.to], line) {
		for i := line; i < s.to && strings.ContainsRune(" \t", rune(s.src[i])); i++ {
			if s.src[i] == '\t' {
				edits = append(edits, diag.Edit{Text: p.text, Span: diag.Span{Start: i, End: i + 1}, New: strings.Repeat(" ", width)})
			}
		}
	}
	return edits
}

// untabbed returns a text after these edits.
func untabbed(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		rest := strings.TrimLeft(line, " \t")
		lines[i] = strings.ReplaceAll(line[:len(line)-len(rest)], "\t", strings.Repeat(" ", width)) + rest
	}
	return strings.Join(lines, "\n")
}

// fitting counts the lines with tabs that end up where they should: in the column of the key before
// them, or two columns further in if that key has no value.
func fitting(lines, before []string) int {
	n := 0
	for i, line := range lines {
		text := strings.TrimLeft(line, " ")
		if i == 0 || !strings.Contains(before[i][:len(before[i])-len(strings.TrimLeft(before[i], " \t"))], "\t") {
			continue
		}
		last := i - 1
		for last > 0 && strings.TrimSpace(lines[last]) == "" {
			last--
		}
		above := strings.TrimRight(lines[last], " \r")
		column, want := len(line)-len(text), len(above)-len(strings.TrimLeft(above, " -"))
		if opens := strings.HasSuffix(above, ":"); column == want && !opens || opens && column == want+2 || opens && column == want && strings.HasPrefix(text, "- ") {
			n++
		}
	}
	return n
}
