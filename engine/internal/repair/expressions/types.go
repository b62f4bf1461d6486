package expressions

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// typeRules convert what has the wrong type for its place.
var typeRules = []rule{
	{"A JSON Patch is a list of JSONPatch{op: ..., path: ..., value: ...}.", jsonPatches},
	{"Use has() to check whether a field exists.", fieldAsTest},
	{"All items of a list, and both values of a conditional, must have the same type.", oneType},
	{"An ApplyConfiguration merges maps: it names only the keys that it sets.", addedMaps},
	{"Only strings can be added to a string.", addedTexts},
	{"Use format() with a list to insert values into a string.", formatted},
	{"Compare quantities with isLessThan() and isGreaterThan().", quantities},
	{"Compare versions with isLessThan() and isGreaterThan().", semanticVersions},
	{"Use has() to check whether a field exists.", containsField},
	{"This method needs parentheses, even without arguments.", calledWithoutBrackets},
	{"A rule that reads oldSelf runs only where there is an old value.", oldSelfThere},
	{"Use has() to check whether a field exists.", nullField},
	{"Both sides of a comparison must have the same type.", comparedLiterals},
	{"The expression must be a test.", asBool},
	{"The expression must be a string.", asText},
}

// jsonPatches writes one patch as a list, and maps as patches.
func jsonPatches(d *draft) string {
	if d.expression.Place.Result != eval.JSONPatch || d.compiled.Output == nil && len(d.compiled.Issues) > 0 && !d.messages("expected type") && !d.messages("must evaluate") {
		return d.text
	}
	var edits []edit
	for i := range d.List {
		if d.Is(i, "{") && d.Partner[i] > 0 && !d.IsWord(i-1) && d.patchFields(i) {
			edits = append(edits, edit{d.start(i), d.start(i), "JSONPatch"})
			for _, a := range d.arguments(i) {
				if d.isString(a[0]) {
					edits = append(edits, edit{d.start(a[0]), d.end(a[0]), d.List[a[0]].Literal()})
				}
			}
		}
	}
	if len(edits) > 0 {
		return d.with(edits...)
	}
	if d.compiled.Output != nil && d.compiled.Output.TypeName() == "JSONPatch" {
		return "[" + d.text + "]"
	}
	return d.text
}

// patchFields reports whether a map has the fields of an operation.
func (d *draft) patchFields(open int) bool {
	op, path := false, false
	for _, a := range d.arguments(open) {
		name := strings.Trim(d.List[a[0]].Text, `'"`)
		op, path = op || name == "op", path || name == "path"
	}
	return op && path
}

var mixed = lazy.Regexp{Text: `^expected type '([^']+)' but found '([^']+)'`}

var mixedChoice = lazy.Regexp{Text: `^found no matching overload for '_\?_:_' applied to '\((?:bool|dyn), (.+), (.+)\)'`}

// oneType gives all items of a list the type of its first, or lets them have
// any.
func oneType(d *draft) string {
	for _, issue := range d.compiled.Issues {
		if m := mixedChoice.FindStringSubmatch(issue.Message); m != nil {
			return d.sameChoice(d.Starting(issue.Start), m[1], m[2])
		}
		m := mixed.FindStringSubmatch(issue.Message)
		if m == nil {
			continue
		}
		i := d.Starting(issue.Start)
		if i >= len(d.List) {
			continue
		}
		if open := d.patchValue(i); open >= 0 {
			return d.dynamicItems(open)
		}
		if text := d.converted(i, m[1]); text != "" {
			return d.with(edit{d.start(i), d.end(i), text})
		}
		for open := i - 1; open >= 0; open-- {
			if (d.Is(open, "[") || d.Is(open, "{") && !d.IsWord(open-1)) && d.Partner[open] > i {
				return d.dynamicItems(open)
			}
		}
	}
	return d.text
}

// patchValue is the brace of the map around a token that is the value of an operation of a JSON Patch: the fields of an
// object, whose types differ. It is negative elsewhere, and for a map of texts such as labels.
func (d *draft) patchValue(i int) int {
	open := -1
	for j := range i {
		if d.Is(j, "{") && !d.IsWord(j-1) && d.Partner[j] > i {
			open = j
		}
	}
	if open < 0 {
		return -1
	}
	for j := open - 1; j > 1; j-- {
		if d.Is(j-1, "path") && d.Is(j, ":") && j+1 < len(d.List) {
			if mapOfTexts.MatchString(d.List[j+1].Literal()) {
				return -1
			}
			return open
		}
	}
	return -1
}

