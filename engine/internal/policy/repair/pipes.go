package repair

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// pipeRules are for values that are passed on with a sign, and for what is spread.
var pipeRules = []rule{
	{"CEL writes this in another way.", rewritten},
	{"What is done to a value is called on it: value.function().", pipes},
	{"The arguments of a function are in brackets: f(a, b).", prefixCalls},
	{"CEL has ! for not.", negatedCalls},
	{"What a macro tests has the name that the macro gives it.", pointItems},
	{"Texts are joined with +.", joinedTexts},
	{"What changes something only sometimes is a choice: condition ? [...] : [].", guardedPatches},
	{"A default is given with orValue().", optionalReceivers},
}

// rewrites are patterns of other languages, with what CEL, or another rule, has in their place.
var rewrites = []struct {
	pattern lazy.Regexp
	as      string
}{
	{lazy.Regexp{Text: `\(\s*(\.?[A-Za-z_][\w.]*\.[\w.]*\w)\s*//\s*("[^"]*"|'[^']*'|[\w.]+|\[\]|\{\})\s*\)`}, "($1 ?? $2)"},                                // jq
	{lazy.Regexp{Text: `(?s)(?:\bfunction\s*\(\s*(\w+)\s*\)|\(?\b(\w+)\)?\s*=>)\s*\{\s*return\s+([^{}]+?)\s*;?\s*\}`}, "$1$2, $3"},                         // JavaScript
	{lazy.Regexp{Text: `\btypeof\s*\(?([\w.]+\.\w+)\)?\s*!==?\s*["']undefined["']|^\s*\[\[?\s*-n\s+"?\$?\{?([\w.]+\.\w+)\}?"?\s*\]\]?\s*$`}, "has($1$2)"},  // and bash
	{lazy.Regexp{Text: `\btypeof\s*\(?([\w.]+\.\w+)\)?\s*===?\s*["']undefined["']|^\s*\[\[?\s*-z\s+"?\$?\{?([\w.]+\.\w+)\}?"?\s*\]\]?\s*$`}, "!has($1$2)"}, //
	{lazy.Regexp{Text: `(^|[\s(!])/((?:[^/\\\n]|\\.)+)/[gimsu]*\.test\(([^()]*)\)`}, "${1}${3}.matches(r'${2}')"},                                          //
	{lazy.Regexp{Text: `\[\s*\.\.\.([\w.]+)\s*,`}, "$1 + ["},                                                                                               //
	{lazy.Regexp{Text: `(?s)^\s*unless\s+(.+?)\s*$`}, "!($1)"},                                                                                             // Ruby
	{lazy.Regexp{Text: `[\[{]\s*(\w+)\s*\|\s*(?:some\s+)?\w+\s*(?::=|in)\s*([\w.]+)(?:\[_\])?\s*;\s*([^;\]}]+)[\]}]`}, "$2.filter($1, $3)"},                // Rego
}

// spread is what JavaScript spreads into a map.
var spread = lazy.Regexp{Text: `\{\s*\.\.\.[\w.]+\s*,\s*`}

// rewritten writes what a pattern finds; an ApplyConfiguration merges, so nothing is spread there.
func rewritten(d *draft) string {
	if !d.syntaxError() && !d.messages("reserved identifier: function") {
		return d.text
	}
	for i := range rewrites {
		if next := rewrites[i].pattern.ReplaceAllString(d.text, rewrites[i].as); next != d.text {
			return next
		}
	}
	if d.expression.Place.Result == eval.ApplyConfiguration {
		return spread.ReplaceAllString(d.text, "{")
	}
	return d.text
}

// pipes writes x | length, x | default "a" and x | test("a") as calls.
func pipes(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	if next := d.innerBraces(); next != d.text && strings.Contains(next, "|") {
		return next
	}
	for i := range d.List {
		if !d.Is(i, "|") || !d.ends(i-1) || !d.IsWord(i+1) || d.Is(i+2, ".") {
			continue
		}
		name, from, to := d.List[i+1].Text, d.chainStart(i-1), i+1
		argument := ""
		switch {
		case d.Is(i+2, "(") && d.Partner[i+2] > 0:
			to = d.Partner[i+2]
			argument = strings.TrimSpace(d.text[d.end(i+2):d.start(to)])
		case d.isString(i + 2), d.isNumber(i + 2), d.Is(i+2, "true"), d.Is(i+2, "false"):
			to, argument = i+2, d.List[i+2].Text
		}
		value := d.slice(from, i-1)
		if name == "has" && argument != "" {
			name = "hasKey"
		}
		switch {
		case name == "not" && argument == "":
			value = "!" + value
		case name == "default" && argument != "":
			value = optionalChain(value) + ".orValue(" + argument + ")"
		case contains(methods, name), contains(functions, name), functionNames[name] != "", contains(keyTests, name), name == "keys":
			value += "." + name + "(" + argument + ")"
		default:
			continue
		}
		return d.with(edit{d.start(from), d.end(to), value})
	}
	return d.text
}

