package expressions

import (
	"encoding/json"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// patchRules are for the literals of ApplyConfiguration. Their types are the
// paths of the fields that they are in.
var patchRules = []rule{
	{"A type's field needs a colon and a value.", namelessFields},
	{"An item's type has no index: it is the path of the list field.", indexedTypes},
	{"The outermost literal is Object{...}.", outermost},
	{"JSONPatch has the fields op, path, from and value.", patchFieldNames},
	{"The outermost literal is Object{...}.", bareFields},
	{"A JSONPatch's path is a string.", barePaths},
	{"A JSON Patch is a list of JSONPatch{op: ..., path: ..., value: ...}.", patchInText},
	{"A JSON Patch is a list; use an empty list for no change.", patchChoice},
	{"Object{} changes nothing.", emptyChoice},
	{"Write list items and object fields as literals of the type at their place.", typedItems},
}

// typePath is the dotted name that ends with token i and begins with Object, as
// the tokens from..i; empty if there is none.
func (d *draft) typePath(i int) (from int, path string) {
	if !d.IsWord(i) {
		return i, ""
	}
	from = i
	for d.Is(from-1, ".") && d.IsWord(from-2) {
		from -= 2
	}
	if !d.Is(from, "Object") || d.Is(from-1, ".") {
		return from, ""
	}
	return from, d.slice(from, i)
}

// namelessFields names the field of a literal that is written inside another one as if
// it were the field: Object{Object.metadata{...}}.
func namelessFields(d *draft) string {
	if !d.expression.Scope.Patch {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "{") && !d.Is(i, ",") || !d.Is(i+1, "Object") || !d.inBraces(i+1) {
			continue
		}
		end := i + 1
		for d.Is(end+1, ".") && d.IsWord(end+2) {
			end += 2
		}
		if end > i+1 && d.Is(end+1, "{") {
			return d.with(edit{d.start(i + 1), d.start(i + 1), d.List[end].Text + ": "})
		}
	}
	return d.text
}

// indexedTypes takes the index out of the type of an item: Object.spec.containers[0]{...}.
func indexedTypes(d *draft) string {
	if !d.syntaxError() {
		return d.text
	}
	for i := range d.List {
		end := d.Partner[i]
		if !d.Is(i, "[") || end < i || !d.Is(end+1, "{") {
			continue
		}
		if _, path := d.typePath(i - 1); path != "" {
			return d.with(edit{d.start(i), d.end(end), ""})
		}
	}
	return d.text
}

// outermost makes Object{...} of an expression that begins with the literal of a
// field: as the field of it, or instead of it where what is inside belongs to
// Object.
func outermost(d *draft) string {
	if !d.expression.Scope.Patch || d.syntaxError() || d.compiled.Output == nil && len(d.compiled.Issues) == 0 {
		return d.text
	}
	if !d.Is(0, "Object") {
		return d.text
	}
	end := 0
	for d.Is(end+1, ".") && d.IsWord(end+2) {
		end += 2
	}
	last := len(d.List) - 1
	if end == 0 || !d.Is(end+1, "{") || d.Partner[end+1] != last {
		return d.text
	}
	for i := end + 2; i < last; i++ {
		if d.Is(i, "Object") && d.Is(i+1, ".") && d.IsWord(i+2) && d.Is(i+3, "{") && d.Is(i-1, ":") && d.Is(i-2, d.List[i+2].Text) {
			return d.with(edit{d.start(1), d.end(end), ""})
		}
	}
	open, closing := "", ""
	for i, path := 2, "Object"; i <= end; i += 2 {
		open += path + "{" + d.List[i].Text + ": "
		path += "." + d.List[i].Text
		closing += "}"
	}
	return open + strings.TrimRight(d.text, " \t\n") + closing
}

// bareFields makes Object{...} of fields that are written without it: spec: Object.spec{...}.
func bareFields(d *draft) string {
	if d.expression.Place.Result != eval.ApplyConfiguration || !d.syntaxError() || !d.IsWord(0) || !d.Is(1, ":") || d.object == nil || d.object.Field(d.List[0].Text) == nil {
		return d.text
	}
	return "Object{" + strings.TrimRight(d.text, " \t\n") + "}"
}

// barePath is the path of an operation without quotes.
var barePath = lazy.Regexp{Text: `(\b(?:path|from)\s*:\s*)(/[A-Za-z0-9_~./-]+)(\s*[,}])`}

// barePaths puts the paths of operations in quotes.
func barePaths(d *draft) string {
	if d.expression.Place.Result != eval.JSONPatch || !d.syntaxError() {
		return d.text
	}
	return barePath.ReplaceAllString(d.text, "$1'$2'$3")
}

// patchInText writes a patch that is a text of JSON as operations.
func patchInText(d *draft) string {
	content, plain := d.plainText(0)
	if d.expression.Place.Result != eval.JSONPatch || len(d.List) != 1 || !plain {
		return d.text
	}
	var list []any
	if json.Unmarshal([]byte(content), &list) != nil || len(list) == 0 {
		return d.text
	}
	if text := Operations(list); text != "" {
		return text
	}
	return d.text
}

