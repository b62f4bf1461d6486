package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// typedRules repair problems that only show when the objects' types are known.
var typedRules = []func(*draft) string{throughList, namedItem, keyOfMacro, formatted, clauses, characters, itemOfList, comparedLists, addedTexts, nullField, swappedIn, keysInMap, keyOfMap, inNetwork, itemsOf, uncalled, fieldAsTest, sizeOfNumber, inSplitText, plainDefault, times, itemsOfType, namedIn, flattened, quantityMethods, membership}

// Typed returns an expression with a type error repaired, or "" without a repair.
// message is the compiler's, and its place counts code points.
func Typed(expression, message string, at int) string {
	d := &draft{Tokens: source.NewTokens(expression), context: &context{}, text: expression,
		compiled: &eval.Compiled{Issues: []eval.Issue{{Start: at, End: at, Message: message}}}}
	for _, rule := range typedRules {
		if next := rule(d); next != expression && next != "" {
			return next
		}
	}
	return ""
}

// selection returns the token of the dot before the field that the problem is
// about, or -1 if it is about something else.
func (d *draft) selection(of string) int {
	for _, issue := range d.compiled.Issues {
		if !strings.HasPrefix(issue.Message, "type '"+of) || !strings.HasSuffix(issue.Message, "does not support field selection") {
			continue
		}
		at := d.Starting(issue.Start)
		if d.Is(at, "has") {
			at++
		}
		if d.Is(at, "(") && d.Is(at-1, "has") && d.Partner[at] > at+2 {
			return d.Partner[at] - 2
		}
		for i := max(at-1, 1); i < len(d.List); i++ {
			if d.Is(i, ".") && d.IsWord(i+1) && d.ends(i-1) && d.List[i].Start >= issue.Start-1 {
				return i
			}
		}
	}
	return -1
}

// throughList reads a field of each item of a list: list.field == x becomes
// list.all(i, i.field == x), and list.length its size.
func throughList(d *draft) string {
	point := d.selection("list(")
	if point < 0 {
		return d.text
	}
	field := d.List[point+1].Text
	if slices.Contains([]string{"length", "size", "count", "Length", "len"}, field) && !d.Is(point+2, ".") {
		return d.with(edit{d.start(point + 1), d.end(point + 1), "size()"})
	}
	from, to := d.chainStart(point-1), d.chainEnd(point+1)
	name := d.itemName(point - 1)
	for i := range d.List {
		if d.Is(i, name) && !d.Is(i-1, ".") { // another macro declares it
			name = "item"
		}
	}
	list, chainEnd := d.slice(from, point-1), to
	if (d.Is(to+1, "==") || d.Is(to+1, "!=")) && d.Is(to+2, "null") { // a missing field is not null
		test := "has(" + name + d.slice(point, to) + ")"
		if d.Is(to+1, "==") {
			test = "!" + test
		}
		return d.with(edit{d.start(from), d.end(to + 2), list + ".all(" + name + ", " + test + ")"})
	}
	if d.Is(from-1, "(") && d.Is(from-2, "has") && d.Partner[from-1] == to+1 {
		if d.Is(from-3, "!") {
			return d.with(edit{d.start(from - 3), d.end(to + 1), list + ".all(" + name + ", !has(" + name + d.slice(point, to) + "))"})
		}
		return d.with(edit{d.start(from - 2), d.end(to + 1), list + ".all(" + name + ", has(" + name + d.slice(point, to) + "))"})
	}
	if stop := d.find(to+1, "&&", "||", ",", ")", "]", "?", ":"); stop > 0 {
		to = stop - 1
	} else {
		to = len(d.List) - 1
	}
	if d.Is(from-1, "!") {
		return d.with(edit{d.start(from - 1), d.end(to), list + ".all(" + name + ", !" + name + d.slice(point, to) + ")"})
	}
	if d.Is(from-1, "in") && d.ends(from-2) {
		start := d.chainStart(from - 2)
		asked, read := d.slice(start, from-2), name+d.slice(point, chainEnd)
		if strings.HasSuffix(field, "s") {
			asked += " in " + read
		} else {
			asked = read + " == " + asked
		}
		return d.with(edit{d.start(start), d.end(chainEnd), list + ".exists(" + name + ", " + asked + ")"})
	}
	if from > 0 && !d.Is(from-1, "&&") && !d.Is(from-1, "||") && !d.Is(from-1, "(") && !d.Is(from-1, ",") && !d.Is(from-1, "?") && !d.Is(from-1, ":") {
		return d.text // the right side of a comparison
	}
	return d.with(edit{d.start(from), d.end(to), list + ".all(" + name + ", " + name + d.slice(point, to) + ")"})
}

