package expressions

import (
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
)

// meantRules are for what is well-formed, or nearly, and asks for something in a way
// that CEL does not have.
var meantRules = []rule{
	{"Check all items with list.all(c, ...).", quantifiers},
	{"Call the function on a value: value.function(...).", modules},
	{"Call the function on a value: value.function(...).", infix},
	{"Write not equal as !=.", tildeNotEqual},
	{"Write numbers without separators.", separatedNumber},
	{"A field follows a dot.", missingPoint},
	{"Take part of a string with substring(from, to).", parts},
	{"Write a map key in brackets: map['key'].", quotedFields},
	{"The object's variable is called object.", jsonPath},
	{"Write a quantity as quantity('1Gi').", units},
	{"Use != for exclusive or.", exclusive},
	{"An exclamation mark negates only the next value: write !(x in list), !(x > 3).", negatedMembership},
	{"Use `in` to check whether a list has an item.", itemOfList},
	{"Compare strings with ==; `in` is for lists.", inText},
	{"Get a list's length with size().", comparedLists},
	{"Check each of several strings separately.", severalTexts},
	{"kind and resource have parts: request.kind.kind, request.resource.resource.", requestKind},
	{"The user's name is request.userInfo.username; the groups are request.userInfo.groups.", userPart},
	{"The request's Namespace is namespaceObject.", namespaceFields},
	{"Put strings in quotes.", prose},
	{"Use `in` to check whether a list has an item.", inMethod},
	{"Use `in` to check whether a list has an item.", indexedItem},
	{"The Namespace's name is namespaceObject.metadata.name.", namespaceText},
	{"Write a type's name without quotes: type(x) == int.", namedTypes},
	{"Use isIP(), isCIDR() or isURL() to check a string.", asPredicate},
	{"Call the function on the list: list.join(', ').", listMethods},
	{"The authorizer's answer is allowed().", decisions},
}

// tildeNotEqual writes x ~= y, which Lua has.
func tildeNotEqual(d *draft) string {
	if at := strings.Index(d.text, " ~= "); at >= 0 && d.messages("token recognition error at: '~") {
		return d.text[:at] + " != " + d.text[at+4:]
	}
	return d.text
}

// withSeparators is a number as other languages write it: 1_000_000.
var withSeparators = lazy.Regexp{Text: `\b([0-9]{1,3})((?:_[0-9]{3})+)\b`}

// separatedNumber takes the separators out of numbers.
func separatedNumber(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	return withSeparators.ReplaceAllStringFunc(d.text, func(number string) string { return strings.ReplaceAll(number, "_", "") })
}

// missingPoint joins what is read of an object with blanks in it: object.spec replicas.
func missingPoint(d *draft) string {
	if !d.messages("expecting <EOF>") || d.object == nil {
		return d.text
	}
	for i := 1; i < len(d.List); i++ {
		if !d.IsWord(i) || !d.IsWord(i-1) {
			continue
		}
		from, to := d.chainStart(i-1), i
		for d.Is(to+1, ".") && d.IsWord(to+2) {
			to += 2
		}
		if before, ok := strings.CutPrefix(d.slice(from, i-1), "object."); ok && typeAt(d.object, before+"."+d.slice(i, to)) != nil {
			return d.with(edit{d.end(i - 1), d.start(i), "."})
		}
	}
	return d.text
}

