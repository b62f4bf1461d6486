package text

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe escapes what a terminal would obey instead of showing: control characters
// of both sets (escape sequences begin with them) but line feeds and tabs, marks
// that change the direction of writing, line separators, and bytes that are no
// UTF-8. It also escapes what GitHub's runner would obey in the output of a step:
// workflow commands, such as ::error. A scenario may be a stranger's, and its names and messages are printed.
// The escapes are those of JSON and Go, such as \u001b.
func Safe(s string) string { return controls(defused(s)) }

// Line is [Safe] for what belongs on one line, such as a name: it escapes line breaks, too.
func Line(s string) string { return breaks.Replace(s) }

var breaks = strings.NewReplacer("\n", `\n`, "\r", `\r`)

// commands are the workflow commands of GitHub's runner, in both syntaxes. The first may be indented.
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

// obeyed reports whether a terminal does something with a character besides
// showing it.
func obeyed(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r)
}

// attribute is a style as it is written.
var attribute = regexp.MustCompile("\x1b\\[(?:0|1|2|3[1236])m")

// SafeWriter makes what is written to w safe for a terminal, but for the styles
// that a [Printer] writes. Each Write must hold whole characters and styles, as
// those of this package do.
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
