package expressions

import (
	"html"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// entity is a character as HTML and JSON write it.
var entity = lazy.Regexp{Text: `&(?:amp|lt|gt|quot|apos|nbsp|#\d+|#x[0-9A-Fa-f]+);`}

var escapedInJSON = strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003C`, "<", `\u003e`, ">", `\u003E`, ">", `\u0027`, "'")

// entities writes characters as themselves that a page or a document of JSON wrote in its
// own way: a &amp;&amp; b.
func entities(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	return escapedInJSON.Replace(entity.ReplaceAllStringFunc(d.text, func(text string) string {
		if text == "&nbsp;" {
			return " "
		}
		return html.UnescapeString(text)
	}))
}

// apostrophes escapes those inside words, which end the text: 'the team's limit'.
func apostrophes(d *draft) string {
	if !d.syntaxError() || balanced(d.text) {
		return d.text
	}
	if text := inWord.ReplaceAllString(d.text, `$1\'$2`); balanced(text) {
		return text
	}
	return d.text
}

var inWord = lazy.Regexp{Text: `(\pL)'(\pL)`}

// otherQuote ends a text with the quote that it begins with, where it ends with the other
// one: 'web".
func otherQuote(d *draft) string {
	for i, t := range d.List {
		if t.Kind != source.String || !t.Open || len(t.Text) < 2 || !strings.ContainsAny(t.Text[:1], `'"`) {
			continue
		}
		other := map[byte]string{'\'': `"`, '"': "'"}[t.Text[0]]
		for at := strings.Index(t.Text, other); at > 0; {
			if text := d.text[:d.start(i)+at] + t.Text[:1] + d.text[d.start(i)+at+1:]; balanced(text) {
				return text
			}
			next := strings.Index(t.Text[at+1:], other)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return d.text
}

// separators writes the signs that other languages have behind the name of a macro as a
// comma: all(c; ...).
func separators(d *draft) string {
	return d.each(func(i int) (string, bool) {
		open := i - 2
		return ",", d.Is(i, ";") && d.Is(open, "(") && d.IsWord(i-1) && slices.Contains(macros, d.List[max(open-1, 0)].Text)
	})
}

// whole takes the braces away that are around a whole expression.
func whole(d *draft) string {
	last := len(d.List) - 1
	if last < 2 || !d.syntaxError() || !d.Is(0, "{") || d.Partner[0] != last || d.Is(1, "{") || d.isString(1) && d.Is(2, ":") || d.IsWord(1) && d.Is(2, ":") {
		return d.text
	}
	return strings.TrimSpace(d.text[d.end(0):d.start(last)])
}

// wholeArrow takes the names of a function away of which an expression is the body:
// (object) => object.spec.replicas < 5.
func wholeArrow(d *draft) string {
	for i := range d.List {
		if !d.Is(i, "=") || !d.Is(i+1, ">") || !d.touches(i) || d.enclosing(i) >= 0 {
			continue
		}
		if d.Is(i-1, ")") && d.Partner[i-1] == 0 || i == 1 && d.IsWord(0) {
			return strings.TrimSpace(d.text[d.end(i+1):])
		}
	}
	return d.text
}

// pairs writes the sign between key and value that other languages have as a colon, and the
// brackets around such pairs as braces: {'team' => 'a'}, ['team': 'a'].
func pairs(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		switch {
		case d.Is(i, "=") && d.Is(i+1, ">") && d.touches(i) && d.isString(i-1) && d.inBraces(i):
			return d.with(edit{d.end(i - 1), d.end(i + 1), ":"})
		case d.Is(i, ":") && d.Is(i+1, ":") && d.touches(i) && d.inBraces(i):
			return d.with(edit{d.start(i + 1), d.end(i + 1), ""})
		case d.Is(i, "[") && d.isString(i+1) && d.Is(i+2, ":") && d.Partner[i] > i && !d.ends(i-1):
			return d.with(edit{d.start(i), d.end(i), "{"}, edit{d.start(d.Partner[i]), d.end(d.Partner[i]), "}"})
		}
	}
	return d.text
}

// paths joins the steps of a path with points: object/spec/replicas, and object,spec.
func paths(d *draft) string {
	undeclared := d.undeclared()
	var edits []edit
	joined := false
	for i := range d.List {
		sign := d.Is(i, "/") || d.Is(i, ",") && d.enclosing(i) < 0 && d.syntaxError()
		if !sign || !d.IsWord(i-1) || !d.IsWord(i+1) || !d.touches(i-1) || !d.touches(i) {
			joined = joined && (d.Is(i, ".") || d.IsWord(i))
			continue
		}
		if d.Is(i, "/") && undeclared[i+1] == "" || !joined && !slices.Contains(rootNames, d.List[i-1].Text) {
			continue
		}
		joined = true
		edits = append(edits, edit{d.start(i), d.end(i), "."})
	}
	return d.with(edits...)
}

// rootNames are the names that paths of admission and of custom resources begin with.
var rootNames = []string{"object", "oldObject", "request", "params", "variables", "namespaceObject", "self", "oldSelf"}

// calledLiterals writes a literal of a type that is written like a call: JSONPatch(op: 'add').
func calledLiterals(d *draft) string {
	if !d.expression.Scope.Patch || !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		open, _, ok := d.call(i)
		if !ok || !d.IsWord(open+1) || !d.Is(open+2, ":") {
			continue
		}
		if _, path := d.typePath(i); path != "" || d.Is(i, "JSONPatch") {
			return d.with(edit{d.start(open), d.end(open), "{"}, edit{d.start(d.Partner[open]), d.end(d.Partner[open]), "}"})
		}
	}
	return d.text
}

// mapLiterals takes the type off a literal of a map, which has none:
// Object.metadata.labels{'team': 'a'}.
func mapLiterals(d *draft) string {
	if !d.expression.Scope.Patch {
		return d.text
	}
	for open := range d.List {
		if !d.Is(open, "{") || !d.IsWord(open-1) {
			continue
		}
		from, path := d.typePath(open - 1)
		steps := strings.Split(path, ".")
		if len(steps) < 2 {
			continue
		}
		t := typeAt(d.object, strings.Join(steps[1:], "."))
		if t != nil && t.Kind == catalog.Map || t == nil && slices.Contains(mapFields, steps[len(steps)-1]) {
			return d.with(edit{d.start(from), d.start(open), ""})
		}
	}
	return d.text
}

// indexedFields sets an entry of a map as the map that has it: labels['team']: 'a'.
func indexedFields(d *draft) string {
	if !d.expression.Scope.Patch || !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		if !d.IsWord(i) || !d.Is(i+1, "[") || !d.isString(i+2) || d.Partner[i+1] != i+3 || !d.Is(i+4, ":") || !d.begins(i+5) || !d.inBraces(i) {
			continue
		}
		end := d.chainEnd(i + 5)
		return d.with(edit{d.start(i + 1), d.end(i + 4), ": {" + d.List[i+2].Text + ":"}, edit{d.end(end), d.end(end), "}"})
	}
	return d.text
}
