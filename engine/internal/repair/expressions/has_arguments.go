package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// This file gives has() the field that it needs.

// has rewrites wrong arguments of has().
func has(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || d.Partner[open] < 0 {
			continue
		}
		args, name := d.arguments(open), d.List[i].Text
		presence := name == "has" || (name == "exists" || name == "can") && !method || name == "defined" || name == "isset" || name == "hasField" || name == "present"
		switch {
		case !presence:
		case method && len(args) == 1:
			from := d.chainStart(i - 2)
			target, field := d.slice(from, i-2), d.argument(args[0])
			text := "has(" + target + "." + field + ")"
			if d.isString(args[0][0]) {
				text = field + " in " + target
				if d.Is(from-1, "!") {
					text = "(" + text + ")"
				}
			}
			return d.with(edit{d.start(from), d.end(d.Partner[open]), text})
		case !method && len(args) == 2:
			key := d.argument(args[1])
			if d.IsWord(args[1][0]) && args[1][0] == args[1][1] {
				return d.with(edit{d.start(i), d.end(d.Partner[open]), "has(" + d.argument(args[0]) + "." + key + ")"})
			}
			return d.with(edit{d.start(i), d.end(d.Partner[open]), d.bracketed(i, key+" in "+d.argument(args[0]))})
		case !method && len(args) == 1 && d.quotedPath(args[0]) != "":
			return d.with(edit{d.start(args[0][0]), d.end(args[0][1]), d.quotedPath(args[0])})
		case !method && len(args) == 1:
			if text := d.hasTest(args[0]); text != "" {
				return d.with(edit{d.start(i), d.end(d.Partner[open]), d.grouped(i, d.Partner[open], text)})
			}
			if text := d.hasOf(args[0]); text != "" {
				if end := d.Partner[open]; end+4 < len(d.List) && d.Is(end+1, "&&") && d.slice(end+2, end+4) == text {
					return d.with(edit{d.start(i), d.start(end + 2), ""}) // the same test follows
				}
				return d.with(edit{d.start(i), d.end(d.Partner[open]), d.bracketed(i, text)})
			}
			if name != "has" {
				return d.with(edit{d.start(i), d.end(i), "has"})
			}
		}
	}
	return d.text
}

// fieldPath matches a path of fields from a root variable.
var fieldPath = lazy.Regexp{Text: `^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$`}

// quotedPath is the path of fields that an argument has in quotes: has('object.spec.paused').
// It is empty where that is not so.
func (d *draft) quotedPath(argument [2]int) string {
	if argument[0] != argument[1] || !d.isString(argument[0]) {
		return ""
	}
	if text := strings.Trim(d.argument(argument), `'"`); fieldPath.MatchString(text) {
		return text
	}
	return ""
}

// bracketed puts parentheses around a comparison that replaces a call after a !.
func (d *draft) bracketed(i int, text string) string {
	if d.Is(i-1, "!") {
		return "(" + text + ")"
	}
	return text
}

// hasTest is what has() of a test should be: of !x, of x == y and of x && y. It is
// empty for anything else.
func (d *draft) hasTest(a [2]int) string {
	field := func(from, to int) bool {
		return from < to && d.IsWord(from) && d.chainEnd(from) == to && d.Is(to-1, ".")
	}
	if d.Is(a[0], "!") && field(a[0]+1, a[1]) {
		return "!has(" + d.slice(a[0]+1, a[1]) + ")"
	}
	end := d.chainEnd(a[0])
	if !field(a[0], end) || end+1 >= a[1] {
		return ""
	}
	left := "has(" + d.slice(a[0], end) + ") "
	switch operator := d.List[end+1].Text; {
	case slices.Contains(comparisons, operator), operator == "in":
		return left + "&& " + d.argument(a)
	case (operator == "&&" || operator == "||") && field(end+2, a[1]):
		return left + operator + " has(" + d.slice(end+2, a[1]) + ")"
	}
	return ""
}

// grouped puts brackets around tests that take the place of a call beside another
// operator.
func (d *draft) grouped(i, end int, text string) string {
	if strings.Contains(text, " ") && (d.Is(i-1, "!") || d.Is(i-1, "||") || d.Is(end+1, "||") || d.Is(end+1, "?") || slices.Contains(comparisons, d.List[min(end+1, len(d.List)-1)].Text)) {
		return "(" + text + ")"
	}
	return text
}

// hasOf is what has() of something that is no field should be; empty for a
// field.
func (d *draft) hasOf(a [2]int) string {
	last := a[1]
	switch {
	case a[0] == last && d.IsWord(last):
		return d.List[last].Text + " != null"
	case d.Is(last, "]") && d.Partner[last] > a[0]:
		open := d.Partner[last]
		key := d.slice(open+1, last-1)
		if d.isNumber(open+1) && open+2 == last {
			return "size(" + d.slice(a[0], open-1) + ") > " + key
		}
		target := d.slice(a[0], open-1)
		test := strings.TrimPrefix(key, "?") + " in " + target
		if d.mayBeAbsent(a[0], open-1) {
			return "has(" + target + ") && " + test
		}
		return test
	}
	return ""
}

// mayBeAbsent reports whether the field from token i to j is labels or annotations, which objects may
// lack, and whether the expression does not test it elsewhere.
func (d *draft) mayBeAbsent(i, j int) bool {
	target := d.slice(i, j)
	return !strings.ContainsAny(target, "?([") && (d.Is(j, "labels") || d.Is(j, "annotations")) && d.Is(j-1, ".") && !strings.Contains(d.text, "has("+target+")")
}
