package expressions

import (
	"slices"
	"strings"
)

// functionRules replace functions of other languages, and turn functions into methods
// and methods into functions where CEL has only the other form.
var functionRules = []rule{
	{"has() needs a field: has(object.spec.replicas). For map keys use `in`.", has},
	{"Use group(), resource() and check() on the authorizer, then allowed().", authorizer},
	{"The function is jsonpatch.escapeKey().", escapedKeys},
	{"Not greater means less or equal: write <=.", notMore},
	{"The parts of a URL are getHost(), getScheme() and others.", urlParts},
	{"A macro needs a name and an expression: list.all(c, ...).", testBehind},
	{"Inside a macro, use the name that the macro declares.", itemFields},
	{"CEL has all, exists, filter and map; build counts and sums from them.", otherMacros},
	{"Use `in` to check whether a list has an item or a map has a key.", macroOfText},
	{"The value is already a list.", listOfList},
	{"Separate a variable and its condition with a comma.", separatedVariable},
	{"Check a list item by item.", itemsOf},
	{"first() and last() return an optional; an index returns the item.", firstOf},
	{"Count items with filter() and size().", countedItems},
	{"Inside a macro, use the name that the macro declares.", otherVariable},
	{"A macro needs a name and an expression: list.all(c, ...).", unnamedItem},
	{"Use format() with a list to insert values into a string.", printed},
	{"CEL has no clock. When an object is created, its creationTimestamp is the time of the request.", clock},
	{"Use replace(part, '') to remove part of a string.", withoutPart},
	{"To ignore case, convert both strings to lower case.", anyCase},
	{"", renamed},
	{"The function's name is misspelled.", misspelt},
	{"Call the function on a value: value.function(...).", asMethods},
	{"Call it as a function: function(value).", asFunctions},
	{"Use `in` to check whether a list has an item.", membership},
	{"Use contains() to check whether a string has a part.", partOfText},
	{"CEL has size() for lengths.", lengths},
	{"", replacedByOperators},
}

// authorizer replaces methods that the authorizer does not have.
func authorizer(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method {
			continue
		}
		args := d.arguments(open)
		switch name := d.List[i].Text; {
		case (name == "denied" || name == "isDenied" || name == "forbidden") && len(args) == 0:
			from := d.chainStart(i - 2)
			if d.Is(from-1, "!") {
				return d.with(edit{d.start(from - 1), d.start(from), ""}, edit{d.start(i), d.end(i), "allowed"})
			}
			return d.with(edit{d.start(from), d.start(from), "!"}, edit{d.start(i), d.end(i), "allowed"})
		case (name == "isAllowed" || name == "allow") && len(args) == 0:
			return d.with(edit{d.start(i), d.end(i), "allowed"})
		case slices.Contains([]string{"allowed", "isAllowed", "allows", "can"}, name) && len(args) == 1 && d.wrongCall(i):
			return d.with(edit{d.start(i), d.end(d.Partner[open]), "check(" + d.argument(args[0]) + ").allowed()"})
		case name == "resource" && d.Is(i-2, "authorizer") && (len(args) == 2 || len(args) == 3) && d.Is(d.Partner[open]+1, ".") &&
			(d.Is(d.Partner[open]+2, "check") || d.Is(d.Partner[open]+2, "name") || d.Is(d.Partner[open]+2, "namespace") || d.Is(d.Partner[open]+2, "subresource")):
			// The third is the version, which RBAC does not ask for.
			return d.with(edit{d.start(i), d.end(d.Partner[open]), "group(" + d.argument(args[0]) + ").resource(" + d.argument(args[1]) + ")"})
		case (name == "resource" || name == "check") && d.Is(i-2, "authorizer") && len(args) == 3:
			return d.with(edit{d.start(i), d.end(d.Partner[open]),
				"group(" + d.argument(args[0]) + ").resource(" + d.argument(args[1]) + ").check(" + d.argument(args[2]) + ")"})
		case (name == "verb" || name == "can" || name == "operation" || name == "action") && len(args) == 1 && d.Is(d.chainStart(i-2), "authorizer"):
			return d.with(edit{d.start(i), d.end(i), "check"})
		case name == "requestResource" && d.Is(i-2, "authorizer") && len(args) == 0:
			return d.with(edit{d.start(open), d.end(d.Partner[open]), ""})
		case name == "resource" && d.Is(i-2, "authorizer") && len(args) == 1:
			return d.with(edit{d.start(i), d.start(i), "group('" + d.groupOf(d.argument(args[0])) + "')."})
		}
	}
	return d.text
}