// prefixCalls writes the functions of templates, which have their arguments behind blanks, with brackets:
// hasKey .labels "team", eq .name "a".
func prefixCalls(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		if joins := joined[d.List[i].Text]; joins != "" && d.IsWord(i) && !d.ends(i-1) && d.Is(i+1, "(") && d.Partner[i+1] > 0 && d.Is(d.Partner[i+1]+1, "(") {
			return d.with(edit{d.start(i), d.start(i + 1), ""}, edit{d.end(d.Partner[i+1]), d.start(d.Partner[i+1] + 1), " " + joins + " "})
		}
		name := d.List[i].Text
		known := contains(keyTests, name) || contains([]string{"eq", "ne", "default", "empty", "regexMatch"}, name) || functionNames[name] != "" || contains(methods[:4], name)
		if !known || !d.IsWord(i) || d.ends(i-1) || d.Is(i-1, ".") || !d.begins(i+1) || d.touches(i) || d.Is(i+1, "-") || d.Is(i+1, "!") || d.Is(i+2, "in") {
			continue
		}
		first := d.chainEnd(i + 1)
		args, last := d.slice(i+1, first), first
		if d.begins(first+1) && !d.touches(first) {
			last = d.chainEnd(first + 1)
			second := d.slice(first+1, last)
			if name == "default" || strings.Contains(strings.ToLower(name), "fix") || name == "contains" {
				args, second = second, args // the value comes last
			}
			args += ", " + second
		}
		return d.with(edit{d.end(i), d.end(last), "(" + args + ")"})
	}
	return d.text
}

// negatedCall is a test of other languages with its negation in its name.
var negatedCall = lazy.Regexp{Text: `^(?:not_?|doesNot|does_not_|isNot)([A-Z_a-z]\w*)$`}

// negatedCalls writes x.notContains(y) as !x.contains(y).
func negatedCalls(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		_, method, ok := d.call(i)
		m := negatedCall.FindStringSubmatch(d.List[i].Text)
		if !ok || !method || m == nil || undeclared[i] == "" || contains(operatorNames, d.List[i].Text) || contains(nullTests, d.List[i].Text) {
			continue
		}
		name := strings.ToLower(m[1][:1]) + m[1][1:]
		if other := functionNames[name]; other != "" {
			name = other
		}
		for _, method := range methods[:4] {
			if name != method && name+"s" != method && !(name+"es" == method) {
				continue
			}
			from := d.chainStart(i - 2)
			if d.Is(from-1, "!") {
				return d.with(edit{d.start(from - 1), d.start(from), ""}, edit{d.start(i), d.end(i), method})
			}
			return d.with(edit{d.start(from), d.start(from), "!"}, edit{d.start(i), d.end(i), method})
		}
	}
	return d.text
}

// pointItems gives the item of jq, which is a point, a name: list.map(.image) is list.map(c, c.image).
func pointItems(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		name := d.List[i].Text
		if other := functionNames[name]; other != "" {
			name = other
		}
		args := d.arguments(open)
		if !ok || !method || !contains(macros, name) || len(args) != 1 {
			continue
		}
		first := args[0][0]
		if inner, _, called := d.call(first); called && d.Partner[max(inner, 0)] == args[0][1] && (contains(methods[:4], d.token(first)) || contains(methods[:4], functionNames[d.token(first)])) {
			item := d.itemName(d.chainStart(i - 2))
			return d.with(edit{d.start(first), d.start(first), item + ", " + item + "."})
		}
		if !d.Is(first, ".") {
			continue
		}
		item := d.itemName(d.chainStart(i - 2))
		edits := []edit{{d.start(args[0][0]), d.start(args[0][0]), "c, "}}
		for j := args[0][0]; j <= args[0][1]; j++ {
			if d.Is(j, ".") && (!d.ends(j-1) || joined[d.token(j-1)] != "") && d.IsWord(j+1) {
				edits = append(edits, edit{d.start(j), d.start(j), item})
			}
		}
		edits[0].text = item + ", "
		return d.with(edits...)
	}
	return d.text
}

// joinedTexts writes concat('a', b) of other languages as a sum.
func joinedTexts(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || method || !d.Is(i, "concat") && !d.Is(i, "CONCAT") || d.undeclared()[i] == "" || len(d.arguments(open)) < 2 {
			continue
		}
		text := "("
		for j, a := range d.arguments(open) {
			if j > 0 {
				text += " + "
			}
			if d.isString(a[0]) {
				text += d.argument(a)
			} else {
				text += "string(" + d.argument(a) + ")"
			}
		}
		return d.with(edit{d.start(i), d.end(d.Partner[open]), text + ")"})
	}
	return d.text
}

// guardedPatches writes condition && [JSONPatch{...}] and condition && Object{...} as a choice.
func guardedPatches(d *draft) string {
	at := d.find(0, "&&")
	for next := at; next > 0; next = d.find(next+1, "&&") {
		at = next
	}
	if !d.expression.Scope.Patch || at < 1 || d.find(0, "?") > 0 || !d.messages("expected type 'bool' but found '") {
		return d.text
	}
	changed, nothing := d.slice(at+1, len(d.List)-1), " : []"
	switch {
	case d.Is(at+1, "Object") && d.expression.Place.Result == eval.ApplyConfiguration:
		nothing = " : Object{}"
	case d.Is(at+1, "JSONPatch"):
		changed = "[" + changed + "]"
	case !d.Is(at+1, "["):
		return d.text
	}
	return d.slice(0, at-1) + " ? " + changed + nothing
}

// optionalReceivers gives an optional field that a method of lists or of texts is called on its empty value.
func optionalReceivers(d *draft) string {
	for i := range d.List {
		_, method, ok := d.call(i)
		if !ok || !method || !d.messages("'"+d.List[i].Text+"' applied to 'optional_type(") || !strings.Contains(d.slice(d.chainStart(i-2), i-2), ".?") {
			continue
		}
		empty := "''"
		if d.Is(i, "size") {
			empty = "[]"
		} else if !contains(methods[:12], d.List[i].Text) {
			continue
		}
		return d.with(edit{d.end(i - 2), d.end(i - 2), ".orValue(" + empty + ")"})
	}
	return d.text
}
