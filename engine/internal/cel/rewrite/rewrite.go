// Package rewrite changes CEL expressions where they are written in a text, such as a
// scalar of YAML, in the style that they are written in there.
//
// Offsets are code points in the expression, half-open, 0-based.
package rewrite

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/text/position"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Source is an expression with its place in a text.
type Source struct {
	Text  diag.Text
	Runes []rune
	// Place returns the place of a range of the expression.
	Place func(start, end int) diag.Span
	whole diag.Span
	// style is the first character of the YAML scalar, 0 in a text that is
	// nothing but the expression.
	style byte
	// flow says that it is between brackets of YAML.
	flow bool
	// indent is what the lines of a block scalar begin with.
	indent string
}

// Free is a text that is nothing but an expression.
func Free(text diag.Text, plain string) *Source {
	index := position.NewIndex(plain)
	return &Source{Text: text, Runes: []rune(plain), whole: diag.Span{End: len(plain)},
		Place: func(start, end int) diag.Span {
			return diag.Span{Start: index.FromRunes(start), End: index.FromRunes(end)}
		}}
}

// In is the expression at a path of a document, whose whole text is plain; nil
// if there is none whose characters can be found.
func In(d *scenario.Document, plain, path string) *Source {
	m, ok := d.Scalar(path)
	if !ok || m.Span.Start >= m.Span.End || m.Span.End > len(plain) {
		return nil
	}
	s := &Source{Text: d.Text, Runes: []rune(m.Text), Place: m.SpanOfRunes, whole: m.Span, style: plain[m.Span.Start], flow: inFlow(plain, m.Span)}
	if s.block() {
		first := strings.TrimLeft(m.Text, " \n")
		start := m.SpanOfRunes(len([]rune(m.Text))-len([]rune(first)), len(s.Runes)).Start
		s.indent = plain[strings.LastIndexByte(plain[:start], '\n')+1 : start]
		if strings.TrimSpace(s.indent) != "" {
			return nil
		}
	}
	return s
}

func (s *Source) block() bool { return s.style == '|' || s.style == '>' }

// within moves a change at the end of a block scalar before its last line break,
// after which the next line of the document begins.
func (s *Source) within(c Change) Change {
	if s.block() {
		end := len([]rune(strings.TrimRight(string(s.Runes), " \t\r\n")))
		if c.End >= end {
			c.Start, c.End, c.Text = min(c.Start, end), end, strings.TrimRight(c.Text, " \t\r\n")
		}
	}
	return c
}

// inFlow reports whether a scalar is between brackets, by what is around
// it.
func inFlow(text string, span diag.Span) bool {
	line := text[strings.LastIndexByte(text[:span.Start], '\n')+1 : span.Start]
	after := strings.TrimLeft(text[span.End:], " \t\r\n")
	return strings.ContainsAny(line, "{[") || after != "" && strings.ContainsAny(after[:1], ",}]")
}

// Change replaces the runes from start to end of an expression.
type Change struct {
	Start, End int
	Text       string
}

// Replace is the change that writes another text for the runes from start to
// end.
func Replace(start, end int, text string) Change { return Change{start, end, text} }

// Fix makes the changes, which must not overlap, in the text: as the style of
// the scalar demands. A plain scalar that would not be one any more is written
// anew with quotes.
func (s *Source) Fix(title string, changes ...Change) diag.Fix {
	slices.SortStableFunc(changes, func(a, b Change) int { return a.Start - b.Start })
	out := diag.Fix{Title: title}
	switch s.style {
	case 0, '|', '>', '\'', '"':
		for _, c := range changes {
			c = s.within(c)
			out.Edits = append(out.Edits, diag.Edit{Text: s.Text, Span: s.Place(c.Start, c.End), New: s.encode(c.Text)})
		}
		return out
	}
	expression := s.apply(changes)
	if s.plain(expression) {
		for _, c := range changes {
			out.Edits = append(out.Edits, diag.Edit{Text: s.Text, Span: s.Place(c.Start, c.End), New: c.Text})
		}
		return out
	}
	out.Edits = []diag.Edit{{Text: s.Text, Span: s.whole, New: quote(expression)}}
	return out
}

func (s *Source) apply(changes []Change) string {
	var b strings.Builder
	at := 0
	for _, c := range changes {
		b.WriteString(string(s.Runes[at:c.Start]) + c.Text)
		at = c.End
	}
	return b.String() + string(s.Runes[at:])
}

// encode writes a part of an expression for the inside the scalar.
func (s *Source) encode(text string) string {
	switch s.style {
	case '\'':
		return strings.ReplaceAll(text, "'", "''")
	case '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text)
	case '|', '>':
		return strings.ReplaceAll(text, "\n", "\n"+s.indent)
	}
	return text
}

// plain reports whether YAML reads a text without quotes as itself. Between
// brackets it takes more characters for its own.
func (s *Source) plain(text string) bool {
	if s.flow && strings.ContainsAny(text, "[]{},?") {
		return false
	}
	return text != "" && strings.TrimSpace(text) == text && !strings.ContainsAny(text[:1], "[]{},&*!|>'\"%@`#-?:") &&
		!strings.Contains(text, ": ") && !strings.Contains(text, " #") && !strings.HasSuffix(text, ":") && !strings.Contains(text, "\n")
}

func quote(text string) string {
	if strings.ContainsAny(text, "\"\\\n") {
		return "'" + strings.ReplaceAll(strings.ReplaceAll(text, "'", "''"), "\n", "\n\n") + "'"
	}
	return `"` + text + `"`
}

// Differences are the changes that make another expression of this one, each as
// narrow as a token.
func (s *Source) Differences(other string) []Change {
	a, b := pieces(string(s.Runes)), pieces(other)
	common := make([][]int, len(a)+1) // of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var out []Change
	at, i, j := 0, 0, 0
	change := func(width int, text string) {
		if n := len(out) - 1; n >= 0 && out[n].End == at {
			out[n].End, out[n].Text = at+width, out[n].Text+text
			return
		}
		out = append(out, Change{at, at + width, text})
	}
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			at, i, j = at+len([]rune(a[i])), i+1, j+1
		case j < len(b) && (i == len(a) || common[i][j+1] >= common[i+1][j]):
			change(0, b[j])
			j++
		default:
			width := len([]rune(a[i]))
			change(width, "")
			at, i = at+width, i+1
		}
	}
	return out
}

// pieces are the tokens of an expression and the space between them.
func pieces(expression string) []string {
	var out []string
	at := 0
	for _, t := range source.Lex(expression) {
		if t.Bytes > at {
			out = append(out, expression[at:t.Bytes])
		}
		out = append(out, t.Text)
		at = t.EndBytes()
	}
	if at < len(expression) {
		out = append(out, expression[at:])
	}
	return out
}
