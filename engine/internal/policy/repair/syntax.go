package repair

import (
	"regexp"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// syntaxRules are habits of other languages that CEL cannot read, or that it
// reads as names.
var syntaxRules = []rule{
	{"CEL has plain quotes and operators.", typographic},
	{"An expression stands alone, without the braces of a template.", templateBraces},
	{"CEL has only comments with // to the end of the line.", comments},
	{"An expression is one value, without a semicolon.", statement},
	{"A text is put together with +.", templateText},
	{"A regular expression is a text.", regexLiteral},
	{"Labels and annotations whose keys are no names are read with ['...'].", keys},
	{"CEL has && for and, || for or, ! for not.", words},
	{"CEL has null, true and false.", constants},
	{"Equality is == and !=.", operators},
	{"A macro takes a name and an expression: list.all(c, ...).", arrows},
	{"A macro takes a name and an expression: list.all(c, ...).", generators},
	{"CEL has .? for a field that may be absent.", questionMarks},
	{"A choice is written condition ? a : b.", choice},
	{"All items of a list are tested with all().", wildcard},
	{"Keys of a map are quoted, names of fields are not.", quotes},
	{"A literal has the name of its type.", typeNames},
	{"A field of a type takes a value after a colon.", fieldValues},
	{"Comparisons are joined with &&.", chain},
	{"% does not put values into a text; + does.", percent},
	{"Something was missing or too much at the end.", endings},
	{"Brackets come in pairs.", brackets},
	{"Items are separated by commas.", commas},
}

var typographicCharacters = strings.NewReplacer(
	"‘", "'", "’", "'", "“", `"`, "”", `"`, "„", `"`, "′", "'", "`", "`",
	"≤", "<=", "≥", ">=", "≠", "!=", "−", "-", "–", "-", "×", "*", "÷", "/", "∧", "&&", "∨", "||", "¬", "!", "\u00a0", " ", "…", "...")

// typographic replaces characters outside of the strings of CEL.
func typographic(d *draft) string {
	var b strings.Builder
	at := 0
	for _, t := range source.Lex(d.text) {
		if t.Kind == source.String && !t.Open {
			b.WriteString(typographicCharacters.Replace(d.text[at:t.Bytes]) + t.Text)
			at = t.EndBytes()
		}
	}
	return b.String() + typographicCharacters.Replace(d.text[at:])
}

var braces = regexp.MustCompile(`(?s)^\s*\$?\{\{-?\s*(.+?)\s*-?\}\}\s*$|^\s*\$[({]\s*(.+?)\s*[})]\s*$`)

func templateBraces(d *draft) string {
	m := braces.FindStringSubmatch(d.text)
	if m == nil {
		return d.text
	}
	return strings.TrimPrefix(m[1]+m[2], ".")
}

func comments(d *draft) string {
	for i := range d.List {
		switch {
		case d.Is(i, "#"):
			end := strings.IndexByte(d.text[d.start(i):], '\n')
			if end < 0 {
				return strings.TrimRight(d.text[:d.start(i)], " \t\n")
			}
			return strings.TrimRight(d.text[:d.start(i)], " \t") + d.text[d.start(i)+end:]
		case d.Is(i, "/") && d.Is(i+1, "*") && d.touches(i):
			end := strings.Index(d.text[d.start(i):], "*/")
			if end < 0 {
				return d.text
			}
			return strings.TrimSpace(d.text[:d.start(i)] + strings.TrimLeft(d.text[d.start(i)+end+2:], " "))
		}
	}
	return d.text
}

// statement takes away what makes a statement of an expression: return, a
// semicolon, and names that are given once.
func statement(d *draft) string {
	last := len(d.List) - 1
	switch {
	case d.Is(last, ";"):
		return strings.TrimRight(d.text[:d.start(last)], " \t\n")
	case d.Is(0, "return"):
		return strings.TrimLeft(d.text[d.end(0):], " \t\n")
	case (d.Is(0, "let") || d.Is(0, "var") || d.Is(0, "const")) && d.IsWord(1) && d.Is(2, "="):
		end := slices.IndexFunc(d.List, func(t source.Token) bool { return t.Text == ";" || t.Text == "in" })
		if end < 4 || end == last {
			return d.text
		}
		name, value := d.List[1].Text, d.operand([2]int{3, end - 1})
		body := d.each(func(i int) (string, bool) {
			return value, i > end && d.List[i].Text == name && d.List[i].Kind == source.Word && !d.Is(i-1, ".")
		})
		return strings.TrimSpace(body[d.end(end):])
	}
	return d.text
}

var placeholder = regexp.MustCompile(`\$?\{\{?\s*\.?([^{}]+?)\s*\}?\}`)

// templateText writes texts with values in them as a sum.
func templateText(d *draft) string {
	for i, t := range d.List {
		switch {
		case (t.Text == "f" || t.Text == "s") && t.Kind == source.Word && d.isString(i+1) && d.touches(i):
			return d.with(edit{d.start(i), d.end(i + 1), Sum(d.List[i+1].Literal())})
		case t.Kind == source.Word && strings.HasPrefix(t.Text, "`") && !d.Is(i-1, "."):
			return d.with(edit{d.start(i), d.end(i), Sum(strings.Trim(t.Text, "`"))})
		}
	}
	return d.text
}

// Sum writes a text with placeholders in braces as a sum of texts.
func Sum(text string) string {
	var parts []string
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		if m[0] > at {
			parts = append(parts, quoted(text[at:m[0]]))
		}
		parts = append(parts, "string("+text[m[2]:m[3]]+")")
		at = m[1]
	}
	if at < len(text) {
		parts = append(parts, quoted(text[at:]))
	}
	return strings.Join(parts, " + ")
}

func quoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `\'`) + "'"
}

var slashed = regexp.MustCompile(`([(,=~]\s*)/((?:[^/\\\n]|\\.)+)/[gimsu]*(\s*[),]|\s*$)`)

func regexLiteral(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	m := slashed.FindStringSubmatchIndex(d.text)
	if m == nil {
		return d.text
	}
	pattern, prefix := d.text[m[4]:m[5]], ""
	if strings.Contains(pattern, `\`) {
		prefix = "r"
	}
	return d.text[:m[3]] + prefix + "'" + pattern + "'" + d.text[m[6]:]
}

// mapFields are fields of the API whose keys are seldom names.
var mapFields = []string{"labels", "annotations", "matchLabels", "nodeSelector"}

// keys writes labels.app.kubernetes.io/name as a key in brackets.
func keys(d *draft) string {
	for i, t := range d.List {
		if t.Kind != source.Word || !slices.Contains(mapFields, t.Text) || !d.touches(i) || !d.Is(i+1, ".") || !d.touches(i+1) || !d.IsWord(i+2) {
			continue
		}
		last, special := i+2, false
		for d.touches(last) && (d.Is(last+1, ".") || d.Is(last+1, "-") || d.Is(last+1, "/")) && d.touches(last+1) && (d.IsWord(last+2) || d.isNumber(last+2)) {
			if d.Is(last+3, "(") {
				break
			}
			special = special || !d.Is(last+1, ".")
			last += 2
		}
		if special {
			return d.with(edit{d.start(i + 1), d.end(last), "['" + d.slice(i+2, last) + "']"})
		}
	}
	return d.text
}

var joined = map[string]string{"and": "&&", "AND": "&&", "And": "&&", "or": "||", "OR": "||", "Or": "||", "&": "&&", "|": "||"}

func words(d *draft) string {
	var edits []edit
	for i := range d.List {
		t := d.List[i]
		operator, ok := joined[t.Text]
		switch {
		case ok && t.Kind != source.String && d.ends(i-1) && d.begins(i+1) && !d.Is(i-1, "."):
			edits = append(edits, edit{d.start(i), d.end(i), operator})
		case (t.Text == "not" || t.Text == "NOT") && t.Kind == source.Word && (d.Is(i+1, "in") || d.Is(i+1, "IN")) && d.ends(i-1):
			from := d.chainStart(i - 1)
			to := d.chainEnd(min(i+2, len(d.List)-1))
			return d.with(edit{d.start(from), d.start(from), "!("}, edit{d.start(i), d.start(i + 1), ""}, edit{d.start(i + 1), d.end(i + 1), "in"}, edit{d.end(to), d.end(to), ")"})
		case (t.Text == "not" || t.Text == "NOT") && t.Kind == source.Word && !d.ends(i-1) && d.begins(i+1):
			return d.negated(i)
		case t.Text == "is" && d.ends(i-1) && d.Is(i+1, "not"):
			edits = append(edits, edit{d.start(i), d.end(i + 1), "!="})
		case t.Text == "is" && t.Kind == source.Word && d.ends(i-1) && d.begins(i+1) && !d.Is(i-1, "."):
			edits = append(edits, edit{d.start(i), d.end(i), "=="})
		case t.Text == "IN" && d.ends(i-1) && d.begins(i+1):
			edits = append(edits, edit{d.start(i), d.end(i), "in"})
		}
	}
	return d.with(edits...)
}

// negated writes `not` at a token as !, of all that it rules: to the next && or
// ||, or the end of the bracket.
func (d *draft) negated(i int) string {
	to := i + 1
	for j := i + 1; j < len(d.List); j++ {
		if p := d.Partner[j]; p > j {
			j = p
		} else if p >= 0 || d.Is(j, "&&") || d.Is(j, "||") || d.Is(j, ",") || d.Is(j, "?") || d.Is(j, ":") || joined[d.List[j].Text] != "" {
			break
		}
		to = j
	}
	open, closing := "!", ""
	if d.combined(i+1, to) {
		open, closing = "!(", ")"
	}
	return d.with(edit{d.start(i), d.start(i + 1), open}, edit{d.end(to), d.end(to), closing})
}

var constantNames = map[string]string{
	"None": "null", "nil": "null", "undefined": "null", "NULL": "null", "Null": "null", "NIL": "null",
	"True": "true", "TRUE": "true", "False": "false", "FALSE": "false",
}

// constants writes null, true and false as CEL has them. A field compared with
// null is absent rather than null: it is asked for with has().
func constants(d *draft) string {
	undeclared := d.undeclared()
	for i := range d.List {
		name, ok := constantNames[d.List[i].Text]
		if !ok || d.List[i].Kind != source.Word || d.Is(i-1, ".") || d.Is(i+1, "(") || !d.syntaxError() && undeclared[i] == "" {
			continue
		}
		if equal := d.Is(i-1, "=="); name == "null" && (equal || d.Is(i-1, "!=")) && d.IsWord(i-2) && d.Is(i-3, ".") {
			from, not := d.chainStart(i-2), ""
			if equal {
				not = "!"
			}
			return d.with(edit{d.start(from), d.end(i), not + "has(" + d.slice(from, i-2) + ")"})
		}
		return d.with(edit{d.start(i), d.end(i), name})
	}
	return d.text
}

func operators(d *draft) string {
	var edits []edit
	for i := range d.List {
		switch {
		case (d.Is(i, "==") || d.Is(i, "!=")) && d.Is(i+1, "=") && d.touches(i):
			edits = append(edits, edit{d.start(i + 1), d.end(i + 1), ""})
		case d.Is(i, "<") && d.Is(i+1, ">") && d.touches(i):
			edits = append(edits, edit{d.start(i), d.end(i + 1), "!="})
		case d.Is(i, "=") && d.Is(i+1, "~") && d.touches(i) && d.isString(i+2):
			edits = append(edits, edit{d.end(i - 1), d.end(i + 2), ".matches(" + d.List[i+2].Text + ")"})
		case d.Is(i, "=") && d.Is(i+1, ">"), d.Is(i, "=") && (d.Is(i-1, "==") || d.Is(i-1, "!=")):
		case d.Is(i, ":") && d.Is(i+1, "=") && d.touches(i):
			edits = append(edits, edit{d.start(i + 1), d.end(i + 1), ""})
		case d.Is(i, "="):
			sign := "=="
			if d.inBraces(i) {
				sign = ":"
			}
			if sign == ":" {
				edits = append(edits, edit{d.end(i - 1), d.end(i), sign})
				continue
			}
			edits = append(edits, edit{d.start(i), d.end(i), sign})
		}
	}
	return d.with(edits...)
}

// inBraces reports whether the innermost bracket around token i is a brace.
func (d *draft) inBraces(i int) bool {
	for j := i - 1; j >= 0; j-- {
		if p := d.Partner[j]; p >= 0 && p < j {
			j = p
			continue
		}
		switch {
		case d.Is(j, "{"):
			return true
		case d.Is(j, "("), d.Is(j, "["):
			return false
		}
	}
	return false
}

// arrows writes c => ... as the arguments of a macro.
func arrows(d *draft) string {
	for i := range d.List {
		if !(d.Is(i, "=") && d.Is(i+1, ">") && d.touches(i)) && !(d.Is(i, "-") && d.Is(i+1, ">") && d.touches(i)) {
			continue
		}
		switch {
		case d.IsWord(i - 1):
			return d.with(edit{d.end(i - 1), d.end(i + 1), ","})
		case d.Is(i-1, ")") && d.Partner[i-1] == i-3 && d.IsWord(i-2):
			return d.with(edit{d.start(i - 3), d.end(i + 1), d.List[i-2].Text + ","})
		}
	}
	return d.text
}

// generators writes any(... for c in list) and [... for c in list] with macros.
func generators(d *draft) string {
	for i := range d.List {
		if !d.Is(i, "for") || !d.IsWord(i+1) || !d.Is(i+2, "in") {
			continue
		}
		open := i - 1
		for open >= 0 && (d.Partner[open] < i) {
			open--
		}
		if open < 0 {
			return d.text
		}
		end := d.Partner[open]
		listEnd := d.chainEnd(min(i+3, end-1))
		if listEnd >= end {
			return d.text
		}
		name, body, list := d.List[i+1].Text, d.slice(open+1, i-1), d.slice(i+3, listEnd)
		if d.Is(listEnd+1, "if") {
			list += ".filter(" + name + ", " + d.slice(listEnd+2, end-1) + ")"
		}
		macro := "map"
		switch {
		case d.Is(open-1, "any"):
			macro, open = "exists", open-1
		case d.Is(open-1, "all"):
			macro, open = "all", open-1
		case !d.Is(open, "["):
			return d.text
		}
		if macro == "map" && body == name {
			return d.with(edit{d.start(open), d.end(end), list})
		}
		return d.with(edit{d.start(open), d.end(end), list + "." + macro + "(" + name + ", " + body + ")"})
	}
	return d.text
}

// questionMarks writes ?. and ?? with optional fields.
func questionMarks(d *draft) string {
	for i := range d.List {
		switch {
		case d.Is(i, "?") && d.Is(i+1, "?") && d.touches(i) && d.ends(i-1):
			return d.coalesced(i)
		case d.Is(i, "?") && d.Is(i+1, ".") && d.touches(i) && d.ends(i-1):
			text := d.each(func(j int) (string, bool) {
				switch {
				case d.Is(j, "?") && d.Is(j+1, ".") && d.touches(j):
					return ".", true
				case d.Is(j, ".") && d.Is(j-1, "?") && d.touches(j-1):
					return "?", true
				}
				return "", false
			})
			return text
		}
	}
	return optionalCompared(d)
}

// coalesced writes `chain ?? value` at the first question mark.
func (d *draft) coalesced(i int) string {
	from := d.chainStart(i - 1)
	to := d.chainEnd(min(i+2, len(d.List)-1))
	return d.with(edit{d.start(from), d.end(to), optionalChain(d.slice(from, i-1)) + ".orValue(" + d.slice(i+2, to) + ")"})
}

var afterRoot = regexp.MustCompile(`\.\??`)

// optionalChain makes all fields of a chain optional but the first, which
// objects always have when it is metadata, and none of request.
func optionalChain(chain string) string {
	parts := afterRoot.Split(chain, -1)
	if len(parts) < 2 {
		return chain
	}
	out := parts[0]
	for i, part := range parts[1:] {
		if i == 0 && (part == "metadata" || part == "spec") && len(parts) > 2 {
			out += "." + part
			continue
		}
		out += ".?" + part
	}
	return out
}

// optionalCompared gives an optional field that is compared the value that it
// has when it is absent.
func optionalCompared(d *draft) string {
	if !d.messages("optional_type") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "==") && !d.Is(i, "!=") && !d.Is(i, "<") && !d.Is(i, "<=") && !d.Is(i, ">") && !d.Is(i, ">=") {
			continue
		}
		from := d.chainStart(i - 1)
		if !strings.Contains(d.slice(from, i-1), ".?") || strings.Contains(d.slice(from, i-1), "orValue") {
			continue
		}
		if value := d.zeroOf(i + 1); value != "" {
			return d.with(edit{d.end(i - 1), d.end(i - 1), ".orValue(" + value + ")"})
		}
	}
	return d.text
}

// zeroOf is the empty value of the type of a literal.
func (d *draft) zeroOf(i int) string {
	switch {
	case d.isString(i):
		return "''"
	case d.isNumber(i) && strings.Contains(d.List[i].Text, "."):
		return "0.0"
	case d.isNumber(i):
		return "0"
	case d.Is(i, "true"), d.Is(i, "false"):
		return "false"
	case d.Is(i, "["):
		return "[]"
	}
	return ""
}

// find is the first of some words or symbols from a token on that is in no
// bracket, -1 if there is none.
func (d *draft) find(from int, texts ...string) int {
	for i := from; i < len(d.List); i++ {
		if p := d.Partner[i]; p > i {
			i = p
			continue
		}
		for _, text := range texts {
			if d.Is(i, text) {
				return i
			}
		}
	}
	return -1
}

// choice writes if ... else, of Python and of others.
func choice(d *draft) string {
	at := d.find(0, "if", "IF")
	other := d.find(max(at, 0), "else", "ELSE")
	if at < 0 {
		return d.text
	}
	if at > 0 { // a if c else b
		if other < 0 {
			return d.text
		}
		return d.slice(at+1, other-1) + " ? " + d.slice(0, at-1) + " : " + d.slice(other+1, len(d.List)-1)
	}
	then := d.find(1, "then", "THEN", "{")
	if then < 0 {
		if !d.Is(1, "(") || d.Partner[1] < 0 {
			return d.text
		}
		then = d.Partner[1] // the bracket of the condition ends it
		return d.chosen(d.slice(1, then), then+1, other)
	}
	return d.chosen(d.slice(1, then-1), then+1, other)
}

// chosen writes a choice whose first value begins at a token; without an else a
// condition that does not hold asks for nothing.
func (d *draft) chosen(condition string, from, other int) string {
	last := len(d.List) - 1
	strip := func(text string) string {
		return strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "{"), "}"))
	}
	if other < 0 {
		return condition + " ? " + strip(d.slice(from, last)) + " : true"
	}
	return condition + " ? " + strip(d.slice(from, other-1)) + " : " + strip(d.slice(other+1, last))
}

// wildcard writes [*] as a test of all items: as the macro all() from there to
// the end of the comparison.
func wildcard(d *draft) string {
	for i := range d.List {
		star := d.Is(i, "[") && (d.Is(i+1, "*") || d.Is(i+1, "_")) && d.Is(i+2, "]")
		if !star && !(d.Is(i, "[") && d.Is(i+1, "]") && d.ends(i-1) && d.Is(i+2, ".")) {
			continue
		}
		to := len(d.List) - 1
		if stop := d.find(d.Partner[i]+1, "&&", "||", ",", ")", "]", "?", ":"); stop > 0 {
			to = stop - 1
		}
		name := d.itemName(i - 1)
		return d.with(
			edit{d.start(i), d.end(d.Partner[i]), ".all(" + name + ", " + name},
			edit{d.end(to), d.end(to), ")"})
	}
	return d.text
}

// itemName is a name for the items of a list: its first letter.
func (d *draft) itemName(i int) string {
	if d.IsWord(i) {
		if name := strings.ToLower(d.List[i].Text[:1]); name >= "a" && name <= "z" {
			return name
		}
	}
	return "x"
}

// quotes quotes the keys of maps, and takes the quotes off the fields of
// messages.
func quotes(d *draft) string {
	undeclared := d.undeclared()
	var edits []edit
	for i := range d.List {
		if !d.Is(i, "{") && !d.Is(i, ",") || !d.Is(i+2, ":") || !d.inBraces(i+1) {
			continue
		}
		open := i
		for !d.Is(open, "{") || d.Partner[open] >= 0 && d.Partner[open] < i {
			open--
		}
		switch literal := d.IsWord(open - 1); {
		case literal && d.isString(i+1):
			edits = append(edits, edit{d.start(i + 1), d.end(i + 1), d.List[i+1].Literal()})
		case !literal && d.IsWord(i+1) && (undeclared[i+1] != "" || d.syntaxError()):
			edits = append(edits, edit{d.start(i + 1), d.end(i + 1), "'" + d.List[i+1].Text + "'"})
		}
	}
	return d.with(edits...)
}

// typeNames writes the names of the types of patches as they are spelt.
func typeNames(d *draft) string {
	if !d.expression.Scope.Patch {
		return d.text
	}
	return d.each(func(i int) (string, bool) {
		if !d.IsWord(i) || d.Is(i-1, ".") {
			return "", false
		}
		end := i
		for d.Is(end+1, ".") && d.IsWord(end+2) {
			end += 2
		}
		if !d.Is(end+1, "{") {
			return "", false
		}
		switch name := d.List[i].Text; {
		case name == "Object", name == "JSONPatch":
			return "", false
		case strings.EqualFold(name, "object"), strings.EqualFold(name, "obj"):
			return "Object", true
		case strings.EqualFold(strings.ReplaceAll(name, "_", ""), "jsonpatch"), strings.EqualFold(name, "patch"):
			return "JSONPatch", true
		}
		return "", false
	})
}

// fieldValues puts braces around the entries of a map that stand in a field
// without any: labels: 'team': 'blue'.
func fieldValues(d *draft) string {
	for i := range d.List {
		if !d.IsWord(i) || !d.Is(i+1, ":") || !d.isString(i+2) && !d.IsWord(i+2) || !d.Is(i+3, ":") || !d.inBraces(i) {
			continue
		}
		end := i + 2
		for end < len(d.List) && d.Partner[end] < 0 || d.Partner[end] > end {
			if d.Partner[end] > end {
				end = d.Partner[end]
			}
			end++
			if end >= len(d.List) {
				return d.text
			}
		}
		return d.with(edit{d.start(i + 2), d.start(i + 2), "{"}, edit{d.end(end - 1), d.end(end - 1), "}"})
	}
	return d.text
}

var comparisons = []string{"<", "<=", ">", ">=", "==", "!="}

// chain writes a < b < c as two comparisons.
func chain(d *draft) string {
	if !d.messages("(bool, ") {
		return d.text
	}
	for i := range d.List {
		if !slices.Contains(comparisons[:4], d.List[i].Text) {
			continue
		}
		next := d.chainEnd(i+1) + 1
		if next < len(d.List) && slices.Contains(comparisons[:4], d.List[next].Text) {
			return d.with(edit{d.start(next), d.start(next), "&& " + d.slice(i+1, next-1) + " "})
		}
	}
	return d.text
}

var verb = regexp.MustCompile(`%[a-z]`)

// percent writes 'a %s' % b as a sum.
func percent(d *draft) string {
	for i := range d.List {
		if !d.Is(i, "%") || !d.isString(i-1) || !d.begins(i+1) {
			continue
		}
		values, to := []string{}, d.chainEnd(i+1)
		if d.Is(i+1, "(") && d.Partner[i+1] > 0 {
			for _, a := range d.arguments(i + 1) {
				values = append(values, d.argument(a))
			}
		} else {
			values = []string{d.slice(i+1, to)}
		}
		n := -1
		text := verb.ReplaceAllStringFunc(d.List[i-1].Literal(), func(verb string) string {
			if n++; n < len(values) {
				return "{" + values[n] + "}"
			}
			return verb
		})
		return d.with(edit{d.start(i - 1), d.end(to), Sum(text)})
	}
	return d.text
}

// endings takes an operator away that has nothing after it.
func endings(d *draft) string {
	last := len(d.List) - 1
	if last < 1 || !d.syntaxError() {
		return d.text
	}
	for _, operator := range []string{"&&", "||", ",", "+", "==", "."} {
		if d.Is(last, operator) {
			return strings.TrimRight(d.text[:d.start(last)], " \t\n")
		}
		if d.Is(0, operator) && operator != "." {
			return strings.TrimLeft(d.text[d.end(0):], " \t\n")
		}
	}
	return d.text
}

// brackets closes what is open at the end, and takes away what closes nothing.
func brackets(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	closing := map[string]string{"(": ")", "[": "]", "{": "}"}
	missing := ""
	for i := range d.List {
		if d.List[i].Kind != source.Symbol || d.Partner[i] >= 0 {
			continue
		}
		switch text := d.List[i].Text; text {
		case ")", "]", "}":
			return d.with(edit{d.start(i), d.end(i), ""})
		case "(", "[", "{":
			missing = closing[text] + missing
		}
	}
	if last := len(d.List) - 1; last >= 0 && d.List[last].Kind == source.String && d.List[last].Open {
		return d.text + "'" + missing
	}
	return strings.TrimRight(d.text, " \t\n") + missing
}

// commas puts a comma between two values in a bracket.
func commas(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		if i+1 >= len(d.List) || !d.ends(i) || !d.isString(i+1) && !d.isNumber(i+1) && !d.IsWord(i+1) || d.Is(i, "in") {
			continue
		}
		for j := i; j >= 0; j-- {
			if p := d.Partner[j]; p >= 0 && p < j {
				j = p
			} else if p > i {
				return d.with(edit{d.end(i), d.end(i), ","})
			}
		}
	}
	return d.text
}
