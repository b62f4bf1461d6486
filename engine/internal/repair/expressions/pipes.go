package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// pipeRules are for what other languages write otherwise.
var pipeRules = []rule{
	{"", rewritten},
	{"Call a function on its value: value.function().", pipes},
}

// value is a field, a text or a number in a pattern.
const value = `([\w.]+\.\w+|"[^"]*"|'[^']*'|\d+)`

// What CEL has in the place of several patterns.
const (
	macroNeeds = "A macro needs a name and an expression: list.all(c, ...)."
	presence   = "Use has() to check whether a field is present."
	negation   = "Negate a method call with an exclamation mark: !value.method(...)."
	optionals  = "Use orValue() to give an optional field a default."
	choices    = "Write a conditional as condition ? a : b."
	onValue    = "Call a function on its value: value.function()."
	matching   = "Match a regular expression with value.matches('...')."
)

// rewrites are patterns of other languages, with what CEL, or another rule, has in their place.
var rewrites = []struct {
	pattern  lazy.Regexp
	as, said string
}{
	// jq
	{lazy.Regexp{Text: `\bObject\.keys\(([\w.]+)\)\.includes\(("[^"]*"|'[^']*')\)`}, "$2 in $1", "A map is a collection of its keys."},
	{lazy.Regexp{Text: `\(\s*(\.?[A-Za-z_][\w.]*\.[\w.]*\w)\s*//\s*("[^"]*"|'[^']*'|[\w.]+|\[\]|\{\})\s*\)`}, "($1 ?? $2)", optionals},
	{lazy.Regexp{Text: `\.(map|all|any|exists|filter|select)\(\s*\.(\w)`}, ".$1(c, c.$2", macroNeeds},
	{lazy.Regexp{Text: `(\(c, c\.[^()]*(?:&&|\|\||and|or|==|!=)\s*)\.(\w)`}, "${1}c.$2", macroNeeds},
	{lazy.Regexp{Text: `\.(all|any|exists|filter|select)\(\s*(starts?with|ends?with|startsWith|endsWith|contains|test|matches)\(`}, ".$1(c, c.$2(", macroNeeds},
	{lazy.Regexp{Text: `\[\*\]\.(\w+)\.(all|exists|map|filter)\(`}, ".map(i, i.$1).$2(", "Test the items of a list with all() or exists()."},
	// JavaScript, and bash
	{lazy.Regexp{Text: `(?s)(?:\bfunction\s*\(\s*(\w+)\s*\)|\(?\b(\w+)\)?\s*=>)\s*\{\s*return\s+([^{}]+?)\s*;?\s*\}`}, "$1$2, $3", macroNeeds},
	{lazy.Regexp{Text: `\btypeof\s*\(?([\w.]+\.\w+)\)?\s*!==?\s*["']undefined["']|^\s*\[\[?\s*-n\s+"?\$?\{?([\w.]+\.\w+)\}?"?\s*\]\]?\s*$`}, "has($1$2)", presence},
	{lazy.Regexp{Text: `\btypeof\s*\(?([\w.]+\.\w+)\)?\s*===?\s*["']undefined["']|^\s*\[\[?\s*-z\s+"?\$?\{?([\w.]+\.\w+)\}?"?\s*\]\]?\s*$`}, "!has($1$2)", presence},
	{lazy.Regexp{Text: `(^|[\s(!])/((?:[^/\\\n]|\\.)+)/[gu]*\.test\(([^()]*)\)`}, "${1}${3}.matches(r'${2}')", matching},
	{lazy.Regexp{Text: `(^|[\s(!])/((?:[^/\\\n]|\\.)+)/[gu]*([ims]+)[gu]*\.test\(([^()]*)\)`}, "${1}${4}.matches(r'(?${3})${2}')", matching},
	{lazy.Regexp{Text: `([\w.]+)\.find\((\w+)\s*(?:=>|,)\s*([^()]*)\)\s*!==?\s*(?:undefined|null|None|nil)\b`}, "$1.exists($2, $3)", "Use exists() to check whether a list has such an item."},
	{lazy.Regexp{Text: `([\w.]+)\.find\((\w+)\s*(?:=>|,)\s*([^()]*)\)\s*===?\s*(?:undefined|null|None|nil)\b`}, "!$1.exists($2, $3)", "Use exists() to check whether a list has such an item."},
	{lazy.Regexp{Text: `\bObject\.keys\(([\w.]+)\)\.length`}, "size($1)", "A map is a collection of its keys."},
	{lazy.Regexp{Text: `\bObject\.keys\(([\w.]+)\)`}, "$1", "A map is a collection of its keys."},
	{lazy.Regexp{Text: `\[\s*\.\.\.([\w.]+)\s*,`}, "$1 + [", "Join lists with +."},
	{lazy.Regexp{Text: `!([A-Za-z_][\w.]*)\.(?:not_?|doesNot|does_not_)([Cc]ontains?|[Ss]tarts_?[Ww]ith|[Ee]nds_?[Ww]ith|[Mm]atches)\(`}, "$1.$2(", negation},
	{lazy.Regexp{Text: `([A-Za-z_][\w.]*)\.(?:not_?|doesNot|does_not_)([Cc]ontains?|[Ss]tarts_?[Ww]ith|[Ee]nds_?[Ww]ith|[Mm]atches)\(`}, "!$1.$2(", negation},
	// what is optional, or changes something only sometimes
	{lazy.Regexp{Text: `(\.\?[\w.?]+)\.size\(\)`}, "$1.orValue([]).size()", optionals},
	{lazy.Regexp{Text: `(\.\?[\w.?]+)\.(startsWith|endsWith|contains|matches|lowerAscii|split)\(`}, "$1.orValue('').$2(", optionals},
	{lazy.Regexp{Text: `(?s)^([^?]+)&&\s*(\[\s*JSONPatch.*\])\s*$`}, "$1? $2 : []", choices},
	{lazy.Regexp{Text: `(?s)^([^?]+)&&\s*(JSONPatch\s*\{.*\})\s*$`}, "$1? [$2] : []", choices},
	{lazy.Regexp{Text: `(?s)^([^?]+)&&\s*(Object\s*\{.*\})\s*$`}, "$1? $2 : Object{}", choices},
	// literals of types
	{lazy.Regexp{Text: `\b(?:new\s+|v1\.|corev1\.|appsv1\.)([A-Z]\w*\s*\{)`}, "$1", "Begin a literal with the name of its type."},
	{lazy.Regexp{Text: `\bObject\{\s*(\w+)\.(\w+)\s*:\s*([^{},]+)\}`}, "Object{$1: Object.$1{$2: $3}}", "Write a field of a field as a literal of its own: Object{spec: Object.spec{...}}."},
	{lazy.Regexp{Text: `^\s*object\s*\+\s*(Object\s*\{)`}, "$1", "An ApplyConfiguration has only the fields that it sets."},
	{lazy.Regexp{Text: `\?\s*null\s*:\s*(Object\s*\{)`}, "? Object{} : $1", "Object{} changes nothing."},
	{lazy.Regexp{Text: `(?s)(\?\s*Object\s*\{.*\})\s*:\s*null\s*$`}, "$1 : Object{}", "Object{} changes nothing."},
	{lazy.Regexp{Text: `\bJSONPatch\(\s*("[^"]*"|'[^']*'),\s*("[^"]*"|'[^']*'),\s*([^()]*)\)`}, "JSONPatch{op: $1, path: $2, value: $3}", "Put a literal's fields in braces."},
	// templates
	{lazy.Regexp{Text: `\b(eq|ne|hasKey)\s+` + value + `\s+` + value}, "$1($2, $3)", onValue},
	{lazy.Regexp{Text: `\b(contains|hasPrefix|hasSuffix|regexMatch|default)\s+` + value + `\s+` + value}, "$1($3, $2)", onValue},
	{lazy.Regexp{Text: `^\s*and\s+(\(.*\))\s+(\(.*\))\s*$`}, "$1 && $2", "CEL writes and as &&."},
	{lazy.Regexp{Text: `^\s*or\s+(\(.*\))\s+(\(.*\))\s*$`}, "$1 || $2", "CEL writes or as ||."},
	// Ruby, Rego
	{lazy.Regexp{Text: `\bconcat\(("[^"]*"|'[^']*'),\s*([\w.]+)\)`}, "$2.join($1)", "Join strings with +, or a list with list.join()."},
	{lazy.Regexp{Text: `\bconcat\(("[^"]*"|'[^']*'),\s*([\w.]+),\s*("[^"]*"|'[^']*')\)`}, "($1 + string($2) + $3)", "Join strings with +, or a list with list.join()."},
	{lazy.Regexp{Text: `(?s)^\s*unless\s+(.+?)\s*$`}, "!($1)", "Negate a condition with an exclamation mark: !(...)."},
	{lazy.Regexp{Text: `[\[{]\s*(\w+)\s*\|\s*(?:some\s+)?\w+\s*(?::=|in)\s*([\w.]+)(?:\[_\])?\s*;\s*([^;\]}]+)[\]}]`}, "$2.filter($1, $3)", "Select items with list.filter(c, ...)."},
}

