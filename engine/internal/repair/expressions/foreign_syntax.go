package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// habitRules are for expressions that other languages, and English, have.
var habitRules = []rule{
	{"A JSON Patch is a list of JSONPatch{op: ..., path: ..., value: ...}.", patchesAsYAML},
	{"A mutation returns its changes as Object{...} or JSONPatch{...}.", assigned},
	{"Write a list in brackets: x in ['a', 'b'].", tuples},
	{"Write a list in brackets: x in ['a', 'b'].", sets},
	{"CEL has no implication: a implies b is !a || b.", implications},
	{"Write a range as two comparisons.", ranges},
	{"Write each alternative as a separate comparison.", alternativeArguments},
	{"Write each alternative as a separate comparison.", alternatives},
	{"A conditional needs a value for both cases.", halfChoice},
	{`A string of CEL has no escape such as \d or \. of regular expressions. Write a raw string: r'...'.`, rawStrings},
	{"A map is a collection of its keys.", keysOfMaps},
	{"Read the Namespace from namespaceObject.", namespaceWord},
	{"The object's variable is called object.", leadingPoints},
}

// lastRules come when nothing else fits.
var lastRules = []rule{
	{"Put a word in quotes to make it a string.", bareWords},
	{"Put a word in quotes to make it a string.", wholeWord},
	{"Join conditions with &&.", adjacentTests},
}

// tuples writes x in ('a', 'b') with a list.
func tuples(d *draft) string {
	for i := range d.List {
		if d.Is(i, "in") && d.Is(i+1, "(") && d.Partner[i+1] > 0 && len(d.arguments(i+1)) > 1 {
			return d.with(edit{d.start(i + 1), d.end(i + 1), "["}, edit{d.start(d.Partner[i+1]), d.end(d.Partner[i+1]), "]"})
		}
	}
	return d.text
}

// sets writes {'a', 'b'}, as Python has it, as a list.
func sets(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "{") || d.Partner[i] < 0 || d.IsWord(i-1) && !d.Is(i-1, "in") {
			continue
		}
		args := d.arguments(i)
		plain := len(args) > 0
		for _, a := range args {
			plain = plain && a[0] == a[1] && (d.isString(a[0]) || d.isNumber(a[0]))
		}
		if !plain {
			continue
		}
		closing, list := d.Partner[i], "["+d.slice(i+1, d.Partner[i]-1)+"]"
		index := closing + 1 // of Rego, which asks for an item by it
		switch {
		case !d.Is(index, "[") || d.Partner[index] < 0:
			return d.with(edit{d.start(i), d.end(closing), list})
		case !d.Is(index+1, "_"):
			return d.with(edit{d.start(i), d.end(d.Partner[index]), d.bracketed(i, d.slice(index+1, d.Partner[index]-1)+" in "+list)})
		case d.Is(i-1, "=="):
			return d.with(edit{d.start(i - 1), d.end(d.Partner[index]), "in " + list})
		}
	}
	return d.text
}

// implications writes a implies b, and a => b outside a macro, as !a || b: what is
// demanded is demanded only where the condition holds.
func implications(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		end := i
		switch {
		case d.List[i].Kind == source.Word && (d.Is(i, "implies") || d.Is(i, "IMPLIES")):
		case d.Is(i, "=") && d.Is(i+1, ">") && d.touches(i) && d.isNumber(i+2): // a comparison: see operators
			continue
		case d.Is(i, "=") && d.Is(i+1, ">") && d.touches(i), d.Is(i, "-") && d.Is(i+1, ">") && d.touches(i):
			end = i + 1
		default:
			continue
		}
		from, to := d.operandOf(i, end)
		named := from == i-1 && d.IsWord(i-1) || from == i-3 && d.Is(from, "(") && d.IsWord(i-2)
		if !d.ends(i-1) || !d.begins(end+1) || named && end > i {
			continue // c => ... and (c) => ... are arguments of a macro
		}
		condition, demanded := d.slice(from, i-1), d.slice(end+1, to)
		if d.find(end+1, "||", "?") >= 0 && !d.Is(end+1, "(") {
			demanded = "(" + demanded + ")"
		}
		return d.with(edit{d.start(from), d.end(to), "!(" + condition + ") || " + demanded})
	}
	return d.text
}

// operandOf are the tokens from the bracket or comma before an operator, which ends with
// another token, to the one behind it.
func (d *draft) operandOf(operator, end int) (from, to int) {
	for j := operator - 1; j >= 0; j-- {
		if p := d.Partner[j]; p >= 0 && p < j {
			j = p
		} else if p > j || d.Is(j, ",") {
			from = j + 1
			break
		}
	}
	to = len(d.List) - 1
	for j := end + 1; j < len(d.List); j++ {
		if p := d.Partner[j]; p > j {
			j = p
		} else if p >= 0 || d.Is(j, ",") {
			to = j - 1
			break
		}
	}
	return from, to
}

// dots is a range behind in: 1..5, [1..5], (1..<5), 1...5.
var dots = lazy.Regexp{Text: `^\s*[\[(]?\s*(-?\d+)\s*\.\.([.=<]?)\s*(-?\d+)\s*[\])]?`}

