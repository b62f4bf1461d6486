package explain

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/position"
	"github.com/preadmit/preadmit/engine/scenario"
)

// texts finds expressions in the texts of a scenario.
type texts struct {
	plain map[diag.Text]string
	// parsed are the documents of a text. Its problems are in the report already.
	parsed func(diag.Text) []*scenario.Document
}

// source is an expression with its place in a text.
type source struct {
	text  diag.Text
	runes []rune
	place func(start, end int) diag.Span
	whole diag.Span
	// style is the first character of the YAML scalar, 0 in a text that is
	// nothing but the expression.
	style byte
	// flow says that it stands between brackets of YAML.
	flow bool
}

// source finds the expression at a path, in the document that span lies in.
func (t *texts) source(text diag.Text, path string, span diag.Span) *source {
	plain, ok := t.plain[text]
	if !ok {
		return nil
	}
	if text == diag.Expression {
		index := position.NewIndex(plain)
		return &source{text: text, runes: []rune(plain), whole: diag.Span{End: len(plain)},
			place: func(start, end int) diag.Span {
				return diag.Span{Start: index.FromRunes(start), End: index.FromRunes(end)}
			}}
	}
	for _, d := range t.parsed(text) {
		if span.Start < d.Span.Start || span.Start > d.Span.End {
			continue
		}
		if m, ok := d.Scalar(path); ok && m.Span.Start < m.Span.End {
			return &source{text: text, runes: []rune(m.Text), place: m.SpanOfRunes, whole: m.Span, style: plain[m.Span.Start], flow: inFlow(plain, m.Span)}
		}
	}
	return nil
}

// inFlow reports whether a scalar stands between brackets, by what is around
// it.
func inFlow(text string, span diag.Span) bool {
	line := text[strings.LastIndexByte(text[:span.Start], '\n')+1 : span.Start]
	after := strings.TrimLeft(text[span.End:], " \t\r\n")
	return strings.ContainsAny(line, "{[") || after != "" && strings.ContainsAny(after[:1], ",}]")
}

// change replaces the runes from start to end of an expression.
type change struct {
	start, end int
	text       string
}

// fix makes the changes, which must not overlap, in the text: as the style of
// the scalar demands. A plain scalar that would not be one any more is written
// anew with quotes.
func (s *source) fix(title string, changes ...change) diag.Fix {
	slices.SortStableFunc(changes, func(a, b change) int { return a.start - b.start })
	out := diag.Fix{Title: title}
	switch s.style {
	case 0, '|', '>', '\'', '"':
		for _, c := range changes {
			out.Edits = append(out.Edits, diag.Edit{Text: s.text, Span: s.place(c.start, c.end), New: s.encode(c.text)})
		}
		return out
	}
	expression := s.apply(changes)
	if s.plain(expression) {
		for _, c := range changes {
			out.Edits = append(out.Edits, diag.Edit{Text: s.text, Span: s.place(c.start, c.end), New: c.text})
		}
		return out
	}
	out.Edits = []diag.Edit{{Text: s.text, Span: s.whole, New: quote(expression)}}
	return out
}

func (s *source) apply(changes []change) string {
	var b strings.Builder
	at := 0
	for _, c := range changes {
		b.WriteString(string(s.runes[at:c.start]) + c.text)
		at = c.end
	}
	return b.String() + string(s.runes[at:])
}

// encode writes a part of an expression for the inside of the scalar.
func (s *source) encode(text string) string {
	switch s.style {
	case '\'':
		return strings.ReplaceAll(text, "'", "''")
	case '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
	}
	return text
}

// plain reports whether YAML reads a text without quotes as itself. Between
// brackets it takes more characters for its own.
func (s *source) plain(text string) bool {
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
