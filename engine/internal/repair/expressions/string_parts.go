package expressions

import (
	"slices"
	"strconv"
	"strings"
)

// partRules are for parts of strings that other languages name by other positions than CEL.
var partRules = []rule{
	{"substring() takes the position after the part, not its length.", partOfLength},
	{"Take part of a string with substring(from, to).", slicedText},
	{"find() returns the text that it finds; indexOf() returns its position.", positionOfText},
}

// partOfLength writes x.substr(start, length) with the position after the part.
func partOfLength(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method || !d.Is(i, "substr") || len(d.arguments(open)) != 2 {
			continue
		}
		args := d.arguments(open)
		start, length := d.argument(args[0]), d.argument(args[1])
		end := start + " + " + length
		if a, err := strconv.Atoi(start); err == nil {
			if b, err := strconv.Atoi(length); err == nil {
				end = strconv.Itoa(a + b)
				if before, after, ok := d.longEnough(i, open, end); ok {
					return d.with(before, edit{d.start(i), d.end(i), "substring"}, edit{d.start(args[1][0]), d.end(args[1][1]), end}, after)
				}
			}
		}
		return d.with(edit{d.start(i), d.end(i), "substring"}, edit{d.start(args[1][0]), d.end(args[1][1]), end})
	}
	return d.text
}

// longEnough are the edits that test the length of a text before a part of it is compared with a literal: substring()
// fails for a shorter text, where other languages return what there is. It is false where the part is used otherwise.
func (d *draft) longEnough(i, open int, end string) (before, after edit, ok bool) {
	closing, from := d.Partner[open], d.chainStart(i-2)
	if !d.isString(closing+2) || from < 0 || d.IsWord(from-1) {
		return before, after, false
	}
	test, bracket := "", ""
	switch {
	case d.Is(closing+1, "=="):
		test = "size(" + d.slice(from, i-2) + ") >= " + end + " && "
	case d.Is(closing+1, "!="):
		test = "size(" + d.slice(from, i-2) + ") < " + end + " || "
	default:
		return before, after, false
	}
	if from > 0 || closing+2 < len(d.List)-1 {
		test, bracket = "("+test, ")"
	}
	return edit{d.start(from), d.start(from), test}, edit{d.end(closing + 2), d.end(closing + 2), bracket}, true
}

// slicedText writes x.slice(0, 3) == 'abc' with substring(): CEL has slice() for lists.
func slicedText(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if ok && method && d.Is(i, "slice") && (d.Is(d.Partner[open]+1, "==") || d.Is(d.Partner[open]+1, "!=")) && d.isString(d.Partner[open]+2) {
			return d.with(edit{d.start(i), d.end(i), "substring"})
		}
	}
	return d.text
}

// positionOfText writes x.find('a') == -1 with indexOf().
func positionOfText(d *draft) string {
	if !d.messages("applied to '(string, int)'") {
		return d.text
	}
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method || !d.Is(i, "find") || !slices.Contains(comparisons, d.token(d.Partner[open]+1)) {
			continue
		}
		if value := d.Partner[open] + 2; d.isNumber(value) || d.Is(value, "-") && d.isNumber(value+1) {
			return d.with(edit{d.start(i), d.end(i), "indexOf"})
		}
	}
	return d.text
}

// parts writes x[0:3] with substring().
func parts(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for open := range d.List {
		closing := d.Partner[open]
		if !d.Is(open, "[") || closing < open || !d.ends(open-1) {
			continue
		}
		colon := -1
		for i := open + 1; i < closing; i++ {
			if p := d.Partner[i]; p > i {
				i = p
			} else if d.Is(i, ":") {
				colon = i
			} else if d.Is(i, "?") {
				colon = -1
				break
			}
		}
		if colon < 0 {
			continue
		}
		from, to := "0", ""
		if d.Is(open+1, "-") && d.isNumber(open+2) && colon == open+3 && closing == colon+1 {
			return d.lastPart(d.chainStart(open-1), open, closing)
		}
		if colon > open+1 {
			from = d.slice(open+1, colon-1)
		}
		if colon < closing-1 {
			to = ", " + d.slice(colon+1, closing-1)
		}
		return d.with(edit{d.start(open), d.end(closing), ".substring(" + from + to + ")"})
	}
	return d.text
}

// lastPart writes x[-4:] from token from to token closing, the operand before the bracket at open: a comparison with a
// text of that length as its end, which shorter texts do not have.
func (d *draft) lastPart(from, open, closing int) string {
	of, length := d.slice(from, open-1), d.List[open+2].Text
	if text, plain := d.literalText(closing + 2); plain && strconv.Itoa(len([]rune(text))) == length && (d.Is(closing+1, "==") || d.Is(closing+1, "!=")) {
		test := of + ".endsWith(" + d.List[closing+2].Text + ")"
		if d.Is(closing+1, "!=") {
			test = "!" + test
		}
		return d.with(edit{d.start(from), d.end(closing + 2), test})
	}
	return d.with(edit{d.start(open), d.end(closing), ".substring(size(" + of + ") - " + length + ")"})
}

// anchored writes the literal of a pattern for a function that other languages match from the beginning, or as a whole.
func anchored(literal string, whole bool) string {
	at := strings.IndexAny(literal, `'"`)
	if at < 0 {
		return literal
	}
	prefix, quote, pattern := literal[:at], literal[at:at+1], strings.Trim(literal[at:], literal[at:at+1])
	if whole && strings.Contains(pattern, "|") {
		pattern = "(" + pattern + ")"
	}
	if !strings.HasPrefix(pattern, "^") {
		pattern = "^" + pattern
	}
	if whole && !strings.HasSuffix(pattern, "$") {
		pattern += "$"
	}
	return prefix + quote + pattern + quote
}
