package expressions

import (
	"slices"
	"strings"
	"unicode"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

var typographicCharacters = strings.NewReplacer(
	"‘", "'", "’", "'", "“", `"`, "”", `"`, "„", `"`, "′", "'", "`", "`",
	"≤", "<=", "≥", ">=", "≠", "!=", "−", "-", "–", "-", "×", "*", "÷", "/", "∧", "&&", "∨", "||", "¬", "!", "\u00a0", " ", "…", "...")

// typographic replaces characters outside the strings of CEL.
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

var braces = lazy.Regexp{Text: `(?s)^\s*\$?\{\{-?\s*(.+?)\s*-?\}\}\s*$|^\s*\$[({]\s*(.+?)\s*[})]\s*$`}

func templateBraces(d *draft) string {
	m := braces.FindStringSubmatch(d.text)
	if m == nil {
		return d.innerBraces()
	}
	return strings.TrimPrefix(m[1]+m[2], ".")
}

// doubleBraces is a name in the braces of a template.
var doubleBraces = lazy.Regexp{Text: `\{\{-?\s*\.?([A-Za-z_][\w.]*)\s*(\|[^{}|]*?)?\s*-?\}\}`}

// innerBraces takes names of CEL out of the braces of templates that are around parts of
// an expression: {{ object.metadata.name }} != 'a'.
func (d *draft) innerBraces() string {
	if !d.syntaxError() {
		return d.text
	}
	return doubleBraces.ReplaceAllStringFunc(d.text, func(text string) string {
		m := doubleBraces.FindStringSubmatch(text)
		name := m[1]
		if root, _, _ := strings.Cut(name, "."); !slices.Contains(filled, root) && !d.declared(root) {
			return text
		}
		return strings.TrimSpace(withoutRequest(name) + " " + m[2])
	})
}

var placeholder = lazy.Regexp{Text: `\$?\{\{?\s*\.?([^{}]+?)\s*\}?\}`}

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
		parts = append(parts, "string("+withoutRequest(text[m[2]:m[3]])+")")
		at = m[1]
	}
	if at < len(text) {
		parts = append(parts, quoted(text[at:]))
	}
	return strings.Join(parts, " + ")
}

// withoutRequest is a name as admission has it: webhooks, and Kyverno, read the object
// from the request.
func withoutRequest(name string) string {
	if below, ok := strings.CutPrefix(name, "request."); ok && (strings.HasPrefix(below, "object.") || strings.HasPrefix(below, "oldObject.")) {
		return below
	}
	return name
}

func quoted(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `\'`) + "'"
}

var slashed = lazy.Regexp{Text: `([(,=~]\s*)/((?:[^/\\\n]|\\.)+)/([gimsu]*)(\s*[),]|\s*$)`}

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
	if flags := strings.NewReplacer("g", "", "u", "").Replace(d.text[m[6]:m[7]]); flags != "" {
		pattern = "(?" + flags + ")" + pattern
	}
	return d.text[:m[3]] + prefix + "'" + pattern + "'" + d.text[m[8]:]
}

// mapFields are fields of the API whose keys are seldom names.
var mapFields = []string{"labels", "annotations", "matchLabels", "nodeSelector"}

// keys writes labels.app.kubernetes.io/name as a key in brackets.
func keys(d *draft) string {
	for open := range d.List {
		closing := d.Partner[open]
		if !d.Is(open, "[") || closing < open+3 || !d.IsWord(open-1) || !slices.Contains(mapFields, d.List[open-1].Text) {
			continue
		}
		plain, special := true, false
		for i := open + 1; i < closing; i++ {
			sign := d.Is(i, ".") || d.Is(i, "/") || d.Is(i, "-")
			plain = plain && (sign || d.IsWord(i) || d.isNumber(i)) && (i+1 == closing || d.touches(i))
			special = special || d.Is(i, "/") || d.Is(i, "-")
		}
		if plain && special {
			return d.with(edit{d.start(open + 1), d.end(closing - 1), "'" + d.slice(open+1, closing-1) + "'"})
		}
	}
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

// dottedKeys puts keys in quotes that are several names: {example.com/team: 'a'}.
func dottedKeys(d *draft) string {
	undeclared := d.undeclared()
	var edits []edit
	for open := range d.List {
		if !d.Is(open, "{") || d.Partner[open] < 0 || d.IsWord(open-1) && !d.Is(open-1, "in") {
			continue
		}
		for _, a := range d.arguments(open) {
			end, wrong := a[0], d.syntaxError()
			for ; end < a[1] && !d.Is(end, ":"); end++ {
				joins := d.Is(end, ".") || d.Is(end, "/") || d.Is(end, "-")
				if !d.IsWord(end) && !d.isNumber(end) && !joins || !d.Is(end+1, ":") && !d.touches(end) {
					break
				}
				wrong = wrong || undeclared[end] != ""
			}
			if wrong && d.Is(end, ":") && end > a[0]+1 && d.IsWord(a[0]) {
				edits = append(edits, edit{d.start(a[0]), d.end(end - 1), "'" + d.slice(a[0], end-1) + "'"})
			}
		}
	}
	return d.with(edits...)
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
		case !literal && d.expression.Scope.Patch && d.placeOf(open) != "": // a literal of a type: see typedItems
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
		case d.expression.Place.Result == eval.ApplyConfiguration && unicode.IsUpper([]rune(name)[0]) && d.messages("undeclared reference to '"+name+"'"):
			if path := d.placeOf(end + 1); path != "" {
				return path, true // Container{...} in a list of them
			}
			return "Object", true // Deployment{...}: all types begin with Object
		}
		return "", false
	})
}

var verb = lazy.Regexp{Text: `%[a-z]`}

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
