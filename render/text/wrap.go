package text

import (
	"strings"
	"unicode/utf8"
)

const (
	// cellLines limits the lines of a last column.
	cellLines = 4
	// cellWidth is the minimum width of a multi-line column. Narrower ones get their own lines.
	cellWidth = 30
)

// columns returns the visible characters of a text, without styles.
func columns(s string) int {
	pieces := strings.Split(s, ownStyle())
	n := utf8.RuneCountInString(pieces[0])
	for _, piece := range pieces[1:] {
		_, after, _ := strings.Cut(piece, "m")
		n += utf8.RuneCountInString(after)
	}
	return n
}

// fitted breaks a line between words if it exceeds the width. Continuation lines are indented by
// two more. A longer word stays whole, so that it can be copied.
func (o *out) fitted(line string) string {
	if !o.Wrap || columns(line) <= o.Width {
		return line
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	rest := indent + "  "
	var b strings.Builder
	b.WriteString(indent)
	column, space := len(indent), ""
	for word := range strings.SplitSeq(line[len(indent):], " ") {
		n := columns(word)
		if column+len(space)+n > o.Width && column > len(rest) {
			b.WriteString("\n" + rest)
			column, space = len(rest), ""
		}
		b.WriteString(space + word)
		column += len(space) + n
		space = " "
	}
	return b.String()
}

// lastCell writes a cell from a column on: on several lines, or cut. A cell that fits better on its
// own lines begins with a line break.
func (o *out) lastCell(c cell, column, indent int) string {
	room := max(o.Width-column, 20)
	if !o.Wrap || utf8.RuneCountInString(c.text) <= room {
		return o.style(c.style, cut(c.text, room))
	}
	words, longest := strings.Split(c.text, " "), 0
	for _, word := range words {
		longest = max(longest, utf8.RuneCountInString(word))
	}
	var b strings.Builder
	if room < cellWidth || longest > room {
		column = indent + 2
		b.WriteString("\n" + strings.Repeat(" ", column))
	}
	for i, line := range inLines(words, max(o.Width-column, 20)) {
		if i > 0 {
			b.WriteString("\n" + strings.Repeat(" ", column))
		}
		b.WriteString(o.style(c.style, line))
	}
	return b.String()
}

// inLines wraps words into at most cellLines lines of a width, and cuts the rest.
func inLines(words []string, width int) []string {
	var lines []string
	line := words[0]
	for i, word := range words[1:] {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width {
			line += " " + word
			continue
		}
		if len(lines) == cellLines-1 {
			line += " " + strings.Join(words[i+1:], " ")
			break
		}
		lines, line = append(lines, cut(line, width)), word
	}
	return append(lines, cut(line, width))
}