// groupOf is the API group of a resource that is written as a literal: the one group that has
// it, and the core group, which is empty, where there are several or none.
func (d *draft) groupOf(literal string) string {
	var groups []string
	for _, r := range d.context.kinds {
		if r.GVR.Resource == strings.Trim(literal, `'"`) && !slices.Contains(groups, r.GVR.Group) {
			groups = append(groups, r.GVR.Group)
		}
	}
	if len(groups) != 1 {
		return ""
	}
	return groups[0]
}

// functionNames has CEL's names for functions and methods of other languages.
var functionNames = map[string]string{
	"startswith": "startsWith", "starts_with": "startsWith", "hasPrefix": "startsWith", "HasPrefix": "startsWith", "beginsWith": "startsWith", "StartsWith": "startsWith",
	"endswith": "endsWith", "ends_with": "endsWith", "hasSuffix": "endsWith", "HasSuffix": "endsWith", "EndsWith": "endsWith",
	"toLower": "lowerAscii", "toLowerCase": "lowerAscii", "lower": "lowerAscii", "lowercase": "lowerAscii", "to_lower": "lowerAscii", "ToLower": "lowerAscii", "downcase": "lowerAscii",
	"toUpper": "upperAscii", "toUpperCase": "upperAscii", "upper": "upperAscii", "uppercase": "upperAscii", "to_upper": "upperAscii", "ToUpper": "upperAscii", "upcase": "upperAscii",
	"strip": "trim", "trimSpace": "trim", "TrimSpace": "trim", "replaceAll": "replace", "indexof": "indexOf", "substr": "substring", "slice": "substring",
	"match": "matches", "MatchString": "matches", "Match": "matches", "IsMatch": "matches", "isMatch": "matches", "fullmatch": "matches", "full_match": "matches", "test": "matches", "regex": "matches", "regexMatch": "matches", "re_match": "matches", "search": "find",
	"Contains": "contains", "includes": "contains", "include": "contains", "contain": "contains", "Contain": "contains", "Matches": "matches",
	"len": "size", "length": "size", "count": "size", "Size": "size", "cardinality": "size",
	"Number": "int", "parseInt": "int", "toInt": "int", "atoi": "int", "Integer": "int", "integer": "int", "to_number": "int", "toNumber": "int",
	"float": "double", "parseFloat": "double", "Float": "double", "float64": "double",
	"str": "string", "String": "string", "toString": "string", "to_string": "string", "ToString": "string",
	"boolean": "bool", "Boolean": "bool", "toBool": "bool",
	"typeof": "type", "typeOf": "type", "forEach": "all", "foreach": "all", "orElse": "orValue", "getOrElse": "orValue", "valueOr": "orValue", "unwrapOr": "orValue", "or_else": "orValue",
	"some": "exists", "any": "exists", "Any": "exists", "anyMatch": "exists", "every": "all", "All": "all", "allMatch": "all", "forall": "all", "forAll": "all",
	"existsOne": "exists_one", "existsExactlyOne": "exists_one", "exactlyOne": "exists_one", "one": "exists_one", "select": "filter", "where": "filter", "collect": "map", "flatMap": "map",
	"greaterThan": "isGreaterThan", "lessThan": "isLessThan", "resource_quantity": "quantity", "Quantity": "quantity", "parseQuantity": "quantity", "date": "timestamp",
}