// quantifiers writes `forall c in list: test` as a macro.
func quantifiers(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	macro := map[string]string{"forall": "all", "every": "all", "all": "all", "for": "all", "foreach": "all", "some": "exists", "any": "exists", "exists": "exists"}
	for i := range d.List {
		name := macro[strings.ToLower(d.List[i].Text)]
		if name == "" || d.ends(i-1) || !d.IsWord(i+1) || !d.Is(i+2, "in") || i+5 >= len(d.List) {
			continue
		}
		end := d.chainEnd(i + 3)
		if d.Is(end, "}") { // the braces of the test, which look like those of a literal
			end = d.Partner[end] - 1
		}
		from, to := end+2, len(d.List)-1
		if open := d.enclosing(i); open >= 0 && d.Partner[open] > from {
			to = d.Partner[open] - 1
		}
		switch {
		case d.Is(end+1, "{") && d.Partner[end+1] > 0:
			to = d.Partner[end+1] - 1
		case d.Is(end+1, ":"), d.Is(end+1, ","), d.Is(end+1, "|"), d.Is(end+1, ";"), d.Is(end+1, "satisfies"):
			if d.Is(end+2, "|") {
				from++
			}
		default:
			continue
		}
		last := min(to+1, len(d.List)-1)
		if !d.Is(end+1, "{") {
			last = to
		}
		test := d.slice(from, to)
		if of := strings.TrimPrefix(d.slice(i+3, end), "object."); d.Is(from, d.List[i+1].Text) && d.chainEnd(from) == to && d.IsWord(to) && d.object != nil {
			if t := d.object.At(strings.Split(of+".[]."+d.slice(from+2, to), ".")...); t != nil && t.Kind != catalog.Boolean {
				test = "has(" + test + ")" // what is there is true in Rego
			}
		}
		return d.with(edit{d.start(i), d.end(last), d.slice(i+3, end) + "." + name + "(" + d.List[i+1].Text + ", " + test + ")"})
	}
	return d.text
}

// modules takes away the module that other languages have a function in.
func modules(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		asType := d.Is(i, "string") && d.messages("applied to 'type(string)")
		if undeclared[i] == "" && !d.syntaxError() && !asType || d.Is(i-1, ".") || !asType && !slices.Contains([]string{"regex", "regexp", "re", "strings", "str", "math", "lists", "time"}, d.List[i].Text) {
			continue
		}
		open, method, ok := d.call(i + 2)
		if !ok || !method || len(d.arguments(open)) == 0 {
			continue
		}
		args, end := d.arguments(open), d.Partner[open]
		if call := end + 2; len(args) == 1 && slices.Contains([]string{"MustCompile", "compile"}, d.List[i+2].Text) && d.Is(end+1, ".") && d.Is(end+3, "(") && functionNames[d.token(call)] == "matches" {
			return d.with(edit{d.start(i), d.end(d.Partner[end+3]), d.List[i].Text + "." + d.List[call].Text + "(" + d.argument(args[0]) + ", " + d.slice(end+4, d.Partner[end+3]-1) + ")"})
		}
		if name := d.List[i+2].Text; len(args) == 2 && anyCases[name] != "" {
			return d.with(edit{d.start(i), d.end(end), d.operand(args[0]) + "." + name + "(" + d.argument(args[1]) + ")"})
		}
		if name := d.List[i+2].Text; len(args) == 2 && (name == "matches" || functionNames[name] == "matches" || name == "search") {
			if d.isString(args[0][0]) && !d.isString(args[1][0]) {
				args[0], args[1] = args[1], args[0] // the expression first, as other languages have it
			}
			pattern, not := d.argument(args[1]), ""
			if d.Is(i, "re") && args[1][0] == args[1][1] && d.isString(args[1][0]) && name != "search" {
				pattern = anchored(pattern, name != "match")
			}
			if none := d.null(end + 2); d.Is(end+1, "is") && none > 0 { // what Python returns for no match
				if none == end+2 {
					not = "!"
				}
				end = none
			}
			return d.with(edit{d.start(i), d.end(end), not + d.operand(args[0]) + ".matches(" + pattern + ")"})
		}
		return d.with(edit{d.start(i), d.start(i + 2), ""})
	}
	return d.text
}

// infix writes x contains 'y', and x like 'y%', with functions.
func infix(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		if !d.IsWord(i) || !d.ends(i-1) || d.Is(i-1, "in") || !d.isString(i+1) {
			continue
		}
		name := d.List[i].Text
		if other := functionNames[name]; other != "" {
			name = other
		}
		switch {
		case slices.Contains([]string{"contains", "startsWith", "endsWith", "matches"}, name):
			return d.with(edit{d.end(i - 1), d.end(i + 1), "." + name + "(" + d.List[i+1].Text + ")"})
		case strings.EqualFold(name, "like"), strings.EqualFold(name, "ilike"):
			return d.likeTest(i)
		}
	}
	return d.text
}

