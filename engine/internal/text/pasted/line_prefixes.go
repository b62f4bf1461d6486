package pasted

import (
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// numbered matches a line after its number, as editors and cat -n print it.
var numbered = lazy.Regexp{Text: `^\s*([0-9]+)[:|]?((?:\s.*)?)$`}

// lineNumbers removes line numbers if every line has one, they are consecutive, and an object
// begins after one of them.
func lineNumbers(lines []line) ([]line, int, int) {
	rest := make([]string, len(lines))
	last, count, margin, object := -1, 0, -1, false
	for i, l := range lines {
		if strings.TrimSpace(l.text) == "" {
			continue
		}
		m := numbered.FindStringSubmatch(l.text)
		if m == nil {
			return lines, 0, 0
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || last >= 0 && n != last+1 {
			return lines, 0, 0
		}
		last, rest[i] = n, m[2]
		count++
		text := strings.TrimLeft(m[2], " \t")
		if blanks := len(m[2]) - len(text); text != "" && (margin < 0 || blanks < margin) {
			margin = blanks
		}
		object = object || beginsObject(text)
	}
	if !object || count < 2 {
		return lines, 0, 0
	}
	out := make([]line, len(lines))
	var c counter
	for i, l := range lines {
		out[i] = line{rest[i][min(margin, len(rest[i])):], l.number}
		if out[i].text != l.text {
			c.at(l.number, 1)
		}
	}
	return out, c.count, c.first
}

// quotation removes a quotation's > before each line, as in mails and comments.
func quotation(lines []line) ([]line, int, int) {
	out := slices.Clone(lines)
	object := false
	var c counter
	for i, l := range lines {
		if strings.TrimSpace(l.text) == "" {
			continue
		}
		text, ok := strings.CutPrefix(l.text, ">")
		if !ok {
			return lines, 0, 0
		}
		out[i].text = strings.TrimPrefix(text, " ")
		object = object || beginsObject(out[i].text)
		c.at(l.number, 1)
	}
	if !object {
		return lines, 0, 0
	}
	return out, c.count, c.first
}

// diffHeaders are a diff's lines that do not belong to the files.
var diffHeaders = []string{"diff ", "index ", "--- ", "+++ ", "@@", "new file ", "deleted file ", "similarity ", `\ No newline`}

// diffSigns extracts the new text from a diff: a text in which each line has a diff sign, and an
// object begins in a new line.
func diffSigns(lines []line) ([]line, int, int) {
	object := false
	var out []line
	var c counter
	for _, l := range lines {
		switch {
		case isDiffHeader(l.text):
			c.at(l.number, 1)
		case strings.TrimSpace(l.text) == "":
			out = append(out, l)
		case l.text[0] == '+':
			object = object || beginsObject(l.text[1:])
			out = append(out, line{l.text[1:], l.number})
			c.at(l.number, 1)
		case l.text[0] == '-' && l.text != "---":
			c.at(l.number, 1) // it was removed
		case l.text[0] == ' ':
			object = object || beginsObject(l.text[1:])
			out = append(out, line{l.text[1:], l.number})
		default:
			return lines, 0, 0
		}
	}
	if !object || c.count == 0 {
		return lines, 0, 0
	}
	return out, c.count, c.first
}

func isDiffHeader(text string) bool {
	return slices.ContainsFunc(diffHeaders, func(header string) bool { return strings.HasPrefix(text, header) })
}

// separators repairs a separator without exactly three dashes: a line of dashes before an object.
func separators(lines []line) ([]line, int, int) {
	out := make([]line, len(lines))
	var c counter
	for i, l := range lines {
		out[i] = l
		text := strings.TrimRight(l.text, " ")
		if len(text) < 2 || text == "---" || strings.Trim(text, "-") != "" || i+1 == len(lines) {
			continue
		}
		if next := lines[i+1].text; strings.HasPrefix(next, "apiVersion:") || strings.HasPrefix(next, "kind:") {
			out[i].text = "---"
			c.at(l.number, 1)
		}
	}
	return out, c.count, c.first
}
