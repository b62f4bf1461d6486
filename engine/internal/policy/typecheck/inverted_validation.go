package typecheck

import (
	"regexp"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// What keeps a message from being read as a plain prohibition or demand: a condition, an
// exception, or a second negation.
var (
	saysMoreThanThat = lazy.Regexp{Text: `(?i)\b(?:outside|instead|otherwise|other|others|another|if|when|where|while|before|after|until|once|by|from|changed?|unchanged|immutable|non|neither|nor|never|but|unless|only|except|without|missing|apart|besides|beyond|who|whose|than)\b|'t\b`}
	saysForbidden    = lazy.Regexp{Text: `(?i)\b(?:(?:is|are|be) not (?:allowed|permitted|supported)|not (?:allowed|permitted)|(?:is|are|be)? ?(?:forbidden|disallowed|prohibited|denied|banned|rejected))\W*$|\b(?:must|may|should|can) ?not (?:be|use|have|run|set)\b|^(?:no|don't use|do not use)\b`}
	saysHas          = lazy.Regexp{Text: `(?i)\b(?:must (?:have|carry)|(?:needs?|requires?) (?:an?|the))\b`}
	saysNo           = lazy.Regexp{Text: `(?i)\b(?:not|no|none)\b`}
	saysDemanded     = lazy.Regexp{Text: `(?i)\b(?:(?:is|are|be) (?:required|mandatory|needed)\W*$|must (?:be set|be present|have|exist|carry)\b|(?:needs?|requires?) (?:an?|the)\b)`}
)

// turnedRound is a validation with ! before it, or without one, where all of it tests what a short
// message forbids, or all of it asks that what the message demands is absent.
func turnedRound(tokens *source.Tokens, expression, message string) string {
	if len(tokens.List) == 0 || len(strings.Fields(message)) > 12 || saysMoreThanThat.MatchString(message) {
		return ""
	}
	forbids, demands := saysForbidden.MatchString(message), saysDemanded.MatchString(message)
	if forbids == demands {
		return ""
	}
	if rest := saysForbidden.ReplaceAllString(saysDemanded.ReplaceAllString(message, ""), ""); saysNo.MatchString(rest) {
		return "" // the message negates twice
	}
	last := len(tokens.List) - 1
	trimmed := strings.TrimRight(expression, " \n")
	rest := expression[len(trimmed):]
	if forbids {
		return forbiddenTest(tokens, trimmed, message, last, rest)
	}
	if has := saysHas.FindStringSubmatchIndex(message); has != nil {
		message = message[has[1]:] // what stands before it is what must have it
	}
	if !absences(tokens, last, message) {
		return ""
	}
	if tokens.Is(0, "!") && outside(tokens, 0, last, "||") < 0 {
		return strings.TrimPrefix(strings.TrimLeft(trimmed, " "), "!") + rest
	}
	return "!(" + trimmed + ")" + rest
}

// forbiddenTest is a test of what a message forbids, turned round: !list.exists(x, x.field), list.all(x, !x.test('...')),
// !(has(field) && field == true), field != 'value'. Empty where it is another.
func forbiddenTest(tokens *source.Tokens, expression, message string, last int, rest string) string {
	if variable, macro := wholeMacro(tokens, 0, last); macro != "" {
		body := variable + 2 // behind the variable and its comma
		if !positive(tokens, body, last-1, message) {
			return ""
		}
		switch {
		case macro == "exists":
			return "!" + strings.TrimLeft(expression, " ") + rest
		case outside(tokens, body, last-1, "&&", "==", "in") >= 0:
			return expression[:tokens.List[body].Bytes] + "!(" + expression[tokens.List[body].Bytes:tokens.List[last].Bytes] + ")" + expression[tokens.List[last].Bytes:] + rest
		default:
			return expression[:tokens.List[body].Bytes] + "!" + expression[tokens.List[body].Bytes:] + rest
		}
	}
	if !positive(tokens, 0, last, message) {
		return ""
	}
	if at := outside(tokens, 0, last, "=="); at > 0 && outside(tokens, 0, last, "&&") < 0 {
		sign := tokens.List[at]
		return expression[:sign.Bytes] + "!=" + expression[sign.EndBytes():] + rest
	}
	return "!(" + strings.TrimSpace(expression) + ")" + rest
}

// wholeMacro is the macro that a part is as a whole: chain.exists(x, ...) or chain.all(x, ...).
func wholeMacro(tokens *source.Tokens, first, last int) (variable int, name string) {
	open := tokens.Partner[last]
	if !tokens.Is(last, ")") || open < first+4 || !tokens.Is(open-2, ".") || !tokens.IsWord(open+1) || !tokens.Is(open+2, ",") {
		return 0, ""
	}
	if name = token(tokens, open-1); name != "exists" && name != "all" || !oneChain(tokens, first, open-3) {
		return 0, ""
	}
	return open + 1, name
}

// outside is the first of some operators outside the brackets of a part, -1 for none.
func outside(tokens *source.Tokens, first, last int, operators ...string) int {
	for i := first; i <= last; i++ {
		if p := tokens.Partner[i]; p > i {
			i = p
		} else if slices.ContainsFunc(operators, func(operator string) bool { return tokens.Is(i, operator) }) {
			return i
		}
	}
	return -1
}

// positive reports whether tokens are guards joined with && and then one test of what a message
// names: a field that is or equals true, a comparison with a text or a number, a key or item that is
// there, or a method that looks for a text.
func positive(tokens *source.Tokens, first, last int, message string) bool {
	start := first
	for i := outside(tokens, start, last, "&&"); i >= 0; i = outside(tokens, start, last, "&&") {
		if !guard(tokens, start, i-1) {
			return false
		}
		start = i + 1
	}
	if start > last {
		return false
	}
	if variable, macro := wholeMacro(tokens, start, last); macro == "exists" {
		return positive(tokens, variable+2, last-1, message)
	}
	switch {
	case tokens.Is(last, "true") && tokens.Is(last-1, "=="):
		return start > first && oneChain(tokens, start, last-2) && names(message, token(tokens, last-2))
	case tokens.Is(last-1, "==") && tokens.List[last].Kind == source.Number:
		field := oneChain(tokens, start, last-2) && tokens.IsWord(last-2) && !counts(tokens) // the message's number is no count
		return (field || first > 0 && start == last-2) && slices.Contains(wordsOf(message), token(tokens, last))
	case tokens.List[start].Kind == source.String && tokens.Is(start+1, "in"):
		return oneChain(tokens, start+2, last) && forbidsText(message, tokens.List[start].Literal())
	case tokens.Is(last-1, "==") && tokens.List[last].Kind == source.String:
		return oneChain(tokens, start, last-2) && forbidsText(message, tokens.List[last].Literal())
	case tokens.Is(last, ")") && tokens.Partner[last] == last-2 && tokens.List[last-1].Kind == source.String && tokens.Is(last-4, ".") &&
		(tokens.Is(last-3, "startsWith") || tokens.Is(last-3, "endsWith") || tokens.Is(last-3, "contains")):
		return oneChain(tokens, start, last-5) && forbidsText(message, tokens.List[last-1].Literal())
	}
	return start > first && oneChain(tokens, start, last) && names(message, token(tokens, last))
}

// guard reports whether tokens ask whether a field is there.
func guard(tokens *source.Tokens, first, last int) bool {
	return tokens.Is(first, "has") && tokens.Is(first+1, "(") && tokens.Partner[first+1] == last && oneChain(tokens, first+2, last-1)
}

// forbidsText reports whether a message forbids a value: it has the value as a word.
func forbidsText(message, value string) bool {
	value = strings.Trim(value, ":/.-@ ")
	if len(value) < 3 {
		return false
	}
	found, err := regexp.MatchString(`(?i)(?:^|\W)`+regexp.QuoteMeta(value)+`(?:\W|$)`, message)
	return err == nil && found
}

// absences reports whether an expression is tests with ! and || between them, each of which is
// true where something is absent, the last one what the message names.
func absences(tokens *source.Tokens, last int, message string) bool {
	named := false
	for i := 0; i <= last; {
		if !tokens.Is(i, "!") {
			return false
		}
		end := i + 1
		if tokens.Is(i+1, "has") {
			end++
		}
		if !tokens.Is(end, "(") || tokens.Partner[end] < 0 {
			return false
		}
		to := tokens.Partner[end]
		switch {
		case end == i+2 && oneChain(tokens, end+1, to-1):
			named = names(message, token(tokens, to-1))
		case end == i+1 && tokens.List[end+1].Kind == source.String && tokens.Is(end+2, "in") && oneChain(tokens, end+3, to-1):
			named = forbidsText(message, tokens.List[end+1].Literal())
		default:
			return false
		}
		if i = to + 1; i <= last && !tokens.Is(i, "||") {
			return false
		}
		i++
	}
	return named
}