// withoutPart removes the beginning or end of a string.
func withoutPart(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		open, method, ok := d.call(i)
		name := strings.ToLower(strings.ReplaceAll(d.List[i].Text, "_", ""))
		if !ok || !method || undeclared[i] == "" || len(d.arguments(open)) != 1 || !slices.Contains([]string{"trimsuffix", "trimprefix", "removesuffix", "removeprefix"}, name) {
			continue
		}
		return d.with(edit{d.start(i), d.end(i), "replace"}, edit{d.start(d.Partner[open]), d.start(d.Partner[open]), ", ''"})
	}
	return d.text
}

// renamed gives functions their names in CEL.
func renamed(d *draft) string {
	undeclared := d.undeclared()
	return d.each(func(i int) (string, bool) {
		name, ok := functionNames[d.List[i].Text]
		if _, _, isCall := d.call(i); !ok || !isCall {
			return "", false
		}
		known := undeclared[i] == "" && !d.syntaxError()
		if known || name == d.List[i].Text {
			return "", false
		}
		if sentence := "CEL writes " + d.List[i].Text + "() as " + name + "()."; !strings.Contains(d.what, sentence) {
			d.what = strings.TrimSpace(d.what + " " + sentence)
		}
		return name, true
	})
}

// methods are called on their first argument.
var methods = []string{"contains", "startsWith", "endsWith", "matches", "lowerAscii", "upperAscii", "trim", "split", "join", "replace", "substring", "indexOf",
	"all", "exists", "exists_one", "map", "filter", "isGreaterThan", "isLessThan", "compareTo", "find", "findAll", "format"}

// withoutArguments are methods without further arguments.
var withoutArguments = []string{"lowerAscii", "upperAscii", "trim", "join"}

// functions are not methods.
var functions = []string{"int", "string", "double", "bool", "quantity", "duration", "timestamp", "isQuantity", "isURL", "url", "dyn", "type", "uint", "bytes", "ip", "cidr", "isIP", "isCIDR"}

func (d *draft) wrongCall(i int) bool {
	name := d.List[i].Text
	return d.undeclared()[i] != "" || d.messages("found no matching overload for '"+name+"'")
}

func asMethods(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || method || !slices.Contains(methods, d.List[i].Text) || !d.wrongCall(i) {
			continue
		}
		args := d.arguments(open)
		if len(args) == 0 || len(args) > 3 || len(args) == 1 && !slices.Contains(withoutArguments, d.List[i].Text) {
			continue
		}
		target, rest := args[0], args[1:]
		if len(args) == 2 && d.isString(args[0][0]) && args[0][0] == args[0][1] && !d.isString(args[1][0]) {
			target, rest = args[1], args[:1] // what to look for first, as other languages have it
		}
		var texts []string
		for _, a := range rest {
			texts = append(texts, d.argument(a))
		}
		return d.with(edit{d.start(i), d.end(d.Partner[open]), d.operand(target) + "." + d.List[i].Text + "(" + strings.Join(texts, ", ") + ")"})
	}
	return d.text
}

func asFunctions(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method || !slices.Contains(functions, d.List[i].Text) || d.Partner[open] != open+1 || !d.wrongCall(i) {
			continue
		}
		from := d.chainStart(i - 2)
		return d.with(edit{d.start(from), d.end(open + 1), d.List[i].Text + "(" + d.slice(from, i-2) + ")"})
	}
	return d.text
}

// membership writes list.contains(x) as x in list.
func membership(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method || d.List[i].Text != "contains" && d.List[i].Text != "includes" {
			continue
		}
		args, from := d.arguments(open), d.chainStart(i-2)
		if len(args) != 1 || !d.messages("'contains'") && !d.messages("'includes'") || !d.listLike(from, i-2) {
			continue
		}
		return d.with(edit{d.start(from), d.end(d.Partner[open]), d.bracketed(from, d.operand(args[0])+" in "+d.slice(from, i-2))})
	}
	return d.text
}

