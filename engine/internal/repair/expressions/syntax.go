package expressions

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// syntaxRules are habits of other languages that CEL cannot read, or that it
// reads as names.
var syntaxRules = []rule{
	{"Write characters without escapes.", entities},
	{"CEL uses plain quotes and operators.", typographic},
	{"Put one dot between two names.", twoPoints},
	{"Escape a quote in a string with a backslash.", apostrophes},
	{"End a string with the same quote that begins it.", otherQuote},
	{"End a string with the same quote that begins it.", unclosed},
	{"Separate the steps of a path with dots.", paths},
	{"A map is {'key': 'value'}.", pairs},
	{"Write an expression without braces around it.", whole},
	{"Write only the expression, without return.", wholeArrow},
	{"A macro needs a name and an expression: list.all(c, ...).", separators},
	{"Put a literal's fields in braces.", calledLiterals},
	{"A map literal has no type name.", mapLiterals},
	{"Put map entries inside the braces.", indexedFields},
	{"Write an expression without template braces.", templateBraces},
	{"CEL comments begin with // and end with the line.", comments},
	{"// begins a comment: / divides integers without a remainder.", floorDivision},
	{"Write one expression, without a semicolon.", statement},
	{"Join strings with +.", templateText},
	{"A regular expression is a string.", regexLiteral},
	{"Read labels and annotations with ['...'] if their keys are not identifiers.", keys},
	{"CEL has && for and, || for or, ! for not.", tripled},
	{"Write names without a sign before them.", dollars},
	{"The remainder operator is %.", modulo},
	{"CEL has && for and, || for or, ! for not.", words},
	{"CEL has null, true and false.", constants},
	{"Equality is == and !=.", operators},
	{"Join two conditions with one operator.", joinedTwice},
	{"Each comparison needs both operands.", unnamedOperand},
	{"A macro needs a name and an expression: list.all(c, ...).", lambdas},
	{"A macro needs a name and an expression: list.all(c, ...).", arrows},
	{"A macro needs a name and an expression: list.all(c, ...).", generators},
	{"Write a conditional as condition ? a : b.", doubledQuestion},
	{"CEL has .? for a field that may be absent.", questionMarks},
	{"Write a conditional as condition ? a : b.", calledChoice},
	{"Write a conditional as condition ? a : b.", choice},
	{"Test the items of a list with all() or exists().", wildcard},
	{"A field that is set only sometimes is optional: {?field: condition ? optional.of(value) : optional.none()}.", fieldChoice},
	{"Quote map keys, but not field names.", dottedKeys},
	{"Quote map keys, but not field names.", quotes},
	{"Begin a literal with the name of its type.", typeNames},
	{"A type's field needs a colon and a value.", fieldValues},
	{"Join comparisons with &&.", chain},
	{"% does not put values into a string; + does.", percent},
	{"Something at the end is missing or extra.", endings},
	{"Brackets come in pairs.", brackets},
	{"Separate items with commas.", commas},
	{"Join conditions with &&.", listedTests},
	{"Read a list item as list[0].", numberedItem},
}

