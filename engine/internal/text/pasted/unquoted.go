package pasted

import (
	"encoding/json"
	"strconv"
	"strings"
)

// maxQuoted limits the nesting of quoted strings: a container log may wrap a JSON line in JSON,
// with a string that was quoted before.
const maxQuoted = 4

// Unquoted returns a line's double-quoted strings with escapes, decoded, as JSON loggers, logfmt
// and Go's %q write them. Nested strings follow theirs. It omits strings without escapes, which are
// readable in place.
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

// closes returns the end of the quote at the start of a text, or -1.
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

// unquote decodes a quoted string from JSON or Go.
func unquote(text string) (decoded string, ok bool) {
	if json.Unmarshal([]byte(text), &decoded) == nil {
		return decoded, true
	}
	decoded, err := strconv.Unquote(text)
	return decoded, err == nil
}
