package lint

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// beginsWithHost is a text that begins with the host of a registry.
var beginsWithHost = lazy.Regexp{Text: `^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?(?:/|$)`}

// hostAnywhere is a text from another registry that a pattern for registries matches, because nothing ties the pattern to
// the beginning of the text; empty for other patterns.
func hostAnywhere(pattern string) string {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || parsed.Op == syntax.OpAlternate {
		return ""
	}
	shortest, ok := matched(parsed)
	anywhere, err := regexp.Compile(pattern)
	if !ok || err != nil || !beginsWithHost.MatchString(shortest) {
		return ""
	}
	other := "evil.example/" + shortest
	if tied, err := regexp.Compile("^(?:" + pattern + ")"); err != nil || tied.MatchString(other) || !anywhere.MatchString(other) {
		return ""
	}
	return other
}

// longest bounds the texts that are made for a pattern.
const longest = 200

// matched is a short text that a pattern matches; false for a pattern that needs more than letters.
func matched(r *syntax.Regexp) (string, bool) {
	switch r.Op {
	case syntax.OpLiteral:
		return string(r.Rune), true
	case syntax.OpCharClass:
		for i := 0; i < len(r.Rune); i += 2 {
			if r.Rune[i] <= 'a' && 'a' <= r.Rune[i+1] {
				return "a", true
			}
		}
		return string(r.Rune[:1]), len(r.Rune) > 0
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "a", true
	case syntax.OpStar, syntax.OpQuest, syntax.OpEmptyMatch, syntax.OpEndText, syntax.OpBeginText, syntax.OpEndLine, syntax.OpBeginLine:
		return "", true
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		return matched(r.Sub[0])
	case syntax.OpRepeat:
		one, ok := matched(r.Sub[0])
		return strings.Repeat(one, min(r.Min, longest)), ok && r.Min <= longest
	case syntax.OpConcat:
		text := ""
		for _, part := range r.Sub {
			more, ok := matched(part)
			if text += more; !ok || len(text) > longest {
				return "", false
			}
		}
		return text, true
	}
	return "", false
}

// pastQuote is the place behind the quotes with which a literal begins; 0 where there are none.
func pastQuote(source []rune, at int) int {
	for at < len(source) && strings.ContainsRune("rRbB", source[at]) {
		at++
	}
	rest := string(source[min(at, len(source)):])
	for _, quote := range []string{"\"\"\"", "'''", "\"", "'"} {
		if strings.HasPrefix(rest, quote) {
			return at + len(quote)
		}
	}
	return 0
}
