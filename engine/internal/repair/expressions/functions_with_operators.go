package expressions

import (
	"slices"
	"strings"
)

// This file replaces functions of other languages by CEL's operators.

// keyTests are other languages' functions that test whether a map has a key.
var keyTests = []string{"hasKey", "has_key", "containsKey", "haskey", "hasOwnProperty", "contains_key", "containskey", "hasLabel", "hasAnnotation"}

// operatorNames are functions that CEL replaces by operators. They are not misspelled CEL functions.
var operatorNames = append([]string{"equals", "notEquals", "getOrDefault", "coalesce", "orDefault", "isNull", "isNotNull"}, keyTests...)

// replacedByOperators replaces them by the operators.
func replacedByOperators(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok {
			continue
		}
		args, name := d.arguments(open), d.List[i].Text
		from, target := i, ""
		if method {
			from = d.chainStart(i - 2)
			target = d.slice(from, i-2)
		} else if len(args) > 0 && d.wrongCall(i) {
			target, args = d.operand(args[0]), args[1:]
		} else {
			continue
		}
		text := ""
		switch {
		case slices.Contains(keyTests, name) && len(args) == 1:
			text = d.bracketed(from, d.operand(args[0])+" in "+target)
		case slices.Contains([]string{"equals", "eq", "equal"}, name) && len(args) == 1:
			text = d.bracketed(from, target+" == "+d.operand(args[0]))
		case slices.Contains([]string{"append", "push", "add", "concat", "extend", "Concat"}, name) && len(args) == 1:
			item := d.operand(args[0])
			if slices.Contains([]string{"append", "push", "add"}, name) && !d.Is(args[0][0], "[") {
				item = "[" + d.argument(args[0]) + "]"
			}
			text = d.bracketed(from, target+" + "+item)
		case slices.Contains([]string{"ne", "notEquals"}, name) && len(args) == 1:
			text = target + " != " + d.operand(args[0])
		case slices.Contains(nullTests, name) && len(args) == 0:
			d.what = "Use has() to check whether a field is present."
			return d.nullTest(i, from, open, target, slices.Contains(nullTests[:presentTests], name))
		case name == "not" && len(args) == 0 && !method:
			text = "!(" + target + ")"
		case slices.Contains([]string{"get", "getOrDefault", "index"}, name) && len(args) == 1:
			text = target + "[" + d.argument(args[0]) + "]"
		case slices.Contains([]string{"get", "getOrDefault"}, name) && len(args) == 2:
			text = optionalChain(target) + "[?" + d.argument(args[0]) + "].orValue(" + d.argument(args[1]) + ")"
		case slices.Contains([]string{"get", "lookup", "dig"}, name) && len(args) == 2 && !method, name == "get" && method && len(args) == 3 && target == "object":
			if method { // Rego's
				target, args = d.operand(args[0]), args[1:]
			}
			text = optionalChain(target) + "[?" + d.argument(args[0]) + "].orValue(" + d.argument(args[1]) + ")"
		case slices.Contains([]string{"default", "coalesce", "orDefault", "or", "try", "nvl", "ifNull", "ifnull"}, name) && len(args) == 1:
			text = optionalChain(target) + ".orValue(" + d.argument(args[0]) + ")"
		default:
			continue
		}
		d.what = "CEL has no " + name + "(): write " + text + "."
		return d.with(edit{d.start(from), d.end(d.Partner[open]), text})
	}
	return d.text
}

// nullTests are other languages' functions that test for a value: the first presentTests of them that
// it is present, the others that it is missing.
var nullTests = []string{"isNotNull", "is_not_null", "notNull", "nonNull", "isPresent", "isDefined", "exists_field", "is_null", "isNull", "isnull", "IsNull", "isNil", "is_nil", "isNone", "isUndefined", "isAbsent"}

const presentTests = 7

// nullTest tests a field with has(), and compares anything else with null.
func (d *draft) nullTest(i, from, open int, target string, present bool) string {
	start := d.start(from)
	if d.Is(from-1, "!") {
		start, present = d.start(from-1), !present
	}
	text := target + " == null"
	if dot := strings.LastIndexByte(target, '.'); dot > 0 && !strings.ContainsAny(target[dot:], "()[]\"' ") {
		text = "!has(" + target + ")"
		if present {
			text = "has(" + target + ")"
		}
	} else if present {
		text = target + " != null"
	}
	return d.with(edit{start, d.end(d.Partner[open]), text})
}