// ranges writes x between a and b, x in range(a, b), and x in a..b, as comparisons.
func ranges(d *draft) string {
	for i := range d.List {
		if d.Is(i, "in") && d.ends(i-1) && d.syntaxError() {
			if m := dots.FindStringSubmatch(d.text[d.end(i):]); m != nil {
				from := d.chainStart(i - 1)
				value, upTo := d.slice(from, i-1), " <= "
				if m[2] == "<" {
					upTo = " < "
				}
				return d.text[:d.start(from)] + "(" + value + " >= " + m[1] + " && " + value + upTo + m[3] + ")" + d.text[d.end(i)+len(m[0]):]
			}
		}
		if open, method, ok := d.call(i); ok && method && (d.Is(i, "between") || d.Is(i, "inRange")) && len(d.arguments(open)) == 2 {
			args, from := d.arguments(open), d.chainStart(i-2)
			value := d.slice(from, i-2)
			return d.with(edit{d.start(from), d.end(d.Partner[open]), "(" + value + " >= " + d.argument(args[0]) + " && " + value + " <= " + d.argument(args[1]) + ")"})
		}
		switch {
		case strings.EqualFold(d.List[i].Text, "between") && d.List[i].Kind == source.Word && d.ends(i-1) && i+3 < len(d.List):
			low := d.chainEnd(i + 1)
			if joined[d.List[min(low+1, len(d.List)-1)].Text] == "" && !d.Is(low+1, "&&") || low+2 >= len(d.List) {
				continue
			}
			from, high := d.chainStart(i-1), d.chainEnd(low+2)
			value := d.slice(from, i-1)
			return d.with(edit{d.start(from), d.end(high), "(" + value + " >= " + d.slice(i+1, low) + " && " + value + " <= " + d.slice(low+2, high) + ")"})
		case d.Is(i, "in") && d.Is(i+1, "range") && d.Is(i+2, "(") && d.Partner[i+2] > 0 && d.ends(i-1):
			args := d.arguments(i + 2)
			if len(args) != 2 {
				continue
			}
			from := d.chainStart(i - 1)
			value := d.slice(from, i-1)
			return d.with(edit{d.start(from), d.end(d.Partner[i+2]), "(" + value + " >= " + d.argument(args[0]) + " && " + value + " < " + d.argument(args[1]) + ")"})
		}
	}
	return d.text
}

// alternatives writes x == 'a' || 'b' as two comparisons.
func alternatives(d *draft) string {
	if !d.messages("expected type 'bool' but found") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "||") && !d.Is(i, "&&") || !d.isString(i+1) && !d.isNumber(i+1) || slices.Contains(comparisons, d.List[min(i+2, len(d.List)-1)].Text) || d.Is(i+2, ".") {
			continue
		}
		for j := i - 1; j > 0; j-- {
			if p := d.Partner[j]; p >= 0 && p < j {
				j = p
				continue
			} else if p > i {
				break // another's alternatives
			}
			if slices.Contains(comparisons, d.List[j].Text) && d.ends(j-1) {
				from, operator := d.chainStart(j-1), d.List[i].Text
				switch d.List[j].Text { // neither a nor b; a or b
				case "!=":
					operator = "&&"
				case "==":
					operator = "||"
				}
				return d.with(edit{d.start(i), d.end(i), operator}, edit{d.start(i + 1), d.start(i + 1), d.slice(from, j) + " "})
			}
		}
	}
	return d.text
}

// alternativeArguments writes x.startsWith('a' || 'b') as two calls, and x == ('a' || 'b') as one of a list.
func alternativeArguments(d *draft) string {
	if !d.messages("expected type 'bool' but found 'string'") {
		return d.text
	}
	for open, closing := range d.Partner {
		compared := d.Is(open-1, "==") || d.Is(open-1, "!=")
		from := d.chainStart(open - 2)
		if open > 2 && d.Is(open-2, ".") && slices.Contains(methods[:4], d.List[open-1].Text) {
			from = d.chainStart(open - 3)
		} else if !compared {
			continue
		}
		var values []string
		for j := open + 1; j < closing; j += 2 {
			if !d.isString(j) || j+1 < closing && !d.Is(j+1, "||") {
				values = nil
				break
			}
			values = append(values, d.List[j].Text)
		}
		if len(values) < 2 {
			continue
		}
		text := "(" + d.slice(from, open) + strings.Join(values, ") || "+d.slice(from, open)) + "))"
		if compared {
			text = "(" + d.slice(from, open-2) + " in [" + strings.Join(values, ", ") + "])"
			if d.Is(open-1, "!=") {
				text = "!" + text
			}
		}
		return d.with(edit{d.start(from), d.end(closing), text})
	}
	return d.text
}

// halfChoice gives a choice the value for where its condition does not hold.
func halfChoice(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	question := d.find(0, "?")
	if question < 1 || d.find(question, ":") >= 0 || d.Is(question-1, ".") || d.Is(question-1, "[") || !d.begins(question+1) || d.Is(question+1, "[") && d.touches(question-1) {
		return d.text
	}
	other := " : " + elseOf(d.slice(question+1, len(d.List)-1))
	if d.expression.Scope.Patch {
		if !d.Is(question+1, "[") {
			return d.text
		}
		other = " : []"
	}
	return strings.TrimRight(d.text, " \t\n") + other
}

