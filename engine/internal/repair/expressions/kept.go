package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// ownNumber is a whole number of an expression: none in a name, in a fraction or in a character's code.
var ownNumber = lazy.Regexp{Text: `(?:^|[^\w.#])([0-9]+)(?:[^\w.]|$)`}

// unkept is a number that a repair need not have: an index in a type's name, which has no meaning, a power, and a
// length where CEL has positions.
var unkept = lazy.Regexp{Text: `\[[0-9]+\]\{|\*\*\s*[0-9]+|\[-[0-9]+:\]|substr\([^()]*\)`}

// keeps reports whether a repair still asks what its author wrote: it has all the numbers, also those
// behind //, and compares no value with itself.
func keeps(expression, repaired string) bool {
	for _, m := range ownNumber.FindAllStringSubmatch(unkept.ReplaceAllString(strings.ReplaceAll(expression, "_", ""), " "), -1) {
		if !strings.Contains(repaired, m[1]) {
			return false
		}
	}
	return !comparesItself(repaired) || comparesItself(expression)
}

// comparesItself reports whether both sides of a comparison begin with the same value.
func comparesItself(expression string) bool {
	d := &draft{Tokens: source.NewTokens(expression), text: expression}
	for i := range d.List {
		if slices.Contains(comparisons, d.List[i].Text) && d.ends(i-1) && d.begins(i+1) &&
			!d.isNumber(i-1) && d.slice(d.chainStart(i-1), i-1) == d.slice(i+1, d.chainEnd(i+1)) {
			return true
		}
	}
	return false
}

// unknownName is what the compiler says of a name that it does not know.
var unknownName = lazy.Regexp{Text: `^(?:undeclared reference to|undefined field) '([^']*)'`}

// keepsErrors reports whether an expression with errors that are left is better than the one that its author wrote:
// it has lost no word, and has only errors that were there before. Of a text that could not be read, these are names.
func keepsErrors(before, after *eval.Compiled) bool {
	words := map[string]int{}
	for sign, c := range map[int]*eval.Compiled{1: before, -1: after} {
		for _, t := range source.Lex(c.Expression) {
			if t.Kind == source.Word && joined[t.Text] == "" && t.Text != "not" && t.Text != "is" {
				words[""] += sign
				words[t.Text] += max(sign, 0)
			}
		}
	}
	unread := badness(before) >= unreadable
	return words[""] <= 0 && !slices.ContainsFunc(after.Issues, func(issue eval.Issue) bool {
		m := unknownName.FindStringSubmatch(issue.Message)
		known := unread && m != nil && m[1] != "_" && words[m[1]] > 0
		return !known && !slices.ContainsFunc(before.Issues, func(i eval.Issue) bool { return i.Message == issue.Message })
	})
}