// likeTest writes x like 'y%', and with not or without a difference between capital and small letters, as a test.
func (d *draft) likeTest(i int) string {
	operand, pattern, no := i-1, d.List[i+1].Text, ""
	if strings.EqualFold(d.List[operand].Text, "not") && d.ends(operand-1) {
		operand, no = operand-1, "!"
	}
	lower := ""
	if strings.EqualFold(d.List[i].Text, "ilike") {
		lower, pattern = ".lowerAscii()", strings.ToLower(pattern)
	}
	test, from := like(pattern), d.start(d.chainStart(operand))
	if no != "" && strings.HasPrefix(test, " == ") {
		no, test = "", strings.Replace(test, "==", "!=", 1)
	}
	return d.with(edit{from, from, no}, edit{d.end(operand), d.end(i + 1), lower + test})
}

// like is the test that stands for a pattern of SQL, in quotes.
func like(pattern string) string {
	quote := pattern[:1]
	text := strings.Trim(pattern, quote)
	bare := strings.Trim(text, "%*")
	wrapped := quote + bare + quote
	before, after := !strings.HasPrefix(text, bare), !strings.HasSuffix(text, bare)
	switch {
	case strings.ContainsAny(bare, "%*_?"):
		return ".matches(" + quote + "^" + strings.NewReplacer("%", ".*", "*", ".*", "_", ".", "?", ".").Replace(text) + "$" + quote + ")"
	case before && after:
		return ".contains(" + wrapped + ")"
	case before:
		return ".endsWith(" + wrapped + ")"
	case after:
		return ".startsWith(" + wrapped + ")"
	}
	return " == " + wrapped
}

// quotedFields writes x.'key' as x['key'].
func quotedFields(d *draft) string {
	for i := range d.List {
		if d.Is(i, ".") && d.isString(i+1) && d.ends(i-1) && d.syntaxError() {
			return d.with(edit{d.start(i), d.end(i + 1), "[" + d.List[i+1].Text + "]"})
		}
	}
	return d.text
}

// jsonPath writes $.spec as object.spec.
func jsonPath(d *draft) string {
	for _, root := range []string{"object", "oldObject", "request", "params", "variables"} {
		if i := strings.Index(d.text, "@"+root+"."); i >= 0 && d.messages("token recognition error at: '@") {
			return d.text[:i] + d.text[i+1:]
		}
	}
	if at := strings.Index(d.text, "$."); at >= 0 && d.syntaxError() && (at == 0 || strings.ContainsRune(" (!,[", rune(d.text[at-1]))) {
		if root, _, _ := strings.Cut(d.text[at+2:], "."); slices.Contains(filled, root) {
			return d.text[:at] + d.text[at+2:]
		}
		return d.text[:at] + "object." + d.text[at+2:]
	}
	return d.text
}

// withUnit is a number with the unit of a quantity.
var withUnit = lazy.Regexp{Text: `^[0-9]+(?:\.[0-9]+)?(?:[KMGTP]i|[kMGTPm])$`}

// withTime is a number with a unit of time.
var withTime = lazy.Regexp{Text: `^([0-9]+)(s|m|h)$`}

// seconds is a whole number of seconds, minutes or hours in seconds.
func seconds(number, unit string) string {
	n, err := strconv.Atoi(number)
	if err != nil {
		return number
	}
	return strconv.Itoa(n * map[string]int{"s": 1, "m": 60, "h": 3600}[unit])
}

