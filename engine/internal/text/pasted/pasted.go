// Package pasted repairs damage from copying and printing a manifest: Markdown
// fences, shell commands around it, characters that only look like spaces
// and quotes, and omissions in documentation's JSON. Each repair is so narrow
// that it does not change a text that kubectl reads correctly. The result
// lists the repairs, so that they can be shown and undone.
package pasted

import (
	"fmt"
	"strings"
)

// Repair is a change to a text.
type Repair struct {
	// Name is stable: an entry's name in this file's list.
	Name string
	// Done describes the change, as part of a sentence: removed a Markdown fence.
	Done string
	// Line is the first changed line of the original, from 1.
	Line int
	// Same says that kubectl reads the unrepaired text the same way.
	Same bool
}

// Text is a repaired text.
type Text struct {
	Text string
	// Lines returns the line of the original, from 1, for each line of Text.
	Lines   []int
	Repairs []Repair
}

// line is one line without its end, and its number in the original, from 1.
type line struct {
	text   string
	number int
}

// repair is an entry of the list. apply returns the repaired lines, the number of changes and the
// first changed line. one and many describe the changes; many has a verb for the count.
type repair struct {
	name      string
	one, many string
	same      bool
	apply     func([]line) (out []line, count, first int)
}

// repairs are applied in this order: first what surrounds the text, so that the others only see the
// text itself.
var repairs = []repair{
	{"byte-order-mark", "removed a byte order mark", "removed %d byte order marks", true, byteOrderMark},
	{"line-ends", "replaced a Windows line end", "replaced %d Windows line ends", true, lineEnds},
	{"quoted", "removed a quote sign", "removed the quote signs of %d lines", false, quotation},
	{"fence", "removed a Markdown fence", "took %d code blocks out of Markdown", false, fences},
	{"heredoc", "removed the shell command around it", "removed the shell commands around %d texts", false, heredocs},
	{"command", "removed a command line", "removed %d command lines", false, commands},
	{"log", "took the request out of a log", "took %d requests and responses out of a log", false, logged},
	{"banner", "removed a line that a command prints before its output", "removed %d lines that a command prints before its output", false, banners},
	{"release", "extracted the manifest from helm's output", "extracted %d parts with manifests from helm's output", false, release},
	{"line-numbers", "removed a line number", "removed %d line numbers", false, lineNumbers},
	{"diff", "extracted the new text from a diff", "extracted the new text from a diff of %d lines", false, diffSigns},
	{"separator", "wrote a document separator with three dashes", "wrote %d document separators with three dashes", false, separators},
	{"template", "removed a template line", "removed %d template lines", false, templateLines},
	{"invisible", "removed an invisible character", "removed %d invisible characters", false, invisible},
	{"spaces", "replaced a non-breaking space", "replaced %d non-breaking spaces", false, spaces},
	{"quotes", "replaced a pair of typographic quotes", "replaced %d pairs of typographic quotes", false, quotes},
	{"tabs", "replaced a tab that indents", "replaced tabs that indent %d lines", false, tabs},
	{"json", "removed a comment, comma or ellipsis from JSON", "removed %d comments, commas and ellipses from JSON", false, printedJSON},
	{"ellipsis", "turned an ellipsis into a comment", "turned %d ellipses into comments", false, ellipses},
}

// Clean applies all necessary repairs to a text.
func Clean(text string) Text {
	var lines []line
	for i, s := range strings.Split(text, "\n") {
		lines = append(lines, line{s, i + 1})
	}
	var done []Repair
	for _, r := range repairs {
		out, count, first := r.apply(lines)
		if count == 0 {
			continue
		}
		lines = out
		said := r.one
		if count > 1 {
			said = fmt.Sprintf(r.many, count)
		}
		done = append(done, Repair{r.name, said, first, r.same})
	}
	result := Text{Text: text, Repairs: done}
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.text)
		result.Lines = append(result.Lines, l.number)
	}
	if len(done) > 0 {
		result.Text = b.String()
	}
	return result
}

// counter counts changes and keeps the first one's line.
type counter struct{ count, first int }

func (c *counter) at(number, changes int) {
	if changes == 0 {
		return
	}
	if c.count == 0 {
		c.first = number
	}
	c.count += changes
}

// eachLine applies a change to every line.
func eachLine(lines []line, change func(string) (string, int)) ([]line, int, int) {
	out := make([]line, len(lines))
	var c counter
	for i, l := range lines {
		text, changes := change(l.text)
		out[i] = line{text, l.number}
		c.at(l.number, changes)
	}
	return out, c.count, c.first
}

func byteOrderMark(lines []line) ([]line, int, int) {
	rest, found := strings.CutPrefix(lines[0].text, "\ufeff")
	if !found {
		return lines, 0, 0
	}
	return append([]line{{rest, lines[0].number}}, lines[1:]...), 1, lines[0].number
}

func lineEnds(lines []line) ([]line, int, int) {
	return eachLine(lines, func(s string) (string, int) {
		rest, found := strings.CutSuffix(s, "\r")
		if !found {
			return s, 0
		}
		return rest, 1
	})
}

// beginsObject reports whether a line at the left margin belongs to YAML or JSON: from there on,
// fences and commands are content.
func beginsObject(s string) bool {
	for _, prefix := range []string{"apiVersion:", "kind:", "metadata:", "spec:", "items:", "---", "{"} {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}