// namedItem finds the item of a list by its name: list['a'].x == y becomes
// list.exists(i, i.name == 'a' && i.x == y).
func namedItem(d *draft) string {
	if !d.messages("'_[_]' applied to '(list(") || !d.messages(", string)'") {
		return d.text
	}
	for open := range d.List {
		if !d.Is(open, "[") || !d.ends(open-1) || d.Partner[open] != open+2 || !d.isString(open+1) || !d.Is(open+3, ".") {
			continue
		}
		if number := strings.Trim(d.List[open+1].Text, `'"`); number != "" && strings.Trim(number, "0123456789") == "" {
			return d.with(edit{d.start(open + 1), d.end(open + 1), number}) // an index in quotes, and no name
		}
		from, to := d.chainStart(open-1), len(d.List)-1
		if from > 0 && !d.Is(from-1, "&&") && !d.Is(from-1, "||") && !d.Is(from-1, "(") && !d.Is(from-1, "!") {
			continue
		}
		if stop := d.find(open+3, "&&", "||", ",", ")", "]", "?", ":"); stop > 0 {
			to = stop - 1
		}
		name := d.itemName(open - 1)
		return d.with(edit{d.start(open), d.end(to), ".exists(" + name + ", " + name + ".name == " + d.List[open+1].Text + " && " + name + d.slice(open+3, to) + ")"})
	}
	return d.text
}

// keyOfMacro writes l.key and l.value of map.exists(l, ...) as what they are there:
// the name that a macro gives in a map is the key.
func keyOfMacro(d *draft) string {
	point := d.selection("string")
	if point < 0 || !d.IsWord(point-1) || d.Is(point-2, ".") {
		return d.text
	}
	name := d.List[point-1].Text
	for i := point; i >= 0; i-- {
		open, method, ok := d.call(i)
		if !ok || !method || !d.Is(open+1, name) || !d.Is(open+2, ",") || d.Partner[open] < point {
			continue
		}
		target := d.slice(d.chainStart(i-2), i-2)
		var edits []edit
		for j := open + 3; j < d.Partner[open]; j++ {
			if !d.Is(j, name) || d.Is(j-1, ".") || !d.Is(j+1, ".") {
				continue
			}
			switch d.List[j+2].Text {
			case "key", "name", "Key", "k":
				edits = append(edits, edit{d.end(j), d.end(j + 2), ""})
			case "value", "Value", "v", "val":
				edits = append(edits, edit{d.start(j), d.end(j + 2), target + "[" + name + "]"})
			}
		}
		if len(edits) > 0 {
			return d.with(edits...)
		}
	}
	return d.text
}

// formatted gives format() its values as a list.
func formatted(d *draft) string {
	if !d.messages("overload for 'format' applied to") {
		return d.text
	}
	for i := range d.List {
		open, method, ok := d.call(i)
		args := d.arguments(max(open, 0))
		if !ok || !method || d.List[i].Text != "format" || len(args) == 0 {
			continue
		}
		if end := d.Partner[args[0][0]]; len(args) > 1 && d.Is(args[0][0], "[") {
			return d.with(edit{d.start(end), d.end(end), ""}, edit{d.start(d.Partner[open]), d.start(d.Partner[open]), "]"})
		}
		if !d.Is(args[0][0], "[") {
			return d.with(edit{d.end(open), d.end(open), "["}, edit{d.start(d.Partner[open]), d.start(d.Partner[open]), "]"})
		}
	}
	return d.text
}

// characters rewrites the access to one character of a string.
func characters(d *draft) string {
	if !d.messages("'_[_]' applied to '(string, int)'") {
		return d.text
	}
	for open := range d.List {
		if d.Is(open, "[") && d.ends(open-1) && d.Partner[open] == open+2 && d.isNumber(open+1) {
			return d.with(edit{d.start(open), d.end(open + 2), ".charAt(" + d.List[open+1].Text + ")"})
		}
	}
	return d.text
}

// nullField tests a field with has(): a missing field is not null, and reading it
// fails.
func nullField(d *draft) string {
	if !d.messages(", null)'") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "==") && !d.Is(i, "!=") || !d.Is(i+1, "null") || !d.IsWord(i-1) || !d.Is(i-2, ".") {
			continue
		}
		from, not := d.chainStart(i-1), ""
		if d.Is(i, "==") {
			not = "!"
		}
		return d.with(edit{d.start(from), d.end(i + 1), not + "has(" + d.slice(from, i-1) + ")"})
	}
	return d.text
}

// itemsOfType removes the quotes from a list's items when a number is searched in it: replicas in ['1', '2'].
func itemsOfType(d *draft) string {
	if !d.messages("'@in' applied to '(int, list(string))'") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "in") || !d.Is(i+1, "[") || d.Partner[i+1] < 0 {
			continue
		}
		var edits []edit
		for _, a := range d.arguments(i + 1) {
			text := strings.Trim(d.argument(a), `'"`)
			if a[0] != a[1] || !d.isString(a[0]) || text == "" || strings.Trim(text, "0123456789") != "" {
				edits = nil
				break
			}
			edits = append(edits, edit{d.start(a[0]), d.end(a[0]), text})
		}
		if len(edits) > 0 {
			return d.with(edits...)
		}
	}
	return d.text
}