// units writes x <= 1Gi as a comparison of quantities, and 25% as a text.
func units(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		if !d.isNumber(i) {
			continue
		}
		if d.Is(i+1, "%") && d.touches(i) && !d.begins(i+2) {
			return d.with(edit{d.start(i), d.end(i + 1), "'" + d.List[i].Text + "%'"})
		}
		if m := withTime.FindStringSubmatch(d.List[i].Text); m != nil && i > 1 {
			if before := d.List[i-2].Text; strings.HasSuffix(before, "Seconds") {
				return d.with(edit{d.start(i), d.end(i), seconds(m[1], m[2])})
			} else if m[2] != "m" {
				return d.with(edit{d.start(i), d.end(i), "duration('" + d.List[i].Text + "')"})
			}
		}
		if !withUnit.MatchString(d.List[i].Text) {
			continue
		}
		amount := "'" + d.List[i].Text + "'"
		if i > 1 && slices.Contains(comparisons, d.List[i-1].Text) && d.ends(i-2) {
			from := d.chainStart(i - 2)
			return d.with(edit{d.start(from), d.end(i), CompareQuantities(d.List[i-1].Text, quantityOf(d.slice(from, i-2)), "quantity("+amount+")")})
		}
		return d.with(edit{d.start(i), d.end(i), amount})
	}
	return d.text
}

func quantityOf(text string) string {
	if strings.HasPrefix(text, "quantity(") {
		return text
	}
	return "quantity(" + text + ")"
}

// exclusive writes a ^ b as a != b.
func exclusive(d *draft) string {
	for i := range d.List {
		if (d.Is(i, "xor") || d.Is(i, "XOR")) && d.ends(i-1) && d.begins(i+1) && d.syntaxError() {
			return d.with(edit{d.start(i), d.end(i), "!="})
		}
	}
	if at := strings.Index(d.text, " ^ "); at >= 0 && d.messages("token recognition error at: '^") {
		return d.text[:at] + " != " + d.text[at+3:]
	}
	return d.text
}

// negatedMembership writes !x in list as !(x in list), and !x > 3 as !(x > 3).
func negatedMembership(d *draft) string {
	if !d.messages("' applied to '(bool, ") && !d.messages("found no matching overload for '!_'") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "!") || d.ends(i-1) || i+1 >= len(d.List) {
			continue
		}
		in := d.chainEnd(i+1) + 1
		compares := slices.Contains(comparisons, d.token(in)) && !d.Is(in+1, "true") && !d.Is(in+1, "false")
		if (d.Is(in, "in") || compares) && in+1 < len(d.List) {
			end := d.chainEnd(in + 1)
			return d.with(edit{d.start(i), d.end(i), "!("}, edit{d.end(end), d.end(end), ")"})
		}
	}
	return d.text
}

// itemOfList writes 'x' == list as 'x' in list.
func itemOfList(d *draft) string {
	first, second := d.messages("applied to '(string, list("), d.messages("applied to '(list(string), string)'") || d.messages("applied to '(list(dyn), string)'")
	if !first && !second {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "==") && !d.Is(i, "!=") || !d.ends(i-1) || !d.begins(i+1) {
			continue
		}
		from, to := d.chainStart(i-1), d.chainEnd(i+1)
		item, list := d.slice(from, i-1), d.slice(i+1, to)
		if second && !first {
			item, list = list, item
		}
		if !strings.HasPrefix(item, "'") && !strings.HasPrefix(item, `"`) && first == second {
			continue
		}
		text := item + " in " + list
		if d.Is(i, "!=") {
			text = "!(" + text + ")"
		}
		return d.with(edit{d.start(from), d.end(to), text})
	}
	return d.text
}

// inText writes x in 'a' as a comparison, and x in 'a,b' with a list.
func inText(d *draft) string {
	if !d.messages("'@in' applied to '(string, string)'") && !d.messages("'@in' applied to '(dyn, string)'") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "in") || d.isString(i-1) || !d.ends(i-1) || !d.isString(i+1) {
			continue
		}
		literal := d.List[i+1].Text
		if items := strings.Split(strings.Trim(literal, literal[:1]), ","); len(items) > 1 {
			for j, item := range items {
				items[j] = "'" + strings.TrimSpace(item) + "'"
			}
			return d.with(edit{d.start(i + 1), d.end(i + 1), "[" + strings.Join(items, ", ") + "]"})
		}
		return d.with(edit{d.start(i), d.end(i), "=="})
	}
	return d.text
}

// comparedLists compares the length of a list with a number.
func comparedLists(d *draft) string {
	if !d.messages("applied to '(list(") || !d.messages(", int)'") {
		return d.text
	}
	for i := range d.List {
		if slices.Contains(comparisons, d.List[i].Text) && d.ends(i-1) && d.isNumber(i+1) && (d.listLike(d.chainStart(i-1), i-1)) {
			return d.with(edit{d.end(i - 1), d.end(i - 1), ".size()"})
		}
	}
	return d.text
}

