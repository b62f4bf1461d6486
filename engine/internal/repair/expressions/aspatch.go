package expressions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// always are the parts of objects that are there in every object that has them at
// all, so that an operation of a JSON Patch can add to them.
var always = []string{"", "/spec", "/metadata", "/spec/template", "/spec/template/spec", "/spec/template/metadata", "/spec/jobTemplate",
	"/spec/jobTemplate/spec", "/spec/jobTemplate/spec/template", "/spec/jobTemplate/spec/template/spec",
	"/spec/containers", "/spec/template/spec/containers", "/spec/jobTemplate/spec/template/spec/containers"}

// AsPatch is the expression of an ApplyConfiguration as a JSON Patch that has the same
// effect: fields are set, null, optional.none() and empty maps and lists remove one, items of keyed lists are changed where
// they are and appended where not, and what must be there first is made. It is empty
// where that is not plain: for optional fields, for lists in the items of lists, and for
// what is no literal and would be merged. object is the type of the object, and conditions are the
// match conditions of the policy: an item that one of them excludes is only added.
func AsPatch(expression string, object *catalog.Type, conditions []string) string {
	return asPatch(expression, object, conditions, false)
}

// AsAddingPatch is AsPatch that adds the items of atomic lists to those that there are, which
// is what people expect of an ApplyConfiguration. It is the same where there is no such list.
func AsAddingPatch(expression string, object *catalog.Type, conditions []string) string {
	return asPatch(expression, object, conditions, true)
}

func asPatch(expression string, object *catalog.Type, conditions []string, adding bool) string {
	expression, _ = withoutComments(expression)
	d := &draft{Tokens: source.NewTokens(expression), text: expression}
	w := &patchWriter{draft: d, adding: adding, conditions: conditions}
	question := d.outside("?", 0)
	if question < 0 {
		return w.literal(0, len(d.List)-1, object)
	}
	colon := d.outside(":", question+1)
	if colon < 0 {
		return ""
	}
	yes := w.literal(question+1, colon-1, object)
	no := (&patchWriter{draft: d, adding: adding, conditions: conditions}).literal(colon+1, len(d.List)-1, object)
	if yes == "" || no == "" {
		return ""
	}
	return fmt.Sprintf("%s ? %s : %s", d.slice(0, question-1), yes, no)
}

// withoutComments is an expression without its comments, behind which nothing may follow on
// their lines, and the comments.
func withoutComments(expression string) (text string, comments []string) {
	var b strings.Builder
	at := 0
	for _, t := range source.Lex(expression) {
		if t.Kind == source.Comment {
			b.WriteString(expression[at:t.Bytes])
			at = t.EndBytes()
			comments = append(comments, strings.TrimSpace(expression[t.Bytes:at]))
		}
	}
	return b.String() + expression[at:], comments
}

// Comments are the comments of an expression, each with its slashes.
func Comments(expression string) []string {
	_, comments := withoutComments(expression)
	return comments
}

// outside is the first such token from i on that is in no bracket.
func (d *draft) outside(text string, i int) int {
	for ; i < len(d.List); i++ {
		if p := d.Partner[i]; p > i {
			i = p
		} else if d.Is(i, text) {
			return i
		}
	}
	return -1
}

// patchWriter collects the operations of a patch.
type patchWriter struct {
	*draft
	adding bool // adds to atomic lists
	// conditions are those under which the patch is made.
	conditions []string
	// terms are lists of operations that are joined; plain are operations that are
	// always made, and not in a term yet.
	terms, plain []string
}

// patchPlace is a place in the object that an ApplyConfiguration sets.
type patchPlace struct {
	typ *catalog.Type // nil where it is not known
	// pointer is the JSON Pointer from the object, or from the item of the loop.
	pointer string
	access  string // the expression that reads it
	loop    *patchLoop
	// may are the places above it that need not be there.
	may []string
}

// has is the question whether a place is there.
func (at patchPlace) has() string {
	var all []string
	for _, above := range append(slices.Clone(at.may), at.access) {
		all = append(all, "has("+above+")")
	}
	return strings.Join(all, " && ")
}

// patchLoop is a loop over the items of a list.
type patchLoop struct{ over, item, condition, pointer string }

// literal is the patch for the tokens of an Object{...}; empty where it is none.
func (w *patchWriter) literal(from, to int, object *catalog.Type) string {
	for w.Is(from, "(") && w.Partner[from] == to {
		from, to = from+1, to-1
	}
	if !w.Is(from, "Object") || !w.Is(from+1, "{") || w.Partner[from+1] != to {
		return ""
	}
	if !w.fields(from+1, patchPlace{typ: object, access: "object"}, "") {
		return ""
	}
	if w.flush(); len(w.terms) == 0 {
		return "[]"
	}
	return strings.Join(w.terms, " + ")
}

func (w *patchWriter) flush() {
	if len(w.plain) > 0 {
		w.terms, w.plain = append(w.terms, "["+strings.Join(w.plain, ", ")+"]"), nil
	}
}

