package expressions

import (
	"slices"
	"strings"
)

// macros of CEL take a variable and what is asked of it.
var macros = []string{"all", "exists", "exists_one", "existsOne", "filter", "map"}

// macro is a call list.name(variable, body) with two arguments at a token, in any
// language: the first token of the list, and the arguments.
func (d *draft) macro(i int) (from int, variable, body string, ok bool) {
	open, method, isCall := d.call(i)
	if !isCall || !method || d.Partner[open] < 0 {
		return 0, "", "", false
	}
	args := d.arguments(open)
	if len(args) != 2 || args[0][0] != args[0][1] || !d.IsWord(args[0][0]) {
		return 0, "", "", false
	}
	return d.chainStart(i - 2), d.argument(args[0]), d.argument(args[1]), true
}

// otherMacros writes counts, sums and the like, which take a variable and an
// expression in other languages, with the macros that there are.
func otherMacros(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		// list.map(c, test).all() asks for the test of each item.
		open, method, ok := d.call(i)
		macro := map[string]string{"all": "all", "every": "all", "exists": "exists", "any": "exists", "some": "exists"}[d.List[i].Text]
		if !ok || !method || macro == "" || d.Partner[open] != open+1 || !d.Is(i-2, ")") || d.Partner[i-2] < 1 || !d.Is(d.Partner[i-2]-1, "map") {
			continue
		}
		of := d.Partner[i-2] - 1
		return d.with(edit{d.start(of), d.end(of), macro}, edit{d.end(i - 2), d.end(open + 1), ""})
	}
	for i := range d.List {
		from, variable, body, ok := d.macro(i)
		open, _, _ := d.call(i)
		// find() of texts is another one.
		if !ok || undeclared[i] == "" && !(d.Is(i, "find") && undeclared[open+1] != "") {
			continue
		}
		list, end := d.slice(from, i-2), d.end(d.Partner[open])
		switch d.List[i].Text {
		case "count", "Count", "countIf", "count_if":
			return d.with(edit{d.start(i), end, "filter(" + variable + ", " + body + ").size()"})
		case "sum", "min", "max":
			return d.with(edit{d.start(i), end, "map(" + variable + ", " + body + ")." + d.List[i].Text + "()"})
		case "none", "notExists", "noneMatch":
			return d.with(edit{d.start(from), end, "!" + list + ".exists(" + variable + ", " + body + ")"})
		case "find", "first":
			return d.with(edit{d.start(i), end, "filter(" + variable + ", " + body + ")[0]"})
		case "flatMap":
			return d.with(edit{d.start(i), end, "map(" + variable + ", " + body + ").flatten()"})
		}
	}
	return d.text
}

// macroOfText writes list.exists('a') as 'a' in list.
func macroOfText(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method || undeclared[i] == "" || d.List[i].Text != "exists" && d.List[i].Text != "any" && d.List[i].Text != "some" {
			continue
		}
		args := d.arguments(open)
		if len(args) != 1 || args[0][0] != args[0][1] || !d.isString(args[0][0]) {
			continue
		}
		from := d.chainStart(i - 2)
		return d.with(edit{d.start(from), d.end(d.Partner[open]), d.bracketed(from, d.argument(args[0])+" in "+d.slice(from, i-2))})
	}
	return d.text
}

// separatedVariable writes all(c: test) and all(c | test) with a comma.
func separatedVariable(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		if d.IsWord(i) && slices.Contains(macros, d.List[i].Text) && d.Is(i-1, ".") && d.Is(i+1, "(") && d.IsWord(i+2) && (d.Is(i+3, ":") || d.Is(i+3, "|")) {
			return d.with(edit{d.start(i + 3), d.end(i + 3), ","})
		}
	}
	return d.text
}

// textMethods are methods of texts that are asked of all items when they are called
// on a list.
var textMethods = []string{"startsWith", "endsWith", "matches"}

