package text

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// Section is a table with a title.
type Section struct {
	Title  string
	Header []string
	Rows   [][]string
}

// Replay writes tables, then the configuration's problems.
func (p Printer) Replay(w io.Writer, sections []Section, install []report.Install, problems []diag.Diagnostic) error {
	o := p.out()
	for i, s := range sections {
		if i > 0 {
			o.linef("")
		}
		o.linef("%s", o.style(bold, s.Title))
		o.section(s)
	}
	o.install(install)
	o.diagnostics(problems)
	return o.flush(w)
}

// section writes a table with right-aligned numbers. The last column is never cut, because it has
// messages.
func (o *out) section(s Section) {
	rows := s.Rows
	if len(s.Header) > 0 {
		rows = append([][]string{s.Header}, rows...)
	}
	var widths []int
	for _, row := range rows {
		for i, text := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for at, row := range rows {
		var b strings.Builder
		for i, text := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if isNumber(s.Rows, i) {
				b.WriteString("  " + pad + text)
			} else {
				b.WriteString("  " + text + pad)
			}
		}
		line := strings.TrimRight(b.String(), " ")
		if at == 0 && len(s.Header) > 0 {
			line = o.style(faint, line)
		}
		o.b.WriteString(Line(line) + "\n") // a table's lines stay whole
	}
}

func isNumber(rows [][]string, column int) bool {
	for _, row := range rows {
		if column >= len(row) {
			continue
		}
		if _, err := strconv.ParseInt(row[column], 10, 64); err != nil {
			return false
		}
	}
	return true
}
