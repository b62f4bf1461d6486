package typecheck

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// What messages say, in the words that they have for it.
var (
	saysAtMost  = lazy.Regexp{Text: `(?i)\b(?:at most|(?:no|not) more than|not exceed|maximum|max|up to)\b`}
	saysAtLeast = lazy.Regexp{Text: `(?i)\b(?:at least|(?:no|not) (?:fewer|less) than|minimum|min)\b`}
	saysMore    = lazy.Regexp{Text: `(?i)\b(?:more|greater|larger|higher) than\b`}
	saysLess    = lazy.Regexp{Text: `(?i)\b(?:fewer|less|smaller|lower) than\b`}
	saysNot     = lazy.Regexp{Text: `(?i)\b(?:(?:is|are|be) not (?:allowed|permitted)|not be (?:allowed|set|used)|(?:must|may|should) not\b|cannot be\b|can't be\b|forbidden|disallowed|prohibited|denied|banned)`}
	saysDemand  = lazy.Regexp{Text: `(?i)\b(?:must|should|needs?|needed|required?s?|expected|allowed|ha(?:s|ve) to)\b`}
	saysNeeded  = lazy.Regexp{Text: `(?i)\b(?:without|missing|needs?|required?s?|unless|only|except|other than|must be|must have|should be)\b`}
)

// contradiction finds a validation whose message says the opposite of what it asks: a validation is
// true for what is allowed, and in other engines a rule is true for what is denied.
func (d *document) contradiction(e model.Expression) *finding {
	if e.Place != model.Validation {
		return nil
	}
	text := fieldpath.As[string](fieldpath.Parse(e.Path).Parent().Child("message").Get(d.Value))
	if text == "" {
		return nil
	}
	tokens := source.NewTokens(e.Text)
	for _, repaired := range []string{boundedOtherwise(tokens, e.Text, text), forbiddenOtherwise(tokens, e.Text, text), turnedRound(tokens, e.Text, text)} {
		if repaired == "" {
			continue
		}
		return &finding{code: codes.MessageContradicts, start: 0, end: len([]rune(strings.TrimRight(e.Text, " \n"))), repaired: repaired,
			summary: fmt.Sprintf("the message says the opposite: %q", text),
			detail:  "A validation must be true for allowed objects, and its message describes the denied ones. This one denies what the message demands."}
	}
	return nil
}

// exclusionName is the name of a match condition that says what it leaves out.
var exclusionName = lazy.Regexp{Text: `^(?:exclude|skip|ignore|except|exempt|not)-(.+?)(?:-namespace)?$`}

// includesExcluded finds a match condition that is true only for the value that its name leaves out.
func (d *document) includesExcluded(e model.Expression) {
	name := fieldpath.As[string](fieldpath.Parse(e.Path).Parent().Child("name").Get(d.Value))
	m := exclusionName.FindStringSubmatch(name)
	tokens := source.NewTokens(e.Text)
	last := len(tokens.List) - 1
	if m == nil || e.Place != model.MatchCondition && e.Place != model.WebhookCondition || last < 2 || !tokens.Is(last-1, "==") ||
		strings.Trim(token(tokens, last), `"'`) != m[1] || !oneChain(tokens, 0, last-2) {
		return
	}
	sign := tokens.List[last-1]
	d.report(e, finding{code: codes.MessageContradicts, end: len([]rune(strings.TrimRight(e.Text, " \n"))),
		repaired: e.Text[:sign.Bytes] + "!=" + e.Text[sign.EndBytes():],
		summary:  fmt.Sprintf("the name says the opposite: %q", name),
		detail:   "The server goes on only if all match conditions are true. This one is true only for what its name leaves out."})
	for i := range d.out[len(d.out)-1].Fixes {
		d.out[len(d.out)-1].Fixes[i].Choice = true // the name may be the one that is wrong
	}
}