// partOfText rewrites 'a' in 'text' with contains().
func partOfText(d *draft) string {
	if !d.messages("'@in' applied to '(string, string)'") {
		return d.text
	}
	for i := range d.List {
		if d.Is(i, "in") && d.isString(i-1) && d.isString(i+1) {
			return d.with(edit{d.start(i - 1), d.end(i + 1), d.List[i+1].Text + ".contains(" + d.List[i-1].Text + ")"})
		}
	}
	return d.text
}

// listLike reports whether an operand is plainly a list.
func (d *draft) listLike(from, to int) bool {
	if d.Is(from, "[") && d.Partner[from] == to {
		return true
	}
	if d.Is(to, ")") && d.Partner[to] > 0 {
		name := d.Partner[to] - 1
		return name > 0 && slices.Contains([]string{"map", "filter", "split"}, d.List[name].Text)
	}
	return d.messages("(list(") || d.messages("applied to 'list(")
}

// lengths rewrites x.length as x.size(), and tests for emptiness as comparisons.
func lengths(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		open, method, isCall := d.call(i)
		name := d.List[i].Text
		switch {
		case isCall && (name == "isEmpty" || name == "empty" || name == "is_empty" || name == "IsEmpty") && method && d.Partner[open] == open+1:
			from := d.chainStart(i - 2)
			of := d.slice(from, i-2)
			if d.Is(from-1, "!") && d.mayBeAbsent(from, i-2) {
				return d.with(edit{d.start(from - 1), d.end(open + 1), d.grouped(from-1, open+1, "has("+of+") && size("+of+") > 0")})
			}
			return d.emptiness(from, open+1, "size("+of+")")
		case isCall && (name == "isEmpty" || name == "empty" || name == "is_empty") && !method && undeclared[i] != "":
			return d.emptiness(i, d.Partner[open], "size"+d.slice(open, d.Partner[open]))
		case isCall && (name == "isNotEmpty" || name == "nonEmpty") && method && d.Partner[open] == open+1:
			from := d.chainStart(i - 2)
			of, guard := d.slice(from, i-2), ""
			if d.mayBeAbsent(from, i-2) {
				guard = "has(" + of + ") && "
			}
			return d.with(edit{d.start(from), d.end(open + 1), d.grouped(from, open+1, guard+"size("+of+") > 0")})
		case d.IsWord(i) && (name == "length" || name == "Length") && d.Is(i-1, ".") && !isCall && !d.Is(i+1, "."):
			// A field of this name would be of some other kind of object.
			return d.with(edit{d.start(i), d.end(i), "size()"})
		}
	}
	return d.text
}

// emptiness returns size == 0, or size > 0 after a !.
func (d *draft) emptiness(from, to int, size string) string {
	if d.Is(from-1, "!") {
		return d.with(edit{d.start(from - 1), d.end(to), size + " > 0"})
	}
	return d.with(edit{d.start(from), d.end(to), size + " == 0"})
}

// anyCases maps case-insensitive tests of other languages to CEL's tests.
var anyCases = map[string]string{
	"containsIgnoreCase": ".contains(", "startsWithIgnoreCase": ".startsWith(", "endsWithIgnoreCase": ".endsWith(",
	"equalsIgnoreCase": " == (", "equalFold": " == (", "EqualFold": " == (", "eqIgnoreCase": " == (",
}

// anyCase compares both strings in lower case.
func anyCase(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		test := anyCases[d.List[i].Text]
		if !ok || !method || test == "" || d.undeclared()[i] == "" || len(d.arguments(open)) != 1 {
			continue
		}
		argument := d.arguments(open)[0]
		text := d.operand(argument) + ".lowerAscii()"
		if d.isString(argument[0]) && argument[0] == argument[1] {
			text = strings.ToLower(d.argument(argument))
		}
		closing := ")"
		if test == " == (" {
			test, closing = " == ", ""
		}
		return d.with(edit{d.start(i - 1), d.end(d.Partner[open]), ".lowerAscii()" + test + text + closing})
	}
	return d.text
}
