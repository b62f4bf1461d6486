package typecheck

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// itemAsList finds an operation that sets a list to one item of it, which the server cannot decode:
// the item is added behind the others, or, where there are none, is to be the only one.
func (a *analysis) itemAsList(op, path, value ast.Expr) {
	list := a.pointed(path)
	if list == nil || list.Kind != catalog.List || value.Kind() != ast.StructKind && value.Kind() != ast.MapKind || op == nil || op.Kind() != ast.LiteralKind {
		return
	}
	start, end := a.place(path.ID())
	written := a.source.Slice(start, end)
	from, _, to, whole := a.braces(value)
	if value.Kind() == ast.MapKind {
		whole = false
	}
	f := finding{code: codes.LiteralWrongType, start: start, end: end, summary: "the field is a list, not one of its items",
		detail: "The mutation fails at run time: the server cannot read the patched object. A path that ends with /- appends an item."}
	if name, _ := op.AsLiteral().Value().(string); name == "add" && len(written) > 2 {
		f.repaired = a.replaced(start, end, written[:len(written)-1]+"/-"+written[len(written)-1:])
	}
	if whole {
		f.or = a.replaced(from, to, "["+a.source.Slice(from, to)+"]")
	}
	if f.repaired == "" || f.or != "" && absentHere(a.expression.Text, start, path) {
		f.repaired, f.or = f.or, ""
	}
	a.add(f)
}

// absentHere reports whether a path is written where its field is absent: after the colon of
// has(object.spec.tolerations) ? ... : ...
func absentHere(text string, start int, path ast.Expr) bool {
	pointer, _ := path.AsLiteral().Value().(string)
	tokens := source.NewTokens(text)
	test := "has(object" + strings.ReplaceAll(pointer, "/", ".") + ")"
	question := -1
	for i := range tokens.List {
		before := strings.TrimRight(string([]rune(text)[:tokens.List[i].Start]), " \t\n)")
		switch {
		case tokens.List[i].Start >= start:
			return false
		case tokens.Is(i, "?") && strings.HasSuffix(before+")", test):
			question = i
		case question >= 0 && tokens.Is(i, ":") && enclosing(tokens, i) == enclosing(tokens, question):
			return true
		}
	}
	return false
}

// enclosing is the bracket around a token, -1 for none.
func enclosing(tokens *source.Tokens, i int) int {
	for j := i - 1; j >= 0; j-- {
		if tokens.Partner[j] > i {
			return j
		}
	}
	return -1
}

// consequence says what happens to an operation whose path leads to a field that does not exist. The
// patch of a test that is false is not applied, which is no error (jsonpatch.ErrTestFailed in
// apiserver/pkg/admission/plugin/policy/mutating/patch/json_patch.go).
func consequence(operation map[string]ast.Expr, parentExists bool) string {
	op, value := operation["op"], operation["value"]
	if parentExists && op != nil && op.Kind() == ast.LiteralKind && op.AsLiteral() == types.String("test") &&
		value != nil && (value.Kind() != ast.LiteralKind || value.AsLiteral() != types.NullValue) {
		return "The test never succeeds, so the server never applies this patch."
	}
	return "The mutation fails at run time."
}

// unknownPointer finds a path to a field that there is not: misspelled, or with other steps before it.
func (a *analysis) unknownPointer(operation map[string]ast.Expr) {
	path := operation["path"]
	if path == nil || path.Kind() != ast.LiteralKind || a.view.Object == nil {
		return
	}
	written, _ := path.AsLiteral().Value().(string)
	pointer := written
	if strings.HasPrefix(written, "/") { // without, the patch says so when it runs
		pointer = fieldpath.AsPointer(written)
	}
	steps := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	wrong := 0
	for wrong < len(steps) && a.view.Object.At(steps[:wrong+1]...) != nil {
		wrong++
	}
	around := a.view.Object.At(steps[:min(wrong, len(steps))]...)
	start, end := a.place(path.ID())
	if wrong == len(steps) && pointer != written {
		a.add(finding{code: codes.PatchOperation, start: start, end: end, summary: fmt.Sprintf("%q is not a JSON pointer: an item is a separate step", written),
			detail: "The mutation fails at run time.", replacement: a.requote(start, end, pointer)})
	}
	if wrong == len(steps) || around == nil || around.Kind != catalog.Struct || around.Open || strings.ContainsAny(steps[wrong], "[.") {
		return
	}
	f := finding{code: codes.PatchOperation, start: start, end: end, summary: "there is no field " + steps[wrong] + " at /" + strings.Join(steps[:wrong], "/"),
		detail: consequence(operation, wrong == len(steps)-1)}
	var candidates []string
	if best, ok := suggest.Of(around.FieldNames(), steps[wrong]); ok {
		candidates = append(candidates, strings.Replace(pointer, "/"+steps[wrong], "/"+best, 1))
	}
	for rest, more := strings.TrimPrefix(pointer, "/"), true; more; {
		candidates = append(candidates, "/"+rest, "/spec/"+rest, "/metadata/"+rest, "/spec/template/spec/"+rest)
		var step string
		step, rest, more = strings.Cut(rest, "/")
		more = more && (step == steps[wrong] || strings.Contains("object spec template jobTemplate metadata", step))
	}
	for _, candidate := range candidates {
		if f.replacement == "" && a.view.Object.At(strings.Split(candidate[1:], "/")...) != nil {
			f.replacement = a.requote(start, end, candidate)
		}
	}
	a.add(f)
}