// mapOfTexts is the path of a map whose values are texts.
var mapOfTexts = lazy.Regexp{Text: `/(?:labels|annotations|matchLabels|nodeSelector|data|stringData|parameters)$`}

// dynamicItems lets the items of a list, or the values of a map, have any type.
func (d *draft) dynamicItems(open int) string {
	var edits []edit
	for _, a := range d.arguments(open) {
		if from := a[0]; d.Is(open, "{") {
			for from < a[1] && !d.Is(from, ":") {
				if p := d.Partner[from]; p > from {
					from = p
				}
				from++
			}
			a[0] = from + 1
		}
		if !d.Is(a[0], "dyn") && a[0] <= a[1] {
			edits = append(edits, edit{d.start(a[0]), d.end(a[1]), "dyn(" + d.argument(a) + ")"})
		}
	}
	return d.with(edits...)
}

// sameChoice lets the values of the choice at a token, which have two types, have any type. Where the expression must
// be a string, null is the empty one: the server leaves out an audit annotation with it.
func (d *draft) sameChoice(i int, one, other string) string {
	if !d.Is(i, "?") {
		return d.text
	}
	depth, colon := 0, -1
	to := len(d.List) - 1
	for j := i + 1; j < len(d.List); j++ {
		if p := d.Partner[j]; p > j {
			j = p
			continue
		} else if p >= 0 || d.Is(j, ",") {
			to = j - 1
			break
		}
		switch {
		case d.Is(j, "?"):
			depth++
		case d.Is(j, ":") && depth > 0:
			depth--
		case d.Is(j, ":") && colon < 0:
			colon = j
		}
	}
	if colon < 0 || to <= colon {
		return d.text
	}
	first, second := "dyn("+d.slice(i+1, colon-1)+")", "dyn("+d.slice(colon+1, to)+")"
	if p := d.expression.Place.Result; p == eval.Message || p == eval.AuditAnnotation {
		switch {
		case one == "string" && other == "null" && d.Is(to, "null"):
			first, second = d.slice(i+1, colon-1), "''"
		case one == "null" && other == "string" && d.Is(i+1, "null"):
			first, second = "''", d.slice(colon+1, to)
		}
	}
	return d.with(edit{d.start(i + 1), d.end(colon - 1), first}, edit{d.start(colon + 1), d.end(to), second})
}

// converted is a literal in another type, empty if it is none or has no such
// value.
func (d *draft) converted(i int, to string) string {
	if i < 0 || i >= len(d.List) {
		return ""
	}
	return Converted(d.List[i].Text, to)
}

var wholeNumber = lazy.Regexp{Text: `^-?[0-9]+$`}

// Converted is a literal of CEL in another type, as it would be written; empty
// if it has no such value.
func Converted(literal, to string) string {
	content := strings.Trim(literal, `'"`)
	isText := content != literal
	switch to {
	case "int":
		if isText && wholeNumber.MatchString(content) {
			return content
		}
		if n, err := strconv.ParseFloat(content, 64); err == nil && !isText && n == float64(int64(n)) && strings.Contains(content, ".") {
			return strconv.FormatInt(int64(n), 10)
		}
	case "double":
		if _, err := strconv.ParseFloat(content, 64); err == nil {
			if wholeNumber.MatchString(content) {
				return content + ".0"
			}
			return content
		}
	case "bool":
		if isText && (content == "true" || content == "false") {
			return content
		}
	case "string":
		if _, err := strconv.ParseFloat(content, 64); err == nil && !isText || literal == "true" || literal == "false" {
			return "'" + content + "'"
		}
	}
	return ""
}

var overload = lazy.Regexp{Text: `^found no matching overload for '(_[^']+_)' applied to '\((.+)\)'`}

// operatorOf is the token of the operator that a message is about, and the
// types of its operands.
func (d *draft) operatorOf() (i int, left, right string, ok bool) {
	for _, issue := range d.compiled.Issues {
		m := overload.FindStringSubmatch(issue.Message)
		if m == nil {
			continue
		}
		i := d.Starting(issue.Start)
		if i < len(d.List) && d.Is(i, strings.Trim(m[1], "_")) {
			if sides := SplitTypes(m[2]); len(sides) == 2 {
				return i, sides[0], sides[1], true
			}
		}
	}
	return 0, "", "", false
}

// SplitTypes splits a list of types at its commas. Types such as map(string, int) have commas, too.
func SplitTypes(list string) []string {
	var out []string
	depth, start := 0, 0
	for i, r := range list {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(list[start:i]))
				start = i + 1
			}
		}
	}
	if last := strings.TrimSpace(list[start:]); last != "" {
		out = append(out, last)
	}
	return out
}