// typedItems writes a map as a literal of its type, where the type is known: in a
// field of a literal, in a list there, and in what a macro collects for it.
func typedItems(d *draft) string {
	if !d.expression.Scope.Patch || d.object == nil {
		return d.text
	}
	undeclared := d.undeclared()
	for i := range d.List {
		if !d.Is(i, "{") || d.Partner[i] < 0 || d.IsWord(i-1) {
			continue
		}
		args := d.arguments(i)
		if len(args) == 0 {
			continue
		}
		wrong := d.messages("expected type")
		var edits []edit
		for _, a := range args {
			at := a[0]
			if !d.Is(at+1, ":") || !d.isString(at) && !d.IsWord(at) {
				wrong, edits = false, nil
				break
			}
			if d.isString(at) {
				edits = append(edits, edit{d.start(at), d.end(at), d.List[at].Literal()})
			}
			wrong = wrong || undeclared[at] != ""
		}
		if !wrong {
			continue
		}
		if path := d.placeOf(i); path != "" {
			return d.with(append([]edit{{d.start(i), d.start(i), path}}, edits...)...)
		}
	}
	return d.text
}

// placeOf is the type of the object that the map at token i stands for, empty if
// it is none, or is not known.
func (d *draft) placeOf(i int) string {
	field := -1
	for j := i - 1; j >= 0; j-- {
		if p := d.Partner[j]; p >= 0 && p < j {
			j = p
			continue
		}
		switch {
		case d.Is(j, ":") && field < 0 && d.IsWord(j-1) && (d.Is(j-2, "{") || d.Is(j-2, ",")):
			field = j - 1
		case d.Is(j, "{"):
			_, path := d.typePath(j - 1)
			if path == "" && field >= 0 {
				path = d.placeOf(j) // a map that stands for an object itself
			}
			if path == "" || field < 0 {
				return ""
			}
			path += "." + d.List[field].Text
			if structAt(d.object, strings.Split(path, ".")[1:]) {
				return path
			}
			return ""
		case d.Is(j, ":"), d.Is(j, "?"):
			if field < 0 && !d.Is(j, "?") {
				return ""
			}
		}
	}
	if i == 0 && d.expression.Place.Result == eval.ApplyConfiguration && d.object != nil {
		return "Object" // the whole is the object
	}
	return ""
}

// structAt reports whether a path leads to objects with known fields, through
// lists.
func structAt(t *catalog.Type, steps []string) bool {
	for _, step := range steps {
		if t == nil || t.Kind != catalog.Struct || t.Field(step) == nil {
			return false
		}
		for t = t.Field(step).Type; t != nil && t.Kind == catalog.List; {
			t = t.Elem
		}
	}
	return t != nil && t.Kind == catalog.Struct
}

// fieldsOfPatch are other names for the fields of a JSONPatch.
var fieldsOfPatch = map[string]string{
	"operation": "op", "type": "op", "action": "op", "Op": "op", "pointer": "path", "Path": "path", "key": "path", "target": "path", "field": "path", "val": "value", "Value": "value", "to": "path",
}

// patchFieldNames names the fields of a JSONPatch.
func patchFieldNames(d *draft) string {
	return d.each(func(i int) (string, bool) {
		name := fieldsOfPatch[d.List[i].Text]
		if name == "" || !d.IsWord(i) || !d.Is(i+1, ":") || !d.Is(i-1, "{") && !d.Is(i-1, ",") {
			return "", false
		}
		open := i - 1
		for open > 0 && (!d.Is(open, "{") || d.Partner[open] >= 0 && d.Partner[open] < i) {
			open--
		}
		return name, d.Is(open-1, "JSONPatch")
	})
}

// patchChoice makes lists of both values of a choice of patches.
func patchChoice(d *draft) string {
	if !d.expression.Scope.Patch || !d.messages("'_?_:_' applied to '(bool, JSONPatch") && !d.messages("'_?_:_' applied to '(bool, list(") {
		return d.text
	}
	question := d.find(0, "?")
	colon := d.find(max(question, 0), ":")
	if question < 0 || colon < 0 || d.expression.Place.Result != eval.JSONPatch {
		return d.text
	}
	var edits []edit
	for _, side := range [][2]int{{question + 1, colon - 1}, {colon + 1, len(d.List) - 1}} {
		switch {
		case side[0] > side[1]:
			return d.text
		case d.Is(side[0], "JSONPatch"):
			edits = append(edits, edit{d.start(side[0]), d.end(side[1]), "[" + d.argument(side) + "]"})
		case d.Is(side[0], "null") || d.Is(side[0], "{") && side[1] == side[0]+1 || d.Is(side[0], "false"):
			edits = append(edits, edit{d.start(side[0]), d.end(side[1]), "[]"})
		}
	}
	return d.with(edits...)
}

// emptyChoice writes Object{} for the side of a choice that changes nothing: {}, null or an empty list
// beside an Object{...}.
func emptyChoice(d *draft) string {
	if d.expression.Place.Result != eval.ApplyConfiguration || !d.messages("'_?_:_' applied to '(bool, ") {
		return d.text
	}
	question := d.find(0, "?")
	colon := d.find(max(question, 0), ":")
	if question < 0 || colon < 0 {
		return d.text
	}
	var edits []edit
	for _, side := range [][2]int{{question + 1, colon - 1}, {colon + 1, len(d.List) - 1}} {
		nothing := side[0] == side[1] && (d.Is(side[0], "null") || d.Is(side[0], "false"))
		empty := side[1] == side[0]+1 && (d.Is(side[0], "{") || d.Is(side[0], "["))
		if nothing || empty {
			edits = append(edits, edit{d.start(side[0]), d.end(side[1]), "Object{}"})
		}
	}
	return d.with(edits...)
}