// bounds are the comparisons that have a bound on one side.
var bounds = []string{"<", "<=", ">", ">="}

// boundedOtherwise is a comparison with a number turned round, where the message has the bound on
// the other side of the same number.
func boundedOtherwise(tokens *source.Tokens, expression, message string) string {
	last := len(tokens.List) - 1
	at := last - 1
	if at < 1 || !slices.Contains(bounds, token(tokens, at)) || tokens.List[last].Kind != source.Number || !oneChain(tokens, 0, at-1) || counts(tokens) {
		return ""
	}
	if !slices.Contains(wordsOf(message), tokens.List[last].Text) {
		return ""
	}
	most, least := saysAtMost.MatchString(message), saysAtLeast.MatchString(message)
	sign := tokens.List[at]
	meant, including := ">", "="
	if !most && !least {
		not := saysNot.MatchString(message)
		more, less := saysMore.MatchString(message), saysLess.MatchString(message)
		if !not && !saysDemand.MatchString(message) {
			return "" // it may describe what is denied: "the list is longer than 3"
		}
		most, least = more && not || less && !not, less && not || more && !not
		if !not {
			including = ""
		}
	}
	upper := strings.HasPrefix(token(tokens, at), "<")
	if most == least || most == upper {
		return ""
	}
	if most {
		meant = "<"
	}
	return expression[:sign.Bytes] + meant + including + expression[sign.EndBytes():]
}

// counts reports whether an expression begins with a variable, which may count what the message forbids.
func counts(tokens *source.Tokens) bool {
	return tokens.Is(0, "variables") || tokens.Is(0, "size") && tokens.Is(2, "variables")
}

// wordsOf are the words of a message, its numbers among them.
func wordsOf(message string) []string {
	words := strings.FieldsFunc(message, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' })
	for i, word := range words {
		words[i] = strings.Trim(word, ".")
	}
	return words
}

// forbiddenOtherwise is a test of one field with a ! before it, where the message forbids the field.
func forbiddenOtherwise(tokens *source.Tokens, expression, message string) string {
	if !saysNot.MatchString(message) || saysNeeded.MatchString(message) || len(tokens.List) == 0 {
		return ""
	}
	first, last := 0, len(tokens.List)-1
	switch {
	case tokens.Is(0, "has") && tokens.Is(1, "(") && tokens.Partner[1] == last:
		first, last = 2, last-1
	case tokens.Is(last, "true") && tokens.Is(last-1, "=="):
		last -= 2
		if oneChain(tokens, first, last) && names(message, tokens.List[last].Text) {
			sign := tokens.List[last+1]
			return expression[:sign.Bytes] + "!=" + expression[sign.EndBytes():]
		}
		return ""
	}
	if !oneChain(tokens, first, last) || !names(message, tokens.List[last].Text) {
		return ""
	}
	start := tokens.List[0].Bytes
	return expression[:start] + "!" + expression[start:]
}

// names reports whether a message has the name of a field, whatever its capitals.
func names(message, field string) bool {
	return len(field) > 3 && strings.Contains(strings.ToLower(message), strings.ToLower(field))
}

// oneChain reports whether tokens are names with points between them, below the object or a
// variable, and no more; size() of such is, too.
func oneChain(tokens *source.Tokens, first, last int) bool {
	switch {
	case tokens.Is(first, "size") && tokens.Is(first+1, "(") && tokens.Partner[first+1] == last:
		first, last = first+2, last-1
	case tokens.Is(last, ")") && tokens.Is(last-1, "(") && tokens.Is(last-2, "size") && tokens.Is(last-3, "."):
		last -= 4
	}
	for i := first; i <= last; i++ {
		if word := (i-first)%2 == 0; word != tokens.IsWord(i) || !word && !tokens.Is(i, ".") {
			return false
		}
	}
	return last > first && (last-first)%2 == 0
}

func token(tokens *source.Tokens, i int) string { return tokens.List[i].Text }