// addedTexts converts what is added to a text.
func addedTexts(d *draft) string {
	i, left, right, ok := d.operatorOf()
	if ok && d.Is(i, "+") && right == "bool" && left != "string" {
		return d.sumOfLists(i)
	}
	if !ok || !d.Is(i, "+") || (left == "string") == (right == "string") {
		return d.text
	}
	if side := strings.TrimSuffix(left+right, "string"); strings.HasPrefix(side, "list(") || strings.HasPrefix(right, "list(") {
		if right == "string" {
			return d.with(edit{d.end(i - 1), d.end(i - 1), ".join(', ')"})
		}
		to := d.chainEnd(i + 1)
		return d.with(edit{d.end(to), d.end(to), ".join(', ')"})
	}
	if right == "string" {
		from := d.chainStart(i - 1)
		return d.with(edit{d.start(from), d.end(i - 1), "string(" + d.slice(from, i-1) + ")"})
	}
	to := d.chainEnd(i + 1)
	return d.with(edit{d.start(i + 1), d.end(to), "string(" + d.slice(i+1, to) + ")"})
}

// sumOfLists puts a sum into brackets of which only the last list is asked, a + b.c.all(...), and
// goes without that list where it is absent.
func (d *draft) sumOfLists(plus int) string {
	open := d.Partner[d.chainEnd(plus+1)]
	if open < plus+5 || !d.IsWord(open-3) || !d.Is(open-4, ".") || !slices.Contains([]string{"all", "exists", "exists_one"}, d.List[open-1].Text) {
		return d.text
	}
	from, last := d.start(d.chainStart(plus-1)), open-3
	return d.with(edit{from, from, "("}, edit{d.start(last), d.start(last), "?"}, edit{d.end(last), d.end(last), ".orValue([]))"})
}

// quantities writes comparisons of quantities with their methods.
func quantities(d *draft) string {
	i, left, right, ok := d.operatorOf()
	if !ok || !strings.HasSuffix(left, "Quantity") && !strings.HasSuffix(right, "Quantity") {
		return d.text
	}
	from, to := d.chainStart(i-1), d.chainEnd(i+1)
	a, b := d.slice(from, i-1), d.slice(i+1, to)
	if !strings.HasSuffix(left, "Quantity") {
		a = "quantity(" + textual(a) + ")"
	}
	if !strings.HasSuffix(right, "Quantity") {
		b = "quantity(" + textual(b) + ")"
	}
	if text := CompareQuantities(d.List[i].Text, a, b); text != "" {
		return d.with(edit{d.start(from), d.end(to), text})
	}
	return d.text
}

// semanticVersions writes comparisons of versions with their methods, which are
// those of quantities.
func semanticVersions(d *draft) string {
	i, left, right, ok := d.operatorOf()
	if !ok || !strings.HasSuffix(left, "Semver") || !strings.HasSuffix(right, "Semver") {
		return d.text
	}
	from, to := d.chainStart(i-1), d.chainEnd(i+1)
	if text := CompareQuantities(d.List[i].Text, d.slice(from, i-1), d.slice(i+1, to)); text != "" {
		return d.with(edit{d.start(from), d.end(to), text})
	}
	return d.text
}

// textual is a number as a text.
func textual(literal string) string {
	if text := Converted(literal, "string"); text != "" {
		return text
	}
	return literal
}

// CompareQuantities is a comparison of two quantities, empty for operators that
// compare nothing.
func CompareQuantities(operator, a, b string) string {
	switch operator {
	case "<":
		return a + ".isLessThan(" + b + ")"
	case ">":
		return a + ".isGreaterThan(" + b + ")"
	case "<=":
		return a + ".compareTo(" + b + ") <= 0"
	case ">=":
		return a + ".compareTo(" + b + ") >= 0"
	case "==", "!=":
		return a + ".compareTo(" + b + ") " + operator + " 0"
	}
	return ""
}

