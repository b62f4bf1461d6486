package site

import (
	"regexp"
	"strings"
)

// span is a piece of a description. Descriptions have four kinds of text: plain, `code`, *emphasis*
// and **strong**. web/app/markup.ts reads the same.
type span struct{ Kind, Text string }

var marked = regexp.MustCompile("`[^`]+`|\\*\\*[^*]+\\*\\*|\\*[^*\\s][^*]*\\*")

// paragraphs splits a description at blank lines.
func paragraphs(description string) [][]span {
	var out [][]span
	for _, p := range regexp.MustCompile(`\n\s*\n`).Split(strings.TrimSpace(description), -1) {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, spans(p))
		}
	}
	return out
}

// spans splits a paragraph into its spans.
func spans(text string) []span {
	var out []span
	at := 0
	for _, m := range marked.FindAllStringIndex(text, -1) {
		if m[0] > at {
			out = append(out, span{"", text[at:m[0]]})
		}
		piece := text[m[0]:m[1]]
		switch {
		case piece[0] == '`':
			out = append(out, span{"code", strings.Trim(piece, "`")})
		case strings.HasPrefix(piece, "**"):
			out = append(out, span{"strong", strings.Trim(piece, "*")})
		default:
			out = append(out, span{"em", strings.Trim(piece, "*")})
		}
		at = m[1]
	}
	if at < len(text) {
		out = append(out, span{"", text[at:]})
	}
	return out
}

// plain returns a description's first paragraph without marks, for plain-text places.
func plain(description string) string {
	var b strings.Builder
	for i, p := range paragraphs(description) {
		if i > 0 {
			break
		}
		for _, s := range p {
			b.WriteString(s.Text)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
