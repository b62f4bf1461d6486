package pasted

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// looksLikeJSON reports whether a text is probably JSON: it begins with a bracket, followed by a
// quoted key, another bracket, or documentation's filler.
func looksLikeJSON(lines []line) bool {
	var begin strings.Builder
	for _, l := range lines {
		if s := strings.TrimSpace(l.text); !strings.HasPrefix(s, "#") && !strings.HasPrefix(s, "//") {
			begin.WriteString(s)
		}
		if begin.Len() > 1 {
			break
		}
	}
	s := begin.String()
	if s == "" || s[0] != '{' && s[0] != '[' {
		return false
	}
	next := strings.TrimSpace(s[1:])
	return next == "" || strings.ContainsAny(next[:1], "\"{}[].…/#")
}

// printedJSON repairs JSON from documentation: it removes comments, ellipses for omissions, and
// trailing commas.
func printedJSON(lines []line) ([]line, int, int) {
	if !looksLikeJSON(lines) {
		return lines, 0, 0
	}
	j := &printed{lines: make([][]byte, len(lines))}
	for i, l := range lines {
		j.lines[i] = []byte(l.text) // copy
		j.comments(i, l.number)
	}
	j.commas(lines)
	var out []line
	for i, l := range lines {
		text := strings.TrimRight(string(j.lines[i]), " \t")
		if text == "" && strings.TrimSpace(l.text) != "" {
			continue // nothing is left of the line
		}
		if string(j.lines[i]) == l.text {
			text = l.text
		}
		out = append(out, line{text, l.number})
	}
	return out, j.count, j.first
}

// printed is a JSON text during repair. Removed characters become blanks, so offsets stay valid.
type printed struct {
	lines  [][]byte
	inside bool // inside a multi-line comment
	counter
}

func (j *printed) blank(i, from, to int) {
	for k := from; k < to; k++ {
		j.lines[i][k] = ' '
	}
}

// comments removes comments and ellipses from a line. An ellipsis in place of a value becomes null.
func (j *printed) comments(i, number int) {
	text := j.lines[i]
	for k := 0; k < len(text); k++ {
		rest := string(text[k:])
		switch {
		case j.inside:
			end := strings.Index(rest, "*/")
			if end < 0 {
				j.blank(i, k, len(text))
				return
			}
			j.blank(i, k, k+end+2)
			j.inside, k = false, k+end+1
		case text[k] == '"':
			k += stringLength(rest) - 1
		case strings.HasPrefix(rest, "//"), text[k] == '#':
			j.at(number, 1)
			j.blank(i, k, len(text))
			return
		case strings.HasPrefix(rest, "/*"):
			j.at(number, 1)
			j.blank(i, k, k+2)
			j.inside, k = true, k+1
		case strings.HasPrefix(rest, "..."), strings.HasPrefix(rest, "…"):
			j.at(number, 1)
			j.blank(i, k, k+3) // the character has three bytes, too
			if strings.HasSuffix(strings.TrimRight(string(text[:k]), " \t"), ":") {
				j.lines[i] = slices.Concat(text[:k], []byte("null"), text[k+3:])
				text = j.lines[i]
				k += 3
			}
		}
	}
}

// stringLength returns the length in bytes of the JSON string at the start of s.
func stringLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// commas removes superfluous commas: before a closing bracket, after an opening one, and doubled.
func (j *printed) commas(lines []line) {
	before := byte('{')
	type place struct{ line, at int }
	var last place
	for i := range j.lines {
		for k := 0; k < len(j.lines[i]); k++ {
			c := j.lines[i][k]
			switch c {
			case ' ', '\t':
				continue
			case '"':
				k += stringLength(string(j.lines[i][k:])) - 1
			case ',':
				if strings.IndexByte("{[,", before) >= 0 {
					j.blank(i, k, k+1)
					j.at(lines[i].number, 1)
					continue
				}
				last = place{i, k}
			case '}', ']':
				if before == ',' {
					j.blank(last.line, last.at, last.at+1)
					j.at(lines[last.line].number, 1)
				}
			}
			before = c
		}
	}
}

// ellipsis matches a YAML line that marks an omission.
var ellipsis = lazy.Regexp{Text: `^(\s*)(?:- +)?(?:\.\.\.|…)\s*$`}

// opensBlock matches a line whose value is a block scalar.
var opensBlock = lazy.Regexp{Text: `^(\s*(?:- +)*)[^#]*[:-] +[|>][0-9+-]*\s*(?:#.*)?$`}

// ellipses turns lines that mark omissions in documentation into comments. At the left margin three
// dots end a document if the text ends or another document follows. In a block scalar they are
// content.
func ellipses(lines []line) ([]line, int, int) {
	out := slices.Clone(lines)
	var c counter
	block := -1 // indentation of the block's key
	for i, l := range lines {
		blank := strings.TrimSpace(l.text) == ""
		indent := len(l.text) - len(strings.TrimLeft(l.text, " "))
		if block >= 0 && (blank || indent > block) {
			continue
		}
		block = -1
		if m := opensBlock.FindStringSubmatch(l.text); m != nil {
			block = indent
			continue
		}
		m := ellipsis.FindStringSubmatch(l.text)
		if m == nil || strings.TrimSpace(l.text) == "..." && indent == 0 && endsDocument(lines[i+1:]) {
			continue
		}
		out[i].text = m[1] + "# ..."
		c.at(l.number, 1)
	}
	return out, c.count, c.first
}

// endsDocument reports whether the text ends here or another document follows.
func endsDocument(rest []line) bool {
	for _, l := range rest {
		if s := strings.TrimSpace(l.text); s != "" {
			return strings.HasPrefix(s, "---") || strings.HasPrefix(s, "%")
		}
	}
	return true
}
