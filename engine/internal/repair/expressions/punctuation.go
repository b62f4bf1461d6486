package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// fieldValues puts braces around the entries of a map that are in a field
// without any: labels: 'team': 'blue'.
func fieldValues(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		first := i + 2
		if d.Is(first, "?") {
			first++
		}
		if !d.IsWord(i) || !d.Is(i+1, ":") || !d.Is(i-1, "{") && !d.Is(i-1, ",") || !d.isString(first) && !d.IsWord(first) || !d.Is(first+1, ":") || !d.inBraces(i) {
			continue
		}
		end := d.chainEnd(min(first+2, len(d.List)-1))
		for d.Is(end+1, ",") && d.isString(end+2) && d.Is(end+3, ":") && end+4 < len(d.List) {
			end = d.chainEnd(end + 4)
		}
		return d.with(edit{d.start(i + 2), d.start(i + 2), "{"}, edit{d.end(end), d.end(end), "}"})
	}
	return d.text
}

// endings takes an operator away that has nothing after it.
func endings(d *draft) string {
	last := len(d.List) - 1
	if last < 1 || !d.syntaxError() {
		return d.text
	}
	for _, operator := range []string{"&&", "||", ",", "+", "==", "."} {
		if d.Is(last, operator) {
			return strings.TrimRight(d.text[:d.start(last)], " \t\n")
		}
		if d.Is(0, operator) && operator != "." {
			return strings.TrimLeft(d.text[d.end(0):], " \t\n")
		}
	}
	return d.text
}

// brackets closes what is open at the end, and takes away what closes nothing.
func brackets(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	closing := map[string]string{"(": ")", "[": "]", "{": "}"}
	if text := d.closedEarlier(closing); text != d.text {
		return text
	}
	missing := ""
	for i := range d.List {
		if d.List[i].Kind != source.Symbol || d.Partner[i] >= 0 {
			continue
		}
		switch text := d.List[i].Text; text {
		case ")", "]", "}":
			return d.with(edit{d.start(i), d.end(i), ""})
		case "(", "[", "{":
			missing = closing[text] + missing
		}
	}
	if last := len(d.List) - 1; last >= 0 && d.List[last].Kind == source.String && d.List[last].Open {
		return d.text + "'" + missing
	}
	return strings.TrimRight(d.text, " \t\n") + missing
}

// commas puts a comma between two values in a bracket.
func commas(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		if i+1 >= len(d.List) || !d.ends(i) || !d.isString(i+1) && !d.isNumber(i+1) && !d.IsWord(i+1) || d.Is(i, "in") {
			continue
		}
		for j := i; j >= 0; j-- {
			if p := d.Partner[j]; p >= 0 && p < j {
				j = p
			} else if p > i {
				return d.with(edit{d.end(i), d.end(i), ","})
			}
		}
	}
	return d.text
}

// listedTests joins tests with && that are listed with commas outside all brackets.
func listedTests(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	var edits []edit
	for i := range d.List {
		if d.Is(i, ",") && d.enclosing(i) < 0 {
			if i == 0 || d.bareRoot(i-1) || d.bareRoot(i+1) {
				return d.text // nothing before it, or no test by itself
			}
			edits = append(edits, edit{d.end(i - 1), d.end(i), " &&"})
		}
	}
	if last := len(d.List) - 1; len(edits) == 0 || d.Is(last, ",") {
		return d.text
	}
	return d.with(edits...)
}

// bareRoot reports whether an operand is nothing but one of the names that paths begin with.
func (d *draft) bareRoot(i int) bool {
	return d.IsWord(i) && slices.Contains(rootNames, d.List[i].Text) && !d.Is(i-1, ".") && !d.Is(i+1, ".") && !d.Is(i+1, "[")
}

// enclosing is the bracket that a token is in, -1 for none.
func (d *draft) enclosing(i int) int {
	for j := i - 1; j >= 0; j-- {
		if p := d.Partner[j]; p >= 0 && p < j {
			j = p
		} else if p > i {
			return j
		}
	}
	return -1
}

// numberedItem writes list.0 as list[0].
func numberedItem(d *draft) string {
	for i := range d.List {
		number := strings.TrimPrefix(d.List[i].Text, ".")
		if i > 0 && d.isNumber(i) && number != d.List[i].Text && wholeNumber.MatchString(number) && d.ends(i-1) && d.touches(i-1) {
			return d.with(edit{d.start(i), d.end(i), "[" + number + "]"})
		}
	}
	return d.text
}

