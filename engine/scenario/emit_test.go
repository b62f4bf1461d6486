package scenario

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode/utf16"
)

// emitter writes strings as scalars of every style. It makes every choice that YAML leaves open at
// random: escapes, folded lines, chomping, indentation.
type emitter struct{ *rand.Rand }

func (e emitter) flip() bool { return e.IntN(2) == 0 }

// The styles of the emitter.
const (
	emitPlain = iota
	emitSingle
	emitDouble
	emitLiteral
	emitFolded
	emitJSON
	emitStyles
)

var (
	special      = regexp.MustCompile("[^\t\n\x20-\x7e\u00a0-\u2027\u2030-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
	blankAtBreak = regexp.MustCompile(`[ \t]\n|\n[ \t]|^[ \t\n]|[ \t\n]$`)
	plainSafe    = regexp.MustCompile(`^[a-z_][^#:,?\[\]{}]*$`)
)

// emit writes s in the given style, or in double quotes if the style cannot express it.
// Continuation lines start with indent. Block scalars end with their own line break.
func (e emitter) emit(s string, style int, indent string) string {
	switch style {
	case emitPlain:
		if plainSafe.MatchString(s) && !special.MatchString(s) && !blankAtBreak.MatchString(s) && len(s) > 5 {
			return e.fold(s, indent)
		}
	case emitSingle:
		if !special.MatchString(s) && !blankAtBreak.MatchString(s) {
			return "'" + e.fold(strings.ReplaceAll(s, "'", "''"), indent) + "'"
		}
	case emitLiteral, emitFolded:
		if text, ok := e.block(s, style, len(indent)); ok {
			return text
		}
	case emitJSON:
		return e.json(s)
	}
	return e.double(s, indent)
}

var spaceInLine = regexp.MustCompile(`([^ \t\n]) ([^ \t\n])`)

// fold breaks lines at single spaces between characters. It doubles the string's line breaks,
// because folding removes one.
func (e emitter) fold(s, indent string) string {
	s = regexp.MustCompile(`\n+`).ReplaceAllStringFunc(s, func(breaks string) string {
		return e.blanks() + "\n" + breaks + indent + e.blanks()
	})
	return spaceInLine.ReplaceAllStringFunc(s, func(m string) string {
		runes := []rune(m)
		if e.IntN(3) > 0 {
			return m
		}
		return string(runes[0]) + e.blanks() + "\n" + indent + e.blanks() + string(runes[2])
	})
}

// blanks is white space without meaning around a folded line break.
func (e emitter) blanks() string { return strings.Repeat(" ", e.IntN(3)) }

var named = map[rune]string{
	0: `\0`, 7: `\a`, 8: `\b`, 9: `\t`, 10: `\n`, 11: `\v`, 12: `\f`, 13: `\r`, 27: `\e`, ' ': `\ `, '"': `\"`, '\'': `\'`,
	'\\': `\\`, 0x85: `\N`, 0xa0: `\_`, 0x2028: `\L`, 0x2029: `\P`,
}

func (e emitter) double(s, indent string) string {
	var b strings.Builder
	b.WriteByte('"')
	afterBreak := false
	for _, r := range s {
		if e.IntN(12) == 0 {
			b.WriteString("\\\n" + indent + e.blanks())
			afterBreak = true
		}
		mustEscape := r == '"' || r == '\\' || r == '\n' || special.MatchString(string(r)) || (afterBreak && (r == ' ' || r == '\t')) || r == '\t'
		name, hasName := named[r]
		switch {
		case !mustEscape && e.IntN(6) > 0 && r != ' ':
			b.WriteRune(r)
		case r == ' ' && !mustEscape && e.flip():
			b.WriteString(" \\\n" + indent) // the space, then a break that vanishes
			afterBreak = true
			continue
		case hasName && e.flip():
			b.WriteString(name)
		case r < 0x100 && e.flip():
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000 && e.flip():
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		afterBreak = false
	}
	return b.String() + `"`
}

// block writes a literal or folded scalar. Its parent is indented by at most parent-1.
func (e emitter) block(s string, style, parent int) (string, bool) {
	body := strings.TrimRight(s, "\n")
	if special.MatchString(s) || body == "" {
		return "", false
	}
	header, newlines := "|", len(s)-len(body)
	if style == emitFolded {
		header = ">"
		body = e.foldBlock(body)
	}
	pad := 1 + e.IntN(4)
	if strings.HasPrefix(body, " ") || strings.HasPrefix(body, "\n") || strings.HasPrefix(body, "\t") || e.IntN(3) == 0 {
		header += fmt.Sprint(pad)
	}
	switch {
	case newlines == 0:
		header += "-"
	case newlines > 1 || e.IntN(4) == 0:
		header += "+"
	}
	if e.IntN(4) == 0 {
		header += " # + 9 a comment"
	}
	indent := strings.Repeat(" ", parent-1+pad)
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		if line != "" || e.IntN(3) == 0 && i > 0 {
			lines[i] = indent + line
		}
	}
	return header + "\n" + strings.Join(lines, "\n") + strings.Repeat("\n", max(newlines, 1)), true
}

// foldBlock reverses the folding of a folded scalar: a line break between two lines that start with
// a character is doubled; a space between two characters may become a line break.
func (e emitter) foldBlock(body string) string {
	lines := strings.Split(body, "\n")
	var b strings.Builder
	for i, line := range lines {
		text := func(j int) bool { return lines[j] != "" && lines[j][0] != ' ' && lines[j][0] != '\t' }
		if text(i) {
			line = spaceInLine.ReplaceAllStringFunc(line, func(m string) string {
				runes := []rune(m)
				if e.IntN(3) > 0 {
					return m
				}
				return string(runes[0]) + "\n" + string(runes[2])
			})
		}
		b.WriteString(line)
		if i == len(lines)-1 {
			break
		}
		b.WriteByte('\n')
		// The first break of a run of empty lines between two lines of text is lost.
		if text(i) {
			j := i + 1
			for lines[j] == "" {
				j++
			}
			if text(j) {
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

func (e emitter) json(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\' || (r == '/' && e.flip()):
			b.WriteString(`\` + string(r))
		case r == '\n' && e.flip():
			b.WriteString(`\n`)
		case r < 0x20 || e.IntN(5) == 0:
			if r > 0xffff {
				high, low := utf16.EncodeRune(r)
				fmt.Fprintf(&b, `\u%04x\u%04X`, high, low)
			} else {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}