// listAsItem finds an operation that adds a list of one item where it names the place of an item.
func (a *analysis) listAsItem(path, value ast.Expr) {
	item := a.pointed(path)
	if item == nil || item.Kind == catalog.List || item.Kind == catalog.Any || value.Kind() != ast.ListKind || len(value.AsList().Elements()) != 1 {
		return
	}
	if pointer, _ := path.AsLiteral().Value().(string); !strings.HasSuffix(pointer, "/-") {
		return
	}
	start, _ := a.place(value.ID())
	tokens := source.NewTokens(a.expression.Text)
	open := tokens.Starting(start)
	if !tokens.Is(open, "[") || tokens.Partner[open] < 0 {
		return
	}
	end := tokens.List[tokens.Partner[open]].End
	a.add(finding{code: codes.LiteralWrongType, start: start, end: end, summary: "the path adds one item, not a list of them",
		detail: "The mutation fails at run time: the server cannot read the patched object.", replacement: strings.TrimSpace(a.source.Slice(start+1, end-1))})
}

// sourceAsValue finds an operation that takes a value from elsewhere and names the place as its
// value: copy and move have from.
func (a *analysis) sourceAsValue(fields map[string]ast.Expr) bool {
	op, value := fields["op"], fields["value"]
	if op == nil || value == nil || fields["from"] != nil || op.Kind() != ast.LiteralKind || value.Kind() != ast.LiteralKind {
		return false
	}
	name, _ := op.AsLiteral().Value().(string)
	pointer, _ := value.AsLiteral().Value().(string)
	if name != "copy" && name != "move" || !strings.HasPrefix(pointer, "/") {
		return false
	}
	start, end := a.place(value.ID())
	before := a.source.Slice(0, start)
	at := strings.LastIndex(before, "value")
	if at < 0 || strings.Trim(before[at+len("value"):], " \t\n:") != "" {
		return false
	}
	first := len([]rune(before[:at]))
	a.add(finding{code: codes.PatchOperation, start: first, end: end, summary: "the operation " + name + " has value instead of from",
		detail:      "copy and move need the source, for example from: '/spec/nodeSelector'. Without it the server rejects the patch.",
		replacement: "from" + before[at+len("value"):] + a.source.Slice(start, end)})
	return true
}

// valueInText finds a map or a list that is written as a text, as JSON or YAML has it.
func (a *analysis) valueInText(value ast.Expr, want *catalog.Type) {
	text, _ := value.AsLiteral().Value().(string)
	start, end := a.place(value.ID())
	f := finding{code: codes.LiteralWrongType, start: start, end: end, summary: fmt.Sprintf("the field is %s, not string", kindName(want)),
		detail: "The mutation fails at run time: the server cannot read the patched object."}
	docs, problems := scenario.ParseDocuments(diag.Expression, "value: "+text+"\n")
	if len(docs) == 1 && len(problems) == 0 {
		inner := docs[0].Value["value"]
		_, isMap := inner.(map[string]any)
		_, isList := inner.([]any)
		if raw, err := json.Marshal(inner); err == nil && !strings.Contains(string(raw), "null") && (isMap && want.Kind == catalog.Map || isList && want.Kind == catalog.List) {
			f.replacement = string(raw) // JSON without null is a literal of CEL
		}
	}
	a.add(f)
}

// named is the expression with a field that gives a name in place of a whole object: the name is put into a literal
// of that object. It is empty where the field is no value of a map or a literal.
func (a *analysis) named(value ast.Expr, path string) string {
	text := source.NewTokens(a.expression.Text)
	_, end := a.place(value.ID())
	last := text.Starting(end) - 1
	first := last
	for first > 1 && text.Is(first-1, ".") && text.IsWord(first-2) {
		first -= 2
	}
	if last < 2 || !text.Is(first-1, ":") {
		return ""
	}
	from, to := text.List[first].Bytes, text.List[last].EndBytes()
	return a.expression.Text[:from] + "Object." + strings.ReplaceAll(path, "[]", "") + "{name: " + a.expression.Text[from:to] + "}" + a.expression.Text[to:]
}

// namedText is an entry of a map of texts.
var namedText = lazy.Regexp{Text: `("[^"]*"|'[^']*')\s*:\s*("[^"]*"|'[^']*')`}

// namedItems is the expression with a map of names and texts as the list of items with a name and a
// value that the API has in its place; empty for another one.
func (a *analysis) namedItems(value ast.Expr, want *catalog.Type, path string) string {
	start, _ := a.place(value.ID())
	tokens := source.NewTokens(a.expression.Text)
	open := tokens.Starting(start)
	if want.Kind != catalog.List || want.Elem.Field("name") == nil || want.Elem.Field("value") == nil || !tokens.Is(open, "{") || tokens.Partner[open] < 0 {
		return ""
	}
	from, to := tokens.List[open].EndBytes(), tokens.List[tokens.Partner[open]]
	items := namedText.ReplaceAllString(a.expression.Text[from:to.Bytes], "Object."+strings.ReplaceAll(path, "[]", "")+"{name: $1, value: $2}")
	return a.expression.Text[:from-1] + "[" + items + "]" + a.expression.Text[to.EndBytes():]
}

// inList is the expression with a literal as the one item of a list.
func (a *analysis) inList(literal ast.Expr) string {
	start, _, end, ok := a.braces(literal)
	if !ok {
		return ""
	}
	return a.replaced(start, end, "["+a.source.Slice(start, end)+"]")
}

// braces is where a literal of a type begins, with its opening brace, and where it ends, in runes.
func (a *analysis) braces(literal ast.Expr) (start, brace, end int, ok bool) {
	start, brace = a.typeName(literal.ID())
	tokens := source.NewTokens(a.expression.Text)
	open := tokens.Starting(brace)
	if !tokens.Is(open, "{") || tokens.Partner[open] < 0 {
		return 0, 0, 0, false
	}
	return start, brace, tokens.List[tokens.Partner[open]].End, true
}
