package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
)

// otherFunctions are those that are neither among methods nor among functions.
var otherFunctions = []string{"size", "has", "orValue", "hasValue", "optMap", "optFlatMap", "allowed", "check", "containsIP", "containsCIDR", "isLessThan", "getHost",
	"getHostname", "getScheme", "lastIndexOf", "charAt", "isSorted", "sum", "min", "max", "asInteger", "asApproximateFloat", "sign", "getSeconds", "getHours"}

// misspelled writes the name of a function as CEL has it, where one is near.
func misspelt(d *draft) string {
	undeclared := d.undeclared()
	return d.each(func(i int) (string, bool) {
		if _, _, ok := d.call(i); !ok || undeclared[i] == "" || functionNames[d.List[i].Text] != "" || slices.Contains(operatorNames, d.List[i].Text) {
			return "", false
		}
		return suggest.Of(slices.Concat(methods, functions, otherFunctions), d.List[i].Text)
	})
}

// printed writes sprintf('%s', a) as '%s'.format([a]).
func printed(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || method || !slices.Contains([]string{"sprintf", "printf", "format"}, d.List[i].Text) || !d.wrongCall(i) {
			continue
		}
		args := d.arguments(open)
		if len(args) < 2 || !d.isString(args[0][0]) || args[0][0] != args[0][1] {
			continue
		}
		values := d.slice(args[1][0], args[len(args)-1][1])
		if !d.Is(args[1][0], "[") || len(args) > 2 {
			values = "[" + values + "]"
		}
		return d.with(edit{d.start(i), d.end(d.Partner[open]), d.argument(args[0]) + ".format(" + values + ")"})
	}
	return clauses(d)
}

// anyClause is a place for a value in the text of format(), in CEL's words or in others.
var anyClause = lazy.Regexp{Text: `\$?\{\w*\}|%(?:\.\d+)?[a-zA-Z]`}

// clauses writes %s for what is no place for a value in CEL, {} or %v, and for one that does not
// take the value that it is for: %s takes all of them.
func clauses(d *draft) string {
	if !d.messages("string.format") && !d.messages("formatting") {
		return d.text
	}
	decimal, others := d.messages("decimal clause"), d.messages("clause can only")
	for i := range d.List {
		if !d.isString(i) || !d.Is(i+1, ".") || !d.Is(i+2, "format") {
			continue
		}
		text := anyClause.ReplaceAllStringFunc(d.List[i].Text, func(clause string) string {
			kind := clause[len(clause)-1:]
			if known := strings.Contains("sdfexXob", kind); !known || decimal && kind == "d" || others && !decimal && kind != "d" {
				return "%s"
			}
			return clause
		})
		if text != d.List[i].Text {
			return d.with(edit{d.start(i), d.end(i), text})
		}
	}
	return d.text
}

// countedItems writes count(list, c, condition) with filter and size.
func countedItems(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || d.List[i].Text != "count" && d.List[i].Text != "countIf" {
			continue
		}
		args := d.arguments(open)
		list, from := "", i
		switch {
		case method && len(args) == 2:
			from = d.chainStart(i - 2)
			list = d.slice(from, i-2)
		case !method && len(args) == 3:
			list = d.operand(args[0])
			args = args[1:]
		default:
			continue
		}
		return d.with(edit{d.start(from), d.end(d.Partner[open]), list + ".filter(" + d.argument(args[0]) + ", " + d.argument(args[1]) + ").size()"})
	}
	return d.text
}

// unnamedItem names the variable of a macro that has only its condition:
// list.exists(c.name == 'web').
func unnamedItem(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method || !slices.Contains([]string{"all", "exists", "exists_one", "filter", "map"}, d.List[i].Text) {
			continue
		}
		args := d.arguments(open)
		if len(args) != 1 {
			continue
		}
		for j := args[0][0]; j <= args[0][1]; j++ {
			if name := undeclared[j]; name != "" && d.IsWord(j) && !d.Is(j-1, ".") && !d.Is(j+1, "(") {
				name, _, _ = strings.Cut(name, ".")
				return d.with(edit{d.start(args[0][0]), d.start(args[0][0]), name + ", "})
			}
		}
	}
	return d.text
}

// clock writes the time of the request as what has it: the server sets
// creationTimestamp of what is created before it asks validating policies.
func clock(d *draft) string {
	if d.expression.Place.Result != eval.Validation && d.expression.Place.Result != eval.Message || strings.Contains(d.text, "object.metadata.creationTimestamp") {
		return d.text
	}
	undeclared := d.undeclared()
	for i := range d.List {
		open, method, ok := d.call(i)
		name := strings.ToLower(d.List[i].Text)
		from := i
		if method && d.Is(i-1, ".") && slices.Contains([]string{"time", "Time", "datetime", "Date", "date"}, d.List[max(i-2, 0)].Text) {
			from, method = i-2, false
		}
		if !ok || method || d.Partner[open] != open+1 || !slices.Contains([]string{"now", "today", "currenttime", "gettime", "utcnow"}, name) || undeclared[i] == "" && undeclared[from] == "" {
			continue
		}
		return d.with(d.timed(from, open+1)...)
	}
	return d.text
}

// tripled takes one sign too many away: &&&, |||.
func tripled(d *draft) string {
	return d.each(func(i int) (string, bool) {
		return "", i > 0 && d.touches(i-1) && (d.Is(i, "&") && d.Is(i-1, "&&") || d.Is(i, "|") && d.Is(i-1, "||"))
	})
}

// dollars takes the sign away that marks names in shells and JSONPath.
func dollars(d *draft) string {
	return d.each(func(i int) (string, bool) {
		return "", d.Is(i, "$") && d.IsWord(i+1) && d.touches(i)
	})
}

// modulo writes a mod b with the operator.
func modulo(d *draft) string {
	return d.each(func(i int) (string, bool) {
		t := d.List[i]
		return "%", t.Kind == source.Word && (t.Text == "mod" || t.Text == "MOD") && d.ends(i-1) && d.begins(i+1) && !d.Is(i-1, ".")
	})
}