// unknownEscape is a backslash that begins no escape of CEL, as regular
// expressions have them.
var unknownEscape = lazy.Regexp{Text: `(^|[^\\])(\\\\)*\\[^abfnrtvxXuU0-7\\'"` + "`" + `?]`}

// rawStrings marks strings with the escapes of regular expressions as raw.
func rawStrings(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	return d.each(func(i int) (string, bool) {
		t := d.List[i].Text
		return "r" + withoutSlashes(t), d.isString(i) && (t[0] == '\'' || t[0] == '"') && unknownEscape.MatchString(t)
	})
}

// slashes are those that other languages have around a regular expression, which begins or ends with the text.
var slashes = lazy.Regexp{Text: `^(['"])/(?:(\^.*)|(.*\$))/['"]$`}

// withoutSlashes takes them off a literal.
func withoutSlashes(literal string) string { return slashes.ReplaceAllString(literal, "$1$2$3$1") }

// keysOfMaps writes map.keys() as the map, and map.values() as what is under its
// keys.
func keysOfMaps(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		open, method, ok := d.call(i)
		if args := d.arguments(open); ok && d.Is(i-2, "Object") && len(args) == 1 { // Object.keys(map) of JavaScript
			return d.with(edit{d.start(i - 2), d.end(d.Partner[open]), d.operand(args[0]) + "." + d.List[i].Text + "()"})
		}
		if !ok || !method || undeclared[i] == "" || d.Partner[open] != open+1 {
			continue
		}
		switch d.List[i].Text {
		case "keys", "getKeys", "keySet":
			return d.with(edit{d.end(i - 2), d.end(open + 1), ""})
		case "values":
			target := d.slice(d.chainStart(i-2), i-2)
			return d.with(edit{d.start(i), d.end(open + 1), "map(k, " + target + "[k])"})
		}
	}
	return d.text
}

// namespaceWord writes namespace, which CEL reserves, as the variable for the
// Namespace of the request, or for its name.
func namespaceWord(d *draft) string {
	if !d.messages("reserved identifier: namespace") {
		return d.text
	}
	return d.each(func(i int) (string, bool) {
		if !d.Is(i, "namespace") || d.Is(i-1, ".") || d.Is(i+1, "(") || d.Is(i+1, ":") {
			return "", false
		}
		if d.Is(i+1, ".") && (d.Is(i+2, "metadata") || d.Is(i+2, "spec") || d.Is(i+2, "status")) {
			return "namespaceObject", true
		}
		if d.Is(i+1, ".") && (d.Is(i+2, "labels") || d.Is(i+2, "annotations") || d.Is(i+2, "name")) {
			return "namespaceObject.metadata", true
		}
		return "request.namespace", true
	})
}

// bareWords puts words in quotes that are compared with something.
func bareWords(d *draft) string {
	if d.syntaxError() {
		return d.text
	}
	undeclared := d.undeclared()
	return d.each(func(i int) (string, bool) {
		if undeclared[i] == "" || !d.IsWord(i) || d.Is(i-1, ".") || d.Is(i+1, ".") || d.Is(i+1, "(") || d.Is(i+1, "[") || d.Is(i+1, "{") {
			return "", false
		}
		before, after := d.Is(i-1, "==") || d.Is(i-1, "!="), d.Is(i+1, "in")
		inList := (d.Is(i-1, "[") || d.Is(i-1, ",")) && (d.Is(i+1, "]") || d.Is(i+1, ","))
		argument := d.Is(i-1, "(") && d.Is(i+1, ")") && d.IsWord(i-2) && slices.Contains(methods[:6], d.List[i-2].Text)
		value := d.Is(i-1, ":") && d.inBraces(i-1)
		return "'" + d.List[i].Text + "'", before || after || inList || argument || value
	})
}

// wholeWord puts a word in quotes that is all of a text: the value of an audit annotation, or a message.
func wholeWord(d *draft) string {
	if place := d.expression.Place.Result; place != eval.Message && place != eval.AuditAnnotation || len(d.List) != 1 || d.undeclared()[0] == "" {
		return d.text
	}
	return "'" + d.List[0].Text + "'"
}

// leadingPoints gives fields that begin with a point, as jq and templates have them, the object:
// .spec.replicas is object.spec.replicas.
func leadingPoints(d *draft) string {
	if !d.messages("undeclared reference to '.") {
		return d.text
	}
	var edits []edit
	for i := range d.List {
		if !d.Is(i, ".") || d.ends(i-1) || !d.IsWord(i+1) {
			continue
		}
		switch name := d.token(i + 1); {
		case d.self != nil:
			edits = append(edits, edit{d.start(i), d.end(i), "self."})
		case d.object != nil && d.object.Field(name) != nil:
			edits = append(edits, edit{d.start(i), d.end(i), "object."})
		}
	}
	return d.with(edits...)
}