// severalTexts asks for each of several texts: startsWith(['a', 'b']), and
// containsAny() of other languages.
func severalTexts(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method {
			continue
		}
		args, name := d.arguments(open), d.List[i].Text
		from := d.chainStart(i - 2)
		if len(args) > 1 && slices.Contains([]string{"startsWith", "endsWith", "contains"}, name) && d.messages("'"+name+"' applied to") {
			return d.with(edit{d.start(from), d.end(d.Partner[open]), "[" + d.slice(open+1, d.Partner[open]-1) + "].exists(x, " + d.slice(from, i-2) + "." + name + "(x))"})
		}
		if len(args) != 1 || d.Partner[open] < 0 {
			continue
		}
		target, list := d.slice(from, i-2), d.argument(args[0])
		text := ""
		switch {
		case slices.Contains([]string{"startsWith", "endsWith", "contains", "matches"}, name) && d.Is(args[0][0], "[") && d.Partner[args[0][0]] == args[0][1] && d.messages("'"+name+"' applied to"):
			text = list + ".exists(x, " + target + "." + name + "(x))"
		case (name == "containsAny" || name == "hasAny") && undeclared[i] != "" && d.isTextual(target):
			text = list + ".exists(x, " + target + ".contains(x))"
		case (name == "containsAny" || name == "hasAny" || name == "intersects") && undeclared[i] != "":
			text = list + ".exists(x, x in " + target + ")"
		case (name == "containsAll" || name == "hasAll") && undeclared[i] != "":
			text = list + ".all(x, x in " + target + ")"
		default:
			continue
		}
		return d.with(edit{d.start(from), d.end(d.Partner[open]), text})
	}
	return d.text
}

// isTextual reports whether a chain ends with a field that is a text.
func (d *draft) isTextual(chain string) bool {
	for _, suffix := range []string{".name", ".image", ".namespace", ".username", ".generateName"} {
		if strings.HasSuffix(chain, suffix) {
			return true
		}
	}
	return false
}

// typeWords are the types of CEL by the names that other languages have for them.
var typeWords = map[string]string{"int": "int", "integer": "int", "number": "int", "int64": "int", "string": "string", "str": "string", "bool": "bool", "boolean": "bool",
	"double": "double", "float": "double", "list": "list", "array": "list", "map": "map", "object": "map", "dict": "map", "null": "null_type"}

// namedTypes writes type(x) == 'int' with the type itself.
func namedTypes(d *draft) string {
	if !d.messages("applied to '(type(") {
		return d.text
	}
	return d.each(func(i int) (string, bool) {
		if !d.isString(i) || !d.Is(i-1, "==") && !d.Is(i-1, "!=") {
			return "", false
		}
		name, ok := typeWords[strings.ToLower(strings.Trim(d.List[i].Text, "'\""))]
		return name, ok
	})
}

// sentence is a text of words.
var sentence = lazy.Regexp{Text: `^[A-Za-z][\w-]*(?:[ ,]+[\w-]+)+[.!]?$`}

// prose puts a message in quotes that is a text, not an expression.
func prose(d *draft) string {
	if place := d.expression.Place.Result; place != eval.Message && place != eval.AuditAnnotation || !d.syntaxError() {
		return d.text
	}
	if placeholder.MatchString(d.text) && !strings.ContainsAny(d.text, "'\"`+") {
		return Sum(d.text)
	}
	if !sentence.MatchString(d.text) {
		return d.text
	}
	return "'" + d.text + "'"
}

// KubernetesUnit writes a quoted quantity with a unit that the API has, the likeliest of
// [suggest.Quantities]. It is empty for other texts.
func KubernetesUnit(literal string) string {
	content := strings.Trim(literal, `'"`)
	if amounts := suggest.Quantities(content); len(amounts) > 0 && len(content)+2 == len(literal) {
		return "'" + amounts[0] + "'"
	}
	return ""
}
