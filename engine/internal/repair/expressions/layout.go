package expressions

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// wide is the length up to which a part of an expression stays on one line.
const wide = 88

// Layout writes a long expression over several lines: terms of a sum, operands of a choice and
// what is in brackets each on their own.
func Layout(expression string) string {
	l := layout{&draft{Tokens: source.NewTokens(expression), text: expression}}
	if len(l.List) == 0 {
		return expression
	}
	return l.lines(0, len(l.List)-1, "")
}

type layout struct{ *draft }

// lines writes the tokens of a part, which begins in the column that indent has.
func (l layout) lines(from, to int, indent string) string {
	line := strings.Join(strings.Fields(l.slice(from, to)), " ")
	if from > to || len(indent)+len(line) <= wide {
		return line
	}
	if l.IsWord(from) && l.Is(from+1, ":") && from+2 <= to {
		return l.List[from].Text + ": " + l.lines(from+2, to, indent)
	}
	if at := l.between(from, to, "?"); len(at) == 1 {
		if colon := l.between(at[0]+1, to, ":"); len(colon) == 1 {
			inner := indent + "  "
			return l.lines(from, at[0]-1, indent) + "\n" + inner + "? " + l.lines(at[0]+1, colon[0]-1, inner+"  ") + "\n" + inner + ": " + l.lines(colon[0]+1, to, inner+"  ")
		}
	}
	if at := l.between(from, to, "+"); len(at) > 0 {
		var terms []string
		for _, plus := range append(at, to+1) {
			terms = append(terms, l.lines(from, plus-1, indent))
			from = plus + 1
		}
		return strings.Join(terms, " +\n"+indent)
	}
	end := to
	open := l.Partner[end]
	for open == end-1 && l.Is(open-2, ".") && open-3 > from && l.Partner[open-3] >= from && l.Partner[open-3] < open-3 {
		end = open - 3 // a method without arguments stays behind what it is called on
		open = l.Partner[end]
	}
	if open < from || open >= end {
		return line
	}
	inner := indent + "  "
	var items []string
	for _, a := range l.arguments(open) {
		items = append(items, l.lines(a[0], a[1], inner))
	}
	head := strings.Join(strings.Fields(l.slice(from, open)), " ")
	return head + "\n" + inner + strings.Join(items, ",\n"+inner) + "\n" + indent + l.slice(end, to)
}

// between are the tokens of a text outside the brackets of a part.
func (l layout) between(from, to int, text string) (at []int) {
	for i := from; i <= to; i++ {
		if p := l.Partner[i]; p > i {
			i = p
		} else if l.Is(i, text) && i > from {
			at = append(at, i)
		}
	}
	return at
}
