package pasted

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxQuoted limits how often a quoted text is looked into: a log of containers has a
// line of JSON in JSON, and that may have a text that was quoted before.
const maxQuoted = 4

// Unquoted returns the texts that a line has in double quotes with escapes, decoded, as
// JSON loggers, logfmt and Go's %q write them. Texts within these follow behind theirs.
// Texts without an escape are left out: they can be read where they are.
func Unquoted(line string) []string { return unquoted(line, maxQuoted) }

func unquoted(line string, depth int) []string {
	if depth == 0 || !strings.Contains(line, `\`) {
		return nil
	}
	var out []string
	for {
		start := strings.IndexByte(line, '"')
		if start < 0 {
			return out
		}
		line = line[start:]
		end := closes(line)
		if end < 0 {
			return out
		}
		text := line[:end+1]
		line = line[end+1:]
		if !strings.Contains(text, `\`) {
			continue
		}
		if decoded, ok := unquote(text); ok {
			out = append(append(out, decoded), unquoted(decoded, depth-1)...)
		}
	}
}

// closes is where the quote ends that a text begins with, -1 if it does not.
func closes(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// unquote decodes a text in quotes, as JSON or as Go writes it.
func unquote(text string) (decoded string, ok bool) {
	if json.Unmarshal([]byte(text), &decoded) == nil {
		return decoded, true
	}
	decoded, err := strconv.Unquote(text)
	return decoded, err == nil
}