// itemsOf asks each item of a list: list.startsWith(x) becomes
// list.all(item, item.startsWith(x)).
func itemsOf(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method || !slices.Contains(textMethods, d.List[i].Text) || !d.messages("'"+d.List[i].Text+"' applied to 'list(") || d.Partner[open] < 0 {
			continue
		}
		from, test := d.chainStart(i-2), d.slice(i, d.Partner[open])
		// list.map(c, c.image) gives what is asked about: list.all(c, c.image.startsWith(x)).
		if closing := i - 2; d.Is(closing, ")") && d.Partner[closing] > 1 && d.Is(d.Partner[closing]-1, "map") {
			name := d.Partner[closing] - 1
			if _, variable, body, ok := d.macro(name); ok && !strings.ContainsAny(body, "+?&|=<> ") {
				return d.with(edit{d.start(name), d.end(d.Partner[open]), "all(" + variable + ", " + body + "." + test + ")"})
			}
		}
		return d.with(edit{d.start(from), d.end(d.Partner[open]), d.slice(from, i-2) + ".all(item, item." + test + ")"})
	}
	return d.text
}

// firstOf reads an item of list.first(), which is an optional.
func firstOf(d *draft) string {
	if !d.messages("optional_type(") {
		return d.text
	}
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method || d.Partner[open] != open+1 || !d.Is(open+2, ".") {
			continue
		}
		switch d.List[i].Text {
		case "first":
			return d.with(edit{d.start(i - 1), d.end(open + 1), "[0]"})
		case "last":
			return d.with(edit{d.end(open + 1), d.end(open + 1), ".value()"})
		}
	}
	return d.text
}

// otherVariable returns what a macro tests the name that the macro has for it, where another
// one is written there and that name is not used at all: all(c, container.image == ...).
func otherVariable(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		if !slices.Contains(macros, d.List[i].Text) {
			continue
		}
		open, _, isCall := d.call(i)
		if _, _, _, ok := d.macro(i); !ok || !isCall {
			continue
		}
		variable, body := d.List[open+1].Text, d.arguments(open)[1]
		other := ""
		var edits []edit
		for j := body[0]; j <= body[1]; j++ {
			name := d.List[j].Text
			if !d.IsWord(j) || d.Is(j-1, ".") {
				continue
			}
			if name == variable {
				edits = nil
				break
			}
			if undeclared[j] == "" && name != other || !d.Is(j+1, ".") || other != "" && name != other || otherRoots[name] != "" && name == otherRoots[name] || PathOf(d.object, name) != "" || d.hasVariable(name) {
				continue
			}
			other, edits = name, append(edits, edit{d.start(j), d.end(j), variable})
		}
		if len(edits) > 0 {
			return d.with(edits...)
		}
	}
	return d.text
}

// adjacentTests joins two tests that have nothing between them.
func adjacentTests(d *draft) string {
	if !d.messages("expecting <EOF>") || d.expression.Scope.Patch {
		return d.text
	}
	for i := 1; i < len(d.List); i++ {
		joins := d.Is(i-1, ")") && (d.IsWord(i) || d.Is(i, "!") || d.Is(i, "(")) || d.ends(i-1) && (d.Is(i, "has") && d.Is(i+1, "(") || d.Is(i, "!"))
		joins = joins || d.ends(i-1) && d.IsWord(i) && !d.Is(i, "in") && !d.Is(i-1, "in") && strings.Contains(d.text[d.end(i-1):d.start(i)], "\n") && d.outermostComparison(i)
		if joins && !d.Is(i, "in") && !d.Is(i-1, "in") && !d.touches(i-1) {
			return d.with(edit{d.end(i - 1), d.end(i - 1), " &&"})
		}
	}
	return d.text
}

// outermostComparison reports whether a token in no bracket stands between two comparisons.
func (d *draft) outermostComparison(i int) bool {
	before, after := false, false
	for j := range d.List {
		if p := d.Partner[j]; p >= 0 && (j < i) != (p < i) {
			return false
		}
		if slices.Contains(comparisons, d.List[j].Text) {
			before, after = before || j < i, after || j > i
		}
	}
	return before && after
}

// listOfList leaves out a call that makes a list of what is one: variables.images.list().
func listOfList(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if ok && method && slices.Contains([]string{"list", "toList", "asList", "iterator", "stream"}, d.List[i].Text) && d.Partner[open] == open+1 {
			return d.with(edit{d.start(i - 1), d.end(open + 1), ""})
		}
	}
	return d.text
}
