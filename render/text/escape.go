package text

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe escapes what a terminal would interpret instead of showing: control characters of both sets
// (escape sequences begin with them) except line feeds and tabs, marks that change the writing
// direction, line separators, and invalid UTF-8. It also escapes workflow commands such as ::error,
// which GitHub's runner would execute from a step's output. A scenario may come from a stranger,
// and its names and messages are printed. The escapes are those of JSON and Go, such as \u001b.
func Safe(s string) string { return controls(defused(s)) }

// Line is [Safe] for text that belongs on one line, such as a name: it also escapes line breaks.
func Line(s string) string { return breaks.Replace(s) }

var breaks = strings.NewReplacer("\n", `\n`, "\r", `\r`)

// commands match GitHub runner workflow commands in both syntaxes. The first may be indented.
var commands = regexp.MustCompile(`(?m)^([ \t]*):(:[^\n]*::)|#(#\[)`)

// defused makes workflow commands plain text.
func defused(s string) string {
	if !strings.Contains(s, "::") && !strings.Contains(s, "##[") {
		return s
	}
	return commands.ReplaceAllStringFunc(s, func(command string) string {
		if rest, ok := strings.CutPrefix(command, "#"); ok {
			return `\u0023` + rest
		}
		blank := command[:strings.Index(command, ":")]
		return blank + `\u003a` + command[len(blank)+1:]
	})
}

func controls(s string) string {
	if !strings.ContainsFunc(s, obeyed) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case obeyed(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// obeyed reports whether a terminal interprets a character instead of showing it.
func obeyed(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r)
}

// attribute matches a style's escape sequence.
var attribute = regexp.MustCompile("\x1b\\[(?:0|1|2|3[1236])m")

// SafeWriter makes output to w safe for a terminal, except a [Printer]'s own styles. Each Write
// must contain whole characters and styles, as this package's do.
func SafeWriter(w io.Writer) io.Writer { return safeWriter{w} }

type safeWriter struct{ io.Writer }

func (s safeWriter) Write(p []byte) (int, error) {
	text, from := string(p), 0
	var b strings.Builder
	for _, at := range attribute.FindAllStringIndex(text, -1) {
		b.WriteString(Safe(text[from:at[0]]))
		b.WriteString(text[at[0]:at[1]])
		from = at[1]
	}
	b.WriteString(Safe(text[from:]))
	if _, err := io.WriteString(s.Writer, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}