// emit adds an operation, such as "add" and a value, that is made where a condition
// holds; without one always.
func (w *patchWriter) emit(at patchPlace, op, value, condition string) {
	path := "'" + at.pointer + "'"
	if at.loop != nil {
		path = "'" + at.loop.pointer + "/' + string(i) + '" + at.pointer + "'"
	}
	operation := fmt.Sprintf("JSONPatch{op: '%s', path: %s}", op, path)
	if value != "" {
		operation = fmt.Sprintf("JSONPatch{op: '%s', path: %s, value: %s}", op, path, value)
	}
	switch {
	case at.loop != nil:
		w.flush()
		var conditions []string
		for _, c := range []string{at.loop.condition, condition} {
			if c != "" {
				conditions = append(conditions, c)
			}
		}
		filter := strings.Join(conditions, " && ")
		if filter != "" {
			filter += ", "
		}
		w.terms = append(w.terms, fmt.Sprintf("%s.transformList(i, %s, %s%s)", at.loop.over, at.loop.item, filter, operation))
	case condition != "":
		w.flush()
		w.terms = append(w.terms, fmt.Sprintf("(%s ? [%s] : [])", condition, operation))
	default:
		w.plain = append(w.plain, operation)
	}
}

// child is a field of a place.
func (at patchPlace) child(name string) patchPlace {
	at.pointer += "/" + name
	at.access += "." + name
	if at.typ != nil && at.typ.Kind == catalog.Struct {
		if f := at.typ.Field(name); f != nil {
			at.typ = f.Type
			return at
		}
	}
	at.typ = nil
	return at
}

// there sees to it that a place is there before something is added to it.
func (w *patchWriter) there(at *patchPlace, empty string) {
	if at.loop == nil && slices.Contains(always, at.pointer) {
		return
	}
	missing := "!" + at.has()
	if len(at.may) > 0 {
		missing = "!(" + at.has() + ")"
	}
	w.emit(*at, "add", empty, missing)
	at.may = append(slices.Clone(at.may), at.access)
}

// fields writes the operations for the fields of the literal with the brace at a
// token, the one that is its key aside.
func (w *patchWriter) fields(open int, at patchPlace, key string) bool {
	for _, a := range w.arguments(open) {
		name := a[0]
		if w.Is(name, "?") && w.IsWord(name+1) && w.isNone([2]int{name + 3, a[1]}) {
			name++
		}
		if !w.IsWord(name) || !w.Is(name+1, ":") || name+2 > a[1] {
			return false
		}
		field := w.List[name].Text
		if field == key {
			continue
		}
		var f *catalog.Field
		if at.typ != nil && at.typ.Kind == catalog.Struct {
			if f = at.typ.Field(field); f == nil {
				return false
			}
		}
		if !w.value([2]int{name + 2, a[1]}, at.child(field), f) {
			return false
		}
	}
	return true
}

// value writes the operations for the value of a field, which is nil where it is not
// known.
func (w *patchWriter) value(a [2]int, at patchPlace, f *catalog.Field) bool {
	set := func() bool {
		w.emit(at, "add", w.argument(a), "")
		return true
	}
	brace := w.objectLiteral(a)
	switch {
	case w.isNone(a), w.Is(a[0], "null") && a[0] == a[1]:
		w.emit(at, "remove", "", at.has())
		return true
	case f == nil:
		// What would be merged into is not known to be a value as a whole.
		return brace < 0 && !w.Is(a[0], "{") && !w.Is(a[0], "[") && set()
	case w.adding && check.IsAtomic(f) && f.Type.Kind == catalog.List && at.loop == nil && !slices.Contains(wholeLists, f.Name) && w.Is(a[0], "[") && w.Partner[a[0]] == a[1]:
		return w.added(a[0], at)
	case check.IsAtomic(f) && f.Type.Kind == catalog.Map && brace > 0:
		return w.entries(brace, at) // the other entries stay, as people expect
	case check.IsAtomic(f) && (f.Type.Kind != catalog.Map || !w.Is(a[0], "{") || w.Partner[a[0]] != a[1] || a[0]+1 == a[1]):
		return set()
	case brace > 0:
		w.there(&at, "{}")
		return w.fields(brace, at, "")
	case f.OmitEmpty && a[0]+1 == a[1] && (w.Is(a[0], "{") || w.Is(a[0], "[")):
		w.emit(at, "remove", "", at.has()) // the server treats an empty value as none
		return true
	case f.Type.Kind == catalog.Map && w.entryRemovals(a, at):
		return true
	case f.Type.Kind == catalog.Map && w.Is(a[0], "{") && w.Partner[a[0]] == a[1]:
		return w.entries(a[0], at)
	case f.Type.Kind == catalog.List && w.removals(a, at):
		return true
	case f.Type.Kind == catalog.List && len(f.ListMapKeys) == 1 && at.loop == nil:
		at.typ = f.Type.Elem
		return w.items(a, at, f.ListMapKeys[0])
	case f.Type.Kind == catalog.List, f.Type.Kind == catalog.Map, f.Type.Kind == catalog.Struct:
		return false
	}
	return set()
}