func comments(d *draft) string {
	for i := range d.List {
		switch {
		case d.Is(i, "#") && strings.Contains(d.text, "\n") && !d.Is(i-1, "{") && !d.Is(i-1, "[") && !d.Is(i-1, "("):
			return d.with(edit{d.start(i), d.end(i), "//"})
		case d.Is(i, "#"):
			return d.uncommented(d.start(i))
		case d.Is(i, "-") && d.Is(i+1, "-") && d.touches(i) && d.syntaxError() && (i == 0 || !d.touches(i-1)):
			return d.uncommented(d.start(i))
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

// divided is a division of Python in an expression of one line, with what its result is compared with.
var divided = lazy.Regexp{Text: `^([^\n]*[\w)\]]\s*)//(\s*[0-9]+\s*[<>=!][^\n]*)$`}

// floorDivision writes x // 2 == 1 with one slash, where no condition is before the comment.
func floorDivision(d *draft) string {
	m := divided.FindStringSubmatch(strings.TrimSpace(d.text))
	if m == nil || d.expression.Place.Result != eval.Validation && d.expression.Place.Result != eval.Condition || d.syntaxError() {
		return d.text
	}
	return m[1] + "/" + m[2]
}

// uncommented takes a comment away, but not the brackets at its end that close
// what is open before it: {# the usual resources}.
func (d *draft) uncommented(start int) string {
	end := len(d.text)
	if i := strings.IndexByte(d.text[start:], '\n'); i >= 0 {
		end = start + i
	}
	comment, before := strings.TrimRight(d.text[start:end], " \t\n"), strings.TrimRight(d.text[:start], " \t")
	if end == len(d.text) {
		before = strings.TrimRight(before, "\n")
	}
	kept := comment[len(strings.TrimRight(comment, ")]}, ")):]
	if before == "" || !strings.HasSuffix(before, "{") && !strings.HasSuffix(before, "[") && !strings.HasSuffix(before, "(") {
		kept = ""
	}
	return before + strings.TrimSpace(kept) + d.text[end:]
}

// statement takes away what makes a statement of an expression: return, a
// semicolon, and names that are given once.
func statement(d *draft) string {
	last := len(d.List) - 1
	switch {
	case d.Is(last, ";"):
		return strings.TrimRight(d.text[:d.start(last)], " \t\n")
	case d.Is(0, "return"), d.Is(0, "assert") && d.begins(1):
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

var joined = map[string]string{"and": "&&", "AND": "&&", "And": "&&", "or": "||", "OR": "||", "Or": "||", "&": "&&", "|": "||"}

func words(d *draft) string {
	var edits []edit
	for i := range d.List {
		t := d.List[i]
		operator, ok := joined[t.Text]
		switch {
		case ok && t.Kind != source.String && d.ends(i-1) && d.begins(i+1) && !d.Is(i-1, "."):
			edits = append(edits, edit{d.start(i), d.end(i), operator})
		case (t.Text == "not" || t.Text == "NOT" || t.Text == "!") && t.Kind != source.String && (d.Is(i+1, "in") || d.Is(i+1, "IN")) && d.ends(i-1):
			from := d.chainStart(i - 1)
			to := d.chainEnd(min(i+2, len(d.List)-1))
			return d.with(edit{d.start(from), d.start(from), "!("}, edit{d.start(i), d.start(i + 1), ""}, edit{d.start(i + 1), d.end(i + 1), "in"}, edit{d.end(to), d.end(to), ")"})
		case (t.Text == "not" || t.Text == "NOT") && t.Kind == source.Word && !d.ends(i-1) && d.begins(i+1):
			return d.negated(i)
		case (t.Text == "is" || t.Text == "IS") && t.Kind == source.Word && d.IsWord(i-1) && d.Is(i-2, ".") && d.null(i+1) > 0:
			// What is absent is not null, and reading it fails.
			from, not := d.chainStart(i-1), "!"
			if d.Is(i+1, "not") || d.Is(i+1, "NOT") {
				not = ""
			}
			return d.with(edit{d.start(from), d.end(d.null(i + 1)), not + "has(" + d.slice(from, i-1) + ")"})
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

// null is the token of a null, or of what other languages have for it, that is at a token or
// behind the `not` there; 0 for none.
func (d *draft) null(i int) int {
	if d.Is(i, "not") || d.Is(i, "NOT") {
		i++
	}
	if i < len(d.List) && slices.Contains([]string{"null", "NULL", "None", "nil", "undefined"}, d.List[i].Text) {
		return i
	}
	return 0
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
		case d.Is(i, "=") && (d.Is(i+1, "<") || d.Is(i+1, "<=")) && d.touches(i):
			edits = append(edits, edit{d.start(i), d.end(i + 1), "<="})
		case d.Is(i, "!") && d.Is(i+1, "~") && d.touches(i) && d.isString(i+2) && d.ends(i-1):
			from := d.chainStart(i - 1)
			return d.with(edit{d.start(from), d.start(from), "!"}, edit{d.end(i - 1), d.end(i + 2), ".matches(" + d.List[i+2].Text + ")"})
		case d.Is(i, "=") && d.Is(i+1, "~") && d.touches(i) && d.isString(i+2):
			edits = append(edits, edit{d.end(i - 1), d.end(i + 2), ".matches(" + d.List[i+2].Text + ")"})
		case d.Is(i, "=") && d.Is(i+1, ">") && d.touches(i) && d.isNumber(i+2) && d.ends(i-1):
			edits = append(edits, edit{d.start(i), d.end(i + 1), ">="})
		case d.Is(i, "~") && d.isString(i+1) && d.ends(i-1):
			edits = append(edits, edit{d.end(i - 1), d.end(i + 1), ".matches(" + d.List[i+1].Text + ")"})
		case d.Is(i, "=") && d.Is(i+1, ">"), d.Is(i, "=") && (d.Is(i-1, "==") || d.Is(i-1, "!=")):
		case d.Is(i, ":") && d.Is(i+1, "=") && d.touches(i):
			edits = append(edits, edit{d.start(i + 1), d.end(i + 1), ""})
		case d.Is(i, "=") && d.Is(i-1, ":") && d.touches(i-1): // was taken away
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
func (d *draft) inBraces(i int) bool { return d.Is(d.enclosing(i), "{") }

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
		case slices.Contains([]string{"sum", "min", "max"}, d.token(open-1)):
			return d.with(edit{d.start(open - 1), d.end(end), list + ".map(" + name + ", " + body + ")." + d.token(open-1) + "()"})
		case !d.Is(open, "["):
			return d.text
		case d.Is(open-1, "(") && d.Partner[open-1] == end+1 && (d.Is(open-2, "any") || d.Is(open-2, "all")):
			macro = map[string]string{"any": "exists", "all": "all"}[d.token(open-2)]
			open, end = open-2, end+1
		}
		if macro == "map" && body == name {
			return d.with(edit{d.start(open), d.end(end), list})
		}
		return d.with(edit{d.start(open), d.end(end), list + "." + macro + "(" + name + ", " + body + ")"})
	}
	return d.text
}

// find is the first of some words or symbols from a token on that is in no
// bracket, -1 if there is none.
func (d *draft) find(from int, texts ...string) int {
	for i := from; i < len(d.List); i++ {
		for _, text := range texts {
			if d.Is(i, text) {
				return i
			}
		}
		if p := d.Partner[i]; p > i {
			i = p
		}
	}
	return -1
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