// comparedLiterals writes a literal in the type of what it is compared with.
func comparedLiterals(d *draft) string {
	i, left, right, ok := d.operatorOf()
	if !ok {
		return d.text
	}
	if left == "string" && right == "int" && slices.Contains([]string{"<", "<=", ">", ">="}, d.List[i].Text) && d.isNumber(i+1) && d.ends(i-1) && !d.isString(i-1) {
		// Texts have an order that no number is meant by.
		from, function := d.chainStart(i-1), "int"
		if d.self != nil || d.isTextual(d.slice(from, i-1)) {
			function = "size"
		}
		return d.with(edit{d.start(from), d.end(i - 1), function + "(" + d.slice(from, i-1) + ")"})
	}
	constructors := map[string]string{"google.protobuf.Duration": "duration", "google.protobuf.Timestamp": "timestamp", "duration": "duration", "timestamp": "timestamp"}
	for _, side := range []struct {
		token int
		to    string
		from  string
	}{{i + 1, left, right}, {i - 1, right, left}} {
		if text := d.converted(side.token, side.to); text != "" {
			return d.with(edit{d.start(side.token), d.end(side.token), text})
		}
		if name := constructors[side.to]; name != "" && d.isString(side.token) {
			return d.with(edit{d.start(side.token), d.end(side.token), name + "(" + d.List[side.token].Text + ")"})
		}
	}
	if left == "string" && right == "int" || left == "int" && right == "string" {
		token, side := i-1, left
		if right == "string" {
			token, side = i+1, right
		}
		from, to := token, d.chainEnd(token)
		if token == i-1 {
			from, to = d.chainStart(token), token
		}
		if side == "string" && !d.isString(from) {
			return d.with(edit{d.start(from), d.end(to), "int(" + d.slice(from, to) + ")"})
		}
	}
	return d.text
}

// asBool makes a test of a value.
func asBool(d *draft) string {
	if p := d.expression.Place.Result; p != eval.Condition && p != eval.Validation || d.compiled.Output == nil || len(d.compiled.Issues) > 0 {
		return d.text
	}
	last := len(d.List) - 1
	whole := d.slice(0, last)
	isChain := last >= 0 && d.chainStart(last) == 0
	if content, plain := d.plainText(0); last == 0 && d.isString(0) {
		if plain && newDraft(d.context, content, d.compiled).hasOperator() {
			return content // a test in quotes of its own
		}
		return d.text // a text is no test
	}
	if test := d.messageOrNothing(); test != "" {
		return test
	}
	switch t := d.compiled.Output; {
	case t.Kind() == cel.DynKind && isChain && d.Is(last-1, ".") && d.IsWord(last) && !d.booleanField(last):
		return "has(" + whole + ")"
	case t.Kind() == cel.DynKind && isChain && d.Is(last-1, ".") && d.IsWord(last):
		return "has(" + whole + ") && " + whole + " == true"
	case t.Kind() == cel.DynKind:
		return "bool(" + whole + ")"
	case t.Kind() == cel.IntKind && isChain:
		return whole + " > 0"
	case t.Kind() == cel.StringKind && isChain:
		return whole + " != ''"
	case t.Kind() == cel.ListKind && isChain, t.Kind() == cel.MapKind && isChain:
		return "size(" + whole + ") > 0"
	case t.TypeName() == "optional_type" && isChain:
		return whole + ".hasValue()"
	}
	return d.text
}

// hasOperator reports whether a text has what a test is made of.
func (d *draft) hasOperator() bool {
	return slices.ContainsFunc(d.List, func(t source.Token) bool {
		return slices.Contains(comparisons, t.Text) || slices.Contains([]string{"in", "&&", "||", "(", "!"}, t.Text)
	})
}

// messageOrNothing is the test of a choice between a message and an empty text, as other
// systems have it: the message says that the request is denied. Empty where the expression
// is something else.
func (d *draft) messageOrNothing() string {
	question := d.find(0, "?")
	last := len(d.List) - 1
	if question < 1 || last != question+3 || !d.isString(question+1) || !d.Is(question+2, ":") || !d.isString(last) {
		return ""
	}
	good, bad := d.List[question+1].Literal() == "", d.List[last].Literal() == ""
	switch test := d.slice(0, question-1); {
	case good == bad:
		return ""
	case good:
		return test
	default:
		return "!(" + test + ")"
	}
}

// booleanField reports whether the chain that ends with a token is a field that
// is true or false.
func (d *draft) booleanField(last int) bool {
	var steps []string
	for i := last; d.IsWord(i); i -= 2 {
		steps = append([]string{d.List[i].Text}, steps...)
		if !d.Is(i-1, ".") {
			break
		}
	}
	if len(steps) < 2 || steps[0] != "object" && steps[0] != "oldObject" {
		return true
	}
	t := typeAt(d.object, strings.Join(steps[1:], "."))
	return t == nil || t.Kind == catalog.Boolean
}

// asText makes a text of a value.
func asText(d *draft) string {
	if p := d.expression.Place.Result; p != eval.Message && p != eval.AuditAnnotation || d.compiled.Output == nil || len(d.compiled.Issues) > 0 {
		return d.text
	}
	switch d.compiled.Output.Kind() {
	case cel.ListKind:
		return d.text + ".join(', ')"
	case cel.MapKind:
		return d.text
	}
	return "string(" + d.text + ")"
}