// objectLiteral is the brace of a literal such as Object.spec{...}, -1 for anything
// else.
func (w *patchWriter) objectLiteral(a [2]int) int {
	i := a[0]
	if !w.Is(i, "Object") {
		return -1
	}
	for w.Is(i+1, ".") && w.IsWord(i+2) {
		i += 2
	}
	if w.Is(i+1, "{") && w.Partner[i+1] == a[1] {
		return i + 1
	}
	return -1
}

// entries writes an operation for each entry of a map, whose literal has the brace at a token.
func (w *patchWriter) entries(open int, at patchPlace) bool {
	made := false
	for _, a := range w.arguments(open) {
		if w.Is(a[0], "?") && w.isNone([2]int{a[0] + 3, a[1]}) {
			a[0]++
		}
		key, plain := w.plainText(a[0])
		if w.IsWord(a[0]) && !w.Is(open-1, ":") { // of a literal with a type's name
			key, plain = w.token(a[0]), true
		}
		if !plain || !w.Is(a[0]+1, ":") || a[0]+2 > a[1] {
			return false
		}
		entry := at
		entry.pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		if value := [2]int{a[0] + 2, a[1]}; w.isNone(value) || w.Is(value[0], "null") && value[0] == value[1] {
			w.emit(entry, "remove", "", fmt.Sprintf("%s && '%s' in %s", at.has(), key, at.access))
			continue
		}
		if !made {
			before := at
			w.there(&before, "{}")
			made = true
		}
		w.emit(entry, "add", w.slice(a[0]+2, a[1]), "")
	}
	return true
}

// items writes the operations for the items of a list that have a key: of a literal,
// or of what a macro makes of the items that there are.
func (w *patchWriter) items(a [2]int, at patchPlace, key string) bool {
	if w.Is(a[0], "[") && w.Partner[a[0]] == a[1] {
		return w.literalItems(a[0], at, key, false)
	}
	if open, first := w.besideItems(a, at.access); open >= 0 {
		return w.literalItems(open, at, key, first)
	}
	loop := patchLoop{over: at.access, pointer: at.pointer}
	i := w.chainOf(a[0], at.access)
	if w.Is(i, ".") && w.Is(i+1, "filter") && w.Is(i+2, "(") {
		args := w.arguments(i + 2)
		if len(args) != 2 {
			return false
		}
		loop.item, loop.condition = w.argument(args[0]), w.operand(args[1])
		i = w.Partner[i+2] + 1
	}
	if !w.Is(i, ".") || !w.Is(i+1, "map") || !w.Is(i+2, "(") || w.Partner[i+2] != a[1] {
		return false
	}
	args := w.arguments(i + 2)
	if len(args) < 2 || loop.item != "" && loop.item != w.argument(args[0]) {
		return false
	}
	loop.item = w.argument(args[0])
	if len(args) == 3 {
		loop.condition = strings.TrimPrefix(loop.condition+" && ", " && ") + w.operand(args[1])
	}
	brace := w.objectLiteral(args[len(args)-1])
	if brace < 0 {
		return false
	}
	return w.fields(brace, patchPlace{typ: at.typ, access: loop.item, loop: &loop}, key)
}

// chainOf is the token after the name of a field, such as object.spec.containers, that
// begins at a token; -1 where another one is there.
func (w *patchWriter) chainOf(i int, name string) int {
	for n, step := range strings.Split(name, ".") {
		if n > 0 {
			if !w.Is(i, ".") {
				return -1
			}
			i++
		}
		if !w.Is(i, step) {
			return -1
		}
		i++
	}
	return i
}

// listAt makes sure that there is a list, and returns it as it is before: empty where it is absent.
func (w *patchWriter) listAt(at *patchPlace) string {
	w.there(at, "[]")
	n := len(at.may)
	if n == 0 {
		return at.access
	}
	listed := *at
	listed.may = at.may[:n-1]
	return fmt.Sprintf("(%s ? %s : [])", listed.has(), at.access)
}

// literalItems changes the items that there are, and adds the others: before them or behind them.
func (w *patchWriter) literalItems(open int, at patchPlace, key string, first bool) bool {
	over := w.listAt(&at)
	items, place := slices.Clone(w.arguments(open)), "/-"
	if first {
		place = "/0"
		slices.Reverse(items)
	}
	for _, a := range items {
		brace := w.objectLiteral(a)
		if brace < 0 {
			return false
		}
		value := ""
		for _, field := range w.arguments(brace) {
			if w.Is(field[0], key) && w.Is(field[0]+1, ":") && field[0]+2 <= field[1] {
				value = w.operand([2]int{field[0] + 2, field[1]})
			}
		}
		if value == "" {
			return false
		}
		end := at
		end.pointer += place
		if w.excluded(at.access, key, value) {
			w.emit(end, "add", w.argument(a), "")
			continue
		}
		same := "e." + key + " == " + value
		if !w.fields(brace, patchPlace{typ: at.typ, access: "e", loop: &patchLoop{over, "e", same, at.pointer}}, key) {
			return false
		}
		w.emit(end, "add", w.argument(a), "!"+over+".exists(e, "+same+")")
	}
	return true
}