// uncalled calls a string method that is written as a field: name.lowerAscii.
func uncalled(d *draft) string {
	point := d.selection("string")
	if point < 0 || d.Is(point+2, "(") {
		return d.text
	}
	name := d.List[point+1].Text
	if other := functionNames[name]; other != "" {
		name = other
	}
	if !slices.Contains([]string{"size", "lowerAscii", "upperAscii", "trim"}, name) {
		return d.text
	}
	return d.with(edit{d.start(point + 1), d.end(point + 1), name + "()"})
}

// fieldAsTest tests with has() a field that is used as a boolean and has another type.
func fieldAsTest(d *draft) string {
	for _, issue := range d.compiled.Issues {
		if !strings.HasPrefix(issue.Message, "expected type 'bool' but found") && !strings.HasPrefix(issue.Message, "found no matching overload for '!_'") {
			continue
		}
		i := d.Starting(issue.Start)
		for ; i < len(d.List) && !d.IsWord(i); i++ {
			if d.Is(i, ")") || d.isString(i) || d.isNumber(i) {
				return d.text
			}
		}
		if i >= len(d.List) {
			continue
		}
		from, to := d.chainStart(i), d.chainEnd(i)
		before := d.Is(from-1, "&&") || d.Is(from-1, "||") || d.Is(from-1, "!") || d.Is(from-1, ",") || d.Is(from-1, "(") || from == 0
		after := d.Is(to+1, "&&") || d.Is(to+1, "||") || d.Is(to+1, "?") || d.Is(to+1, ")") || to == len(d.List)-1
		if before && after && d.IsWord(to) && d.Is(to-1, ".") {
			return d.with(edit{d.start(from), d.end(to), "has(" + d.slice(from, to) + ")"})
		}
	}
	return d.text
}

// sizeOfNumber removes size() from a number.
func sizeOfNumber(d *draft) string {
	if !d.messages("overload for 'size' applied to '(int)'") && !d.messages("overload for 'size' applied to 'int.()'") {
		return d.text
	}
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || d.List[i].Text != "size" {
			continue
		}
		if args := d.arguments(open); !method && len(args) == 1 {
			return d.with(edit{d.start(i), d.end(d.Partner[open]), d.operand(args[0])})
		} else if method && len(args) == 0 {
			return d.with(edit{d.end(i - 2), d.end(d.Partner[open]), ""})
		}
	}
	return d.text
}

// namedIn searches a list of objects for an item by its name: 'A' in c.env.
func namedIn(d *draft) string {
	field := ".name"
	if d.messages("'@in' applied to '(int, list(") {
		field = ".port"
	} else if !d.messages("'@in' applied to '(string, list(object") && !d.messages("'@in' applied to '(string, list(<object") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "in") || !d.ends(i-1) || !d.begins(i+1) {
			continue
		}
		from, to := d.chainStart(i-1), d.chainEnd(i+1)
		name := d.itemName(to)
		if field == ".port" && !d.Is(i+1, "object") {
			field = ".containerPort" // of a container
		}
		return d.with(edit{d.start(from), d.end(to), d.slice(i+1, to) + ".exists(" + name + ", " + name + field + " == " + d.slice(from, i-1) + ")"})
	}
	return d.text
}

// flattened searches the inner lists of a list of lists: lists.all(n, n in names).
func flattened(d *draft) string {
	if !d.messages("'@in' applied to '(list(") || d.messages("(list(list(") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "in") || !d.IsWord(i-1) || d.Is(i-2, ".") {
			continue
		}
		for open := i - 2; open > 3; open-- {
			if d.Is(open, "(") && d.Partner[open] > i && d.Is(open+1, d.List[i-1].Text) && d.Is(open+2, ",") && d.Is(open-2, ".") {
				return d.with(edit{d.start(open - 2), d.start(open - 2), ".flatten()"})
			}
		}
	}
	return d.text
}

// swappedIn puts the sides of `in` in order: ['a', 'b'] in x means x in ['a', 'b'].
func swappedIn(d *draft) string {
	if !d.messages("'@in' applied to '(list(") || !d.messages(", string)'") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "in") || !d.ends(i-1) || !d.IsWord(i+1) {
			continue
		}
		from, to := d.chainStart(i-1), d.chainEnd(i+1)
		return d.with(edit{d.start(from), d.end(to), d.slice(i+1, to) + " in " + d.slice(from, i-1)})
	}
	return d.text
}
