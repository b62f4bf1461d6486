package scenario

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// chunk is the text between two document separators.
type chunk struct{ from, to int }

const byteOrderMark = "\ufeff"

// split cuts the text as kubectl does before it parses YAML: at lines that start with three dashes.
// So a broken document does not hide the others.
func (p *parser) split() []chunk {
	limit := p.limit()
	var chunks []chunk
	from := 0
	if strings.HasPrefix(p.src, byteOrderMark) {
		from = len(byteOrderMark)
	}
	for line := from; line < limit; {
		end := lineEnd(p.src[:limit], line)
		if rest, ok := strings.CutPrefix(p.src[line:end], "---"); ok {
			chunks = append(chunks, chunk{from, line})
			from = end
			if rest = strings.TrimSpace(rest); rest != "" && !strings.HasPrefix(rest, "#") {
				d := p.report(diag.Error, codes.YAMLSeparator, diag.Span{Start: line, End: line + len(strings.TrimRight(p.src[line:end], "\r\n"))},
					"only a comment may follow the separator --- on its line",
					fmt.Sprintf("kubectl rejects this: invalid Yaml document separator: %s. Put the document on the next line.", rest))
				text := strings.TrimRight(p.src[line:end], "\r\n")
				if after := line + len("---"); strings.Trim(rest, "-") == "" {
					d.Fixes = []diag.Fix{{Title: "Change to ---", Edits: []diag.Edit{{Text: p.text, Span: diag.Span{Start: after, End: line + len(text)}}}}}
				} else if looksLikeKey.MatchString(rest) {
					d.Fixes = []diag.Fix{{Title: "Write it on the next line", Edits: []diag.Edit{{Text: p.text, Span: diag.Span{Start: after, End: line + len(text) - len(strings.TrimLeft(text[len("---"):], " \t"))}, New: "\n"}}}}
				}
			}
		}
		line = end
	}
	return append(chunks, chunk{from, limit})
}

// lineEnd returns the offset after the line feed that ends the line at i.
func lineEnd(s string, i int) int {
	if j := strings.IndexByte(s[i:], '\n'); j >= 0 {
		return i + j + 1
	}
	return len(s)
}

// limit returns how much of the text is read: all of it, or the whole documents within the limit in
// bytes.
func (p *parser) limit() int {
	most := cmp.Or(p.most, MaxTextBytes)
	if len(p.src) <= most {
		return len(p.src)
	}
	cut := max(strings.LastIndex(p.src[:most], "\n---")+1, 0)
	p.report(diag.Error, codes.TextTooLarge, diag.Span{Start: cut, End: cut},
		fmt.Sprintf("the text has %d bytes, more than %d; the rest was not read", len(p.src), most), "")
	return cut
}

// readable reports whether a text is UTF-8, and diagnoses it if not.
func (p *parser) readable(c chunk) bool {
	part := p.src[c.from:c.to]
	if utf8.ValidString(part) {
		return true
	}
	at := c.from
	for i, r := range part {
		if _, width := utf8.DecodeRuneInString(part[i:]); r == utf8.RuneError && width == 1 {
			at = c.from + i
			break
		}
	}
	summary, detail := "the text is not UTF-8", fmt.Sprintf("Byte 0x%02x is not valid here. Save the file as UTF-8.", p.src[at])
	if strings.HasPrefix(part, "\xff\xfe") || strings.HasPrefix(part, "\xfe\xff") {
		summary, detail = "the text is UTF-16, not UTF-8", "Windows PowerShell writes UTF-16 when output is redirected. Save the file as UTF-8."
	}
	p.report(diag.Error, codes.NotUTF8, diag.Span{Start: at, End: at + 1}, summary, detail)
	return false
}
