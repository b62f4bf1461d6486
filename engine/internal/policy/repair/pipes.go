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
