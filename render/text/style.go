package text

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/report"
)

// style is an ANSI attribute (ECMA-48 SGR). Colour never has a meaning of its own: every coloured
// word says the same.
type style string

const (
	bold   style = "1"
	faint  style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

func (p Printer) style(s style, text string) string {
	if !p.Color || s == "" || text == "" {
		return text
	}
	return ownStyle() + string(s) + "m" + text + ownStyle() + "0m"
}

// ownStyle begins a style until the output is complete. No scenario text can imitate it.
var ownStyle = sync.OnceValue(func() string { return "\x1b" + rand.Text() })

// finished makes the output safe and converts its own styles to the terminal's.
func finished(s string) string {
	pieces := strings.Split(s, ownStyle())
	for i, piece := range pieces {
		pieces[i] = Safe(piece)
	}
	return strings.Join(pieces, "\x1b[")
}

// cell is a text with a style. Only the text's length counts for padding.
type cell struct {
	text  string
	style style
}

// table writes rows in aligned columns, two spaces apart. The last column is cut or wrapped at the
// width.
func (o *out) table(indent string, rows [][]cell) {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	for _, row := range rows {
		o.b.WriteString(o.row(indent, row, widths))
		o.b.WriteByte('\n')
	}
}

func (o *out) row(indent string, row []cell, widths []int) string {
	row = slices.Clone(row)
	for i := range row {
		row[i].text = Line(row[i].text)
	}
	for len(row) > 0 && row[len(row)-1].text == "" {
		row = row[:len(row)-1] // no trailing blanks
	}
	var b strings.Builder
	b.WriteString(indent)
	column := utf8.RuneCountInString(indent)
	for i, c := range row {
		if i == len(row)-1 {
			last := o.lastCell(c, column, len(indent))
			if strings.HasPrefix(last, "\n") {
				return strings.TrimRight(b.String(), " ") + last
			}
			return b.String() + last
		}
		b.WriteString(o.style(c.style, c.text))
		b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c.text)+2))
		column += widths[i] + 2
	}
	return b.String()
}

// cut shortens a text to a number of columns.
func cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:max(width-1, 0)]) + "…"
}

// oneLine writes an expression on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// maxValue limits the characters of a value in a row.
const maxValue = 48

// value writes a result as one line of JSON.
func value(v any) string {
	text, err := report.JSON(v)
	if err != nil {
		return fmt.Sprintf("(cannot be shown: %v)", err)
	}
	return text
}