// closedEarlier closes a bracket before the other one that takes its place: that
// of map( in map(c, {}}.
func (d *draft) closedEarlier(closing map[string]string) string {
	for i := range d.List {
		p := d.Partner[i]
		if p < i || d.List[p].Text == closing[d.List[i].Text] {
			continue
		}
		open, closed := 0, 0
		for _, t := range d.List {
			if t.Kind == source.Symbol {
				open += strings.Count("([{", t.Text)
				closed += strings.Count(")]}", t.Text)
			}
		}
		if open > closed {
			return strings.TrimRight(d.text[:d.start(p)], " \t\n") + closing[d.List[i].Text] + d.text[d.end(p-1):]
		}
		return d.with(edit{d.start(p), d.end(p), closing[d.List[i].Text]})
	}
	return d.text
}

// joinedTwice leaves out the second of two operators in a row: a && and b.
func joinedTwice(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	join := func(i int) string {
		if i >= len(d.List) {
			return ""
		}
		if d.Is(i, "&&") || d.Is(i, "||") {
			return d.List[i].Text
		}
		return map[string]string{"and": "&&", "or": "||"}[strings.ToLower(d.List[i].Text)]
	}
	for i := range d.List {
		if first, second := join(i), join(i+1); first != "" && first == second && d.ends(i-1) && d.begins(i+2) {
			return d.with(edit{d.start(i), d.end(i + 1), first})
		}
	}
	return d.text
}

// lambdas writes lambda c: test as the arguments of a macro.
func lambdas(d *draft) string {
	for i := range d.List {
		if d.Is(i, "lambda") && d.Is(i-1, "(") && d.IsWord(i+1) && d.Is(i+2, ":") {
			return d.with(edit{d.start(i), d.end(i + 2), d.List[i+1].Text + ","})
		}
	}
	return d.text
}

// unnamedOperand repeats the left side of the comparison before one that has none:
// x > 0 && < 5.
func unnamedOperand(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "&&") && !d.Is(i, "||") || i+2 >= len(d.List) || !slices.Contains(comparisons, d.List[i+1].Text) || !d.begins(i+2) {
			continue
		}
		for j := i - 1; j > 0; j-- {
			if p := d.Partner[j]; p >= 0 && p < j {
				j = p
			} else if slices.Contains(comparisons, d.List[j].Text) && d.ends(j-1) {
				return d.with(edit{d.start(i + 1), d.start(i + 1), d.slice(d.chainStart(j-1), j-1) + " "})
			} else if p > i || d.Is(j, "&&") || d.Is(j, "||") {
				break
			}
		}
	}
	return d.text
}

// unclosed closes a text before what cannot be in it: startsWith('w) is
// startsWith('w').
func unclosed(d *draft) string {
	open := false
	for _, t := range d.List {
		open = open || t.Kind == source.String && t.Open
	}
	if !open {
		return d.text
	}
	for i, t := range d.List {
		if t.Kind != source.String || strings.HasPrefix(t.Text, `'''`) || strings.HasPrefix(t.Text, `"""`) || strings.ContainsAny(t.Text[:1], "rRbB") {
			continue
		}
		for at := 1; at < len(t.Text); at++ {
			if !strings.ContainsRune(")]},& ", rune(t.Text[at])) || t.Text[at] == ' ' && at == 1 {
				continue
			}
			if text := d.text[:d.start(i)+at] + t.Text[:1] + d.text[d.start(i)+at:]; balanced(text) {
				return text
			}
		}
	}
	return d.text
}

// balanced reports whether all texts and brackets of an expression are closed.
func balanced(text string) bool {
	tokens := source.NewTokens(text)
	for i, t := range tokens.List {
		if t.Kind == source.String && t.Open {
			return false
		}
		if t.Kind == source.Symbol && strings.Contains("()[]{}", t.Text) && tokens.Partner[i] < 0 {
			return false
		}
	}
	return true
}

// twoPoints takes away a second point between names: object.spec..replicas.
func twoPoints(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	return d.each(func(i int) (string, bool) {
		return "", d.Is(i, ".") && d.Is(i-1, ".") && d.touches(i-1) && (d.ends(i-2) || d.Is(i-2, ".")) && (d.IsWord(i+1) || d.Is(i+1, "."))
	})
}