// spread is what JavaScript spreads into a map.
var spread = lazy.Regexp{Text: `\{\s*\.\.\.[\w.]+\s*,\s*`}

// rewritten writes what a pattern finds; an ApplyConfiguration merges, so nothing is spread there.
func rewritten(d *draft) string {
	for i := range rewrites {
		if next := rewrites[i].pattern.ReplaceAllString(d.text, rewrites[i].as); next != d.text {
			d.what = rewrites[i].said
			return next
		}
	}
	if d.expression.Place.Result == eval.ApplyConfiguration {
		d.what = "An ApplyConfiguration has only the fields that it sets."
		return spread.ReplaceAllString(d.text, "{")
	}
	return d.text
}

// conditions are words that no pipe leads to: the | before one means or.
var conditions = []string{"true", "false", "has"}

// pipes writes x | length, x | default "a" and x | test("a") as calls.
func pipes(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	if next := d.innerBraces(); next != d.text && strings.Contains(next, "|") {
		return next
	}
	for i := range d.List {
		if !d.Is(i, "|") || !d.ends(i-1) || !d.IsWord(i+1) || d.Is(i+2, ".") || slices.Contains(conditions, d.List[i+1].Text) {
			continue
		}
		name, from, to := d.List[i+1].Text, d.chainStart(i-1), i+1
		passed, argument := d.slice(from, i-1), ""
		switch {
		case d.Is(i+2, "(") && d.Partner[i+2] > 0:
			to = d.Partner[i+2]
			argument = d.text[d.end(i+2):d.start(to)]
		case d.isString(i + 2), d.isNumber(i + 2):
			to, argument = i+2, d.List[i+2].Text
		}
		switch name {
		case "not":
			passed = "!" + passed
		case "default":
			passed = "(" + passed + " ?? " + argument + ")"
		default:
			passed += "." + name + "(" + argument + ")"
		}
		return d.with(edit{d.start(from), d.end(to), passed})
	}
	return d.text
}
