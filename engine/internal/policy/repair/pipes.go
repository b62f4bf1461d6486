package repair

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// pipeRules are for values that are passed on with a sign, and for what is spread.
var pipeRules = []rule{
	{"A default is given with orValue().", slashDefaults},
	{"What is done to a value is called on it: value.function().", pipes},
	{"A macro takes a name and an expression: list.all(c, ...).", bodies},
	{"A field that may be absent is asked for with has().", typeofTests},
	{"The arguments of a function are in brackets: f(a, b).", prefixCalls},
	{"CEL has ! for not.", negatedCalls},
	{"What a macro tests has the name that the macro gives it.", pointItems},
	{"A list is filtered with list.filter(c, ...).", comprehensions},
	{"Texts are joined with +.", joinedTexts},
	{"What changes something only sometimes is a choice: condition ? [...] : [].", guardedPatches},
	{"A default is given with orValue().", optionalReceivers},
	{"What is merged leaves the rest as it is, and lists are joined with +.", spreads},
}

// slashDefault is a field with a default behind //, as jq has it, in brackets: CEL reads a comment.
var slashDefault = lazy.Regexp{Text: `\(\s*(\.?[A-Za-z_][\w.]*\.[\w.]*\w)\s*//\s*("[^"]*"|'[^']*'|[\w.]+|\[\]|\{\})\s*\)`}

func slashDefaults(d *draft) string {
	m := slashDefault.FindStringSubmatchIndex(d.text)
	if m == nil || !d.syntaxError() {
		return d.text
	}
	return d.text[:m[0]] + optionalChain(d.text[m[2]:m[3]]) + ".orValue(" + d.text[m[4]:m[5]] + ")" + d.text[m[1]:]
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

// body is a function of JavaScript with a name for the item and what it returns, the end of which is a brace.
var body = lazy.Regexp{Text: `(?s)(?:\bfunction\s*\(\s*(\w+)\s*\)|\(?\b(\w+)\)?\s*=>)\s*\{\s*return\s+([^{}]+?)\s*;?\s*\}`}

// bodies writes function (c) { return test } and c => { return test } as the arguments of a macro.
func bodies(d *draft) string {
	if !d.syntaxError() && !d.messages("reserved identifier: function") {
		return d.text
	}
	return body.ReplaceAllString(d.text, "$1$2, $3")
}

// typeofTest is the test of JavaScript for what is not there, and what bash asks of a text.
var typeofTest = lazy.Regexp{Text: `\btypeof\s*\(?([\w.]+\.\w+)\)?\s*([!=])==?\s*["']undefined["']|^\s*\[\[?\s*-([nz])\s+"?\$?\{?([\w.]+\.\w+)\}?"?\s*\]\]?\s*$`}

// typeofTests asks with has().
func typeofTests(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	return typeofTest.ReplaceAllStringFunc(d.text, func(text string) string {
		m := typeofTest.FindStringSubmatch(text)
		if m[2]+m[3] == "=" || m[2]+m[3] == "z" {
			return "!has(" + m[1] + m[4] + ")"
		}
		return "has(" + m[1] + m[4] + ")"
	})
}

// prefixCalls writes the functions of templates, which have their arguments behind blanks, with brackets:
// hasKey .labels "team", eq .name "a".
func prefixCalls(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	if m := unless.FindStringSubmatchIndex(d.text); m != nil {
		return "!(" + strings.TrimSpace(d.text[m[1]:]) + ")"
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

// unless is what Ruby has for if not.
var unless = lazy.Regexp{Text: `^\s*unless\s+`}

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

// comprehensions writes [c | c := list[_]; test] and [c | some c in list; test] of Rego as list.filter(c, test).
func comprehensions(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for open := range d.List {
		closing, from := d.Partner[open], 0
		switch {
		case !d.Is(open, "[") && !d.Is(open, "{") || closing < open+8 || !d.IsWord(open+1) || !d.Is(open+2, "|"):
			continue
		case d.Is(open+3, d.token(open+1)) && d.Is(open+4, ":") && d.Is(open+5, "="):
			from = open + 6
		case d.Is(open+3, "some") && d.Is(open+4, d.token(open+1)) && d.Is(open+5, "in"):
			from = open + 6
		default:
			continue
		}
		end := d.chainEnd(from)
		list := strings.TrimSuffix(d.slice(from, end), "[_]")
		if d.Is(end+1, ";") && end+2 < closing {
			return d.with(edit{d.start(open), d.end(closing), list + ".filter(" + d.token(open+1) + ", " + strings.ReplaceAll(d.slice(end+2, closing-1), "; ", " && ") + ")"})
		}
	}
	return d.text
}

// joinedTexts writes concat('a', b) of other languages as a sum.
func joinedTexts(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || method || !d.Is(i, "concat") && !d.Is(i, "CONCAT") || d.undeclared()[i] == "" || len(d.arguments(open)) < 2 || !d.messages("undeclared") {
			continue
		}
		var parts []string
		texts := false
		for _, a := range d.arguments(open) {
			part := d.argument(a)
			if d.isString(a[0]) && a[0] == a[1] {
				texts = true
			} else {
				part = "string(" + part + ")"
			}
			parts = append(parts, part)
		}
		if texts {
			return d.with(edit{d.start(i), d.end(d.Partner[open]), "(" + strings.Join(parts, " + ") + ")"})
		}
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

// spreads takes what JavaScript spreads out of the maps of an ApplyConfiguration, which merges, and
// joins the lists that it spreads.
func spreads(d *draft) string {
	for i := range d.List {
		if !d.Is(i, "{") && !d.Is(i, "[") || !d.Is(i+1, ".") || !d.Is(i+2, ".") || !d.Is(i+3, ".") || !d.IsWord(i+4) {
			continue
		}
		end, closing := d.chainEnd(i+4), d.Partner[i]
		value := d.slice(i+4, end)
		switch {
		case closing < end || !d.Is(end+1, ",") && end+1 != closing:
		case d.Is(i, "[") && end+1 == closing:
			return d.with(edit{d.start(i), d.end(closing), value})
		case d.Is(i, "["):
			return d.with(edit{d.start(i), d.start(i), value + " + "}, edit{d.end(i), d.start(end + 2), ""})
		case d.expression.Place.Result == eval.ApplyConfiguration && end+1 < closing:
			return d.with(edit{d.end(i), d.start(end + 2), ""})
		}
	}
	return d.text
}
