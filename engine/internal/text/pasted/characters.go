package pasted

import (
	"strings"
	"unicode"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// expressionKey matches the start of a line with a quoted expression. The outer quotes are YAML's;
// the text in them is code.
var expressionKey = lazy.Regexp{Text: `^\s*(?:- +)?(?:expression|messageExpression|valueExpression)\s*:\s*["']`}

// opens are the characters after which a quote or value may begin.
const opens = "[{(,:=!<>&|?+-*/%"

// quoted reports for each rune whether it is in straight quotes, and so content. An expression's
// outer quotes do not count.
func quoted(runes []rune, text string) []bool {
	in := make([]bool, len(runes))
	start := 0
	if m := expressionKey.FindString(text); m != "" {
		start = len([]rune(m))
	}
	var quote rune
	for i := start; i < len(runes); i++ {
		r := runes[i]
		switch {
		case quote != 0:
			in[i] = true
			if quote == '"' && r == '\\' && i+1 < len(runes) {
				i++
				in[i] = true
			} else if r == quote {
				quote = 0
			}
		case (r == '"' || r == '\'') && (i == 0 || unicode.IsSpace(runes[i-1]) || strings.ContainsRune(opens, runes[i-1])):
			quote, in[i] = r, true
		}
	}
	return in
}

const (
	// noBreak are blanks with which word processors and web pages replace spaces.
	noBreak = "\u00a0\u2003\u2007\u2009\u202f\u3000"
	// zeroWidth are characters without width that mark possible line breaks.
	zeroWidth = "\u200b\u2060\ufeff\u00ad"
)

func spaces(lines []line) ([]line, int, int) {
	return eachLine(lines, func(s string) (string, int) { return replaceUnquoted(s, noBreak, " ") })
}

func invisible(lines []line) ([]line, int, int) {
	return eachLine(lines, func(s string) (string, int) { return replaceUnquoted(s, zeroWidth, "") })
}

func replaceUnquoted(s, which, by string) (string, int) {
	if !strings.ContainsAny(s, which) {
		return s, 0
	}
	runes := []rune(s)
	in := quoted(runes, s)
	var b strings.Builder
	count := 0
	for i, r := range runes {
		if in[i] || !strings.ContainsRune(which, r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(by)
		count++
	}
	return b.String(), count
}

// quotes replaces typographic quotes where straight ones have a meaning: around a value or an
// operand. Those inside a sentence stay.
func quotes(lines []line) ([]line, int, int) {
	return eachLine(lines, func(s string) (string, int) {
		if !strings.ContainsAny(s, "“”„‘’‚") || strings.HasPrefix(strings.TrimSpace(s), "#") {
			return s, 0
		}
		runes := []rune(s)
		in := quoted(runes, s)
		outer := []rune(expressionKey.FindString(s))
		count := 0
		for i := 0; i < len(runes); i++ {
			straight := straightQuote(runes[i])
			if straight == 0 || in[i] || !mayOpen(runes, i, len(outer)) {
				continue
			}
			end := closing(runes, i, straight)
			if end < 0 {
				continue
			}
			by := straight
			if len(outer) > 0 && outer[len(outer)-1] == straight {
				by = otherQuote(straight) // it must not end the value
			}
			runes[i], runes[end] = by, by
			count++
			i = end
		}
		return string(runes), count
	})
}

func straightQuote(r rune) rune {
	switch r {
	case '“', '”', '„':
		return '"'
	case '‘', '’', '‚':
		return '\''
	}
	return 0
}

func otherQuote(r rune) rune {
	if r == '"' {
		return '\''
	}
	return '"'
}

// mayOpen reports whether a quote at i can begin a value: after nothing, an operator or a bracket.
// The line's code starts at from.
func mayOpen(runes []rune, i, from int) bool {
	before := strings.TrimRight(string(runes[from:i]), " \t")
	return before == "" || strings.ContainsRune(opens, rune(before[len(before)-1])) || strings.HasSuffix(before, " in")
}

// closing finds the closing quote for an opening one at i. A character that may follow a value must
// follow it. It returns -1 if there is none, or if straight quotes of this kind come before it.
func closing(runes []rune, i int, straight rune) int {
	for j := i + 1; j < len(runes); j++ {
		if runes[j] == straight {
			return -1
		}
		if straightQuote(runes[j]) != straight {
			continue
		}
		rest := strings.TrimLeft(string(runes[j+1:]), " \t")
		if rest == "" || strings.ContainsAny(rest[:1], `,]}):.#=!<>&|?+-*/%"'`) || strings.HasPrefix(rest, "in ") {
			return j
		}
	}
	return -1
}

// tabs replaces leading tabs, where YAML only allows spaces, with two spaces each. In JSON they may
// stay; after a blank they may be block content.
func tabs(lines []line) ([]line, int, int) {
	if looksLikeJSON(lines) {
		return lines, 0, 0
	}
	return eachLine(lines, func(s string) (string, int) {
		rest := strings.TrimLeft(s, "\t")
		n := len(s) - len(rest)
		if n == 0 || strings.TrimSpace(rest) == "" {
			return s, 0
		}
		return strings.Repeat("  ", n) + rest, 1
	})
}
