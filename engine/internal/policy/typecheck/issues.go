package typecheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// analysis checks one expression for one kind of object.
type analysis struct {
	*document
	expression model.Expression
	source     *source.Text
	view       check.View
	matched    *matched
	found      []finding
	pruned     *pruner // what the kind reaches of the expression

	// checked is the expression with its wrong parts taken out, operands the
	// nodes before the fields that do not exist, by the id of the selection.
	checked  *check.Result
	operands map[int64]ast.Expr
}

func (a *analysis) run() error {
	parsed, result, err := a.reached()
	if err != nil {
		return err
	}
	var errors []*cel.Error
	if result.Issues != nil {
		errors = result.Issues.Errors()
	}
	if err := a.repair(parsed, result); err != nil {
		return err
	}
	for _, e := range errors {
		if a.pruned.tests[a.pruned.original(e.ExprID)] != without { // a has() that tells the kinds from each other is no mistake
			a.issue(e)
		}
	}
	if a.checked == nil {
		return nil
	}
	root := a.checked.AST.NativeRep().Expr()
	ast.PreOrderVisit(root, ast.NewExprVisitor(a.values))
	a.literals(root)
	// What is fixed is so for every kind: all of the expression is asked.
	whole, issues, err := a.checker.Parse(a.expression.Text, a.view)
	if err != nil || source.Failed(issues) {
		return err
	}
	a.checked = &check.Result{AST: whole}
	a.fixed(whole.NativeRep().Expr())
	a.constantCalls(whole.NativeRep().Expr())
	for _, d := range expressions.Doubts(a.expression.Text) {
		if d.Repaired != "" && slices.ContainsFunc(a.found, func(f finding) bool { return f.summary == d.Summary && f.repaired == d.Repaired }) {
			continue // the schema told it already
		}
		a.add(finding{code: codes.DoubtfulText, start: d.Start, end: d.End, summary: d.Summary, detail: d.Detail, repaired: d.Repaired, or: d.Or})
	}
	for _, d := range expressions.Indexes(a.expression.Text) {
		a.add(finding{code: codes.ImpossibleIndex, start: d.Start, end: d.End, summary: d.Summary, detail: d.Detail, repaired: d.Repaired})
	}
	return nil
}

// reached is what the kind reaches of the expression, parsed and checked.
func (a *analysis) reached() (*cel.Ast, *check.Result, error) {
	parsed, p, _, err := a.matched.parse(a.checker, a.expression.Text, a.view)
	if err != nil {
		return nil, nil, err
	}
	if a.pruned = p; p == nil {
		a.pruned = &pruner{}
	}
	result, err := a.pruned.check(a.checker, parsed, a.expression.Text, a.view)
	return parsed, result, err
}

func (a *analysis) add(f finding) { a.found = append(a.found, f) }

// maxRepairs is how often what is wrong is taken out before we give up: each
// time more of the expression gets a type.
const maxRepairs = 3

// repair takes the wrong parts out of the expression until the rest can be
// checked: values of unknown type take their place.
func (a *analysis) repair(parsed *cel.Ast, result *check.Result) (err error) {
	a.operands = map[int64]ast.Expr{}
	if result.AST != nil {
		a.checked = result
		return nil
	}
	if parsed == nil {
		return nil // it does not parse
	}
	native := parsed.NativeRep()
	r := &repairer{factory: ast.NewExprFactory(), next: ast.MaxID(native) + 1, operands: a.operands}
	for range maxRepairs {
		for _, e := range result.Issues.Errors() {
			r.takeOut(native.Expr(), e.ExprID)
		}
		if result, err = a.checker.CheckParsed(parsed, a.view); err != nil {
			return err
		}
		if result.AST != nil {
			a.checked = result
			return nil
		}
	}
	return nil
}

type repairer struct {
	factory  ast.ExprFactory
	next     int64
	operands map[int64]ast.Expr
}

func (r *repairer) id() int64 {
	r.next++
	return r.next
}

// takeOut replaces the node with that id by a value of unknown type that still
// has the node's parts in it, so that they are checked too.
func (r *repairer) takeOut(root ast.Expr, id int64) {
	var node ast.Expr
	ast.PreOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		if e.ID() == id && node == nil {
			node = e
		}
	}))
	if node == nil {
		return
	}
	var parts []ast.Expr
	switch node.Kind() {
	case ast.SelectKind:
		parts = []ast.Expr{node.AsSelect().Operand()}
		r.operands[id] = parts[0]
	case ast.CallKind:
		parts = source.Operands(node)
		if node.AsCall().FunctionName() == "_?._" {
			r.operands[id] = parts[0]
		}
	case ast.ListKind:
		parts = node.AsList().Elements()
	default:
		parts = []ast.Expr{r.factory.CopyExpr(node)}
	}
	wrapped := make([]ast.Expr, len(parts))
	for i, part := range parts {
		wrapped[i] = r.factory.NewCall(r.id(), "dyn", part)
	}
	node.SetKindCase(r.factory.NewCall(r.id(), "dyn", r.factory.NewList(r.id(), wrapped, nil)))
}

var (
	undefinedField = lazy.Regexp{Text: `^undefined field '(.*)'$`}
	noSelection    = lazy.Regexp{Text: `^type '(.*)' does not support field selection$`}
	expectedTest   = lazy.Regexp{Text: `^expected type 'bool' but found '(.+)'$`}
	noOverload     = lazy.Regexp{Text: `^found no matching overload for '(.+)' applied to '(.*)'$`}
)

var (
	firstOfTwo = lazy.Regexp{Text: `\(\s*(\w+)\s*,\s*\w+\s*,`}
	lastName   = lazy.Regexp{Text: `(\w+)\.$`}
)

// isIndex reports whether the first of a macro's two variables is before the field at a place, in code points.
func (a *analysis) isIndex(start int) bool {
	of := lastName.FindStringSubmatch(string([]rune(a.expression.Text)[:start]))
	return of != nil && slices.ContainsFunc(firstOfTwo.FindAllStringSubmatch(a.expression.Text, -1), func(m []string) bool { return m[1] == of[1] })
}

// issue turns a problem of the compiler into a finding, unless the values make
// it none.
func (a *analysis) issue(e *cel.Error) {
	start, end := placeOf(a.source, e)
	f := finding{start: start, end: end, summary: readable(e.Message)}
	if m := undefinedField.FindStringSubmatch(e.Message); m != nil {
		a.undefined(f, e.ExprID, m[1])
		return
	}
	if m := noSelection.FindStringSubmatch(e.Message); m != nil {
		f.code, f.detail = codes.UnknownObjectField, "A value of this type has no fields."
		if f.repaired = a.typed(e); f.repaired == "" {
			f.repaired = a.fieldsOfName(e)
		}
		if m[1] == "int" && a.isIndex(start) {
			f.detail = "A macro over a list with two variables has the item's index first, and the item second."
		}
		a.add(f)
		return
	}
	if m := noOverload.FindStringSubmatch(e.Message); m != nil {
		f.repaired = a.typed(e)
		a.overload(f, m[1], splitTypes(m[2]))
	}
	if m := expectedTest.FindStringSubmatch(e.Message); m != nil {
		if f.repaired = a.typed(e); f.repaired != "" {
			f.code, f.summary = codes.WrongOperandType, readable(fmt.Sprintf("a test is expected here, not a value of type %s", m[1]))
			f.detail = "The expression fails here at run time: no such overload. Use has() to check whether a field exists."
			a.add(f)
		}
		return
	}
	if strings.Contains(e.Message, "clause can only be used on") { // of format()
		f.code, f.repaired, f.detail = codes.WrongOperandType, a.typed(e), "The expression fails here at run time. %s accepts every value."
		a.add(f)
		return
	}
	// All else is about types that differ within a list or map, which values
	// may do.
}

// typed is the expression with a problem of types repaired, if it has fewer of them
// then; empty otherwise.
func (a *analysis) typed(e *cel.Error) string {
	start, _ := placeOf(a.source, e)
	text := expressions.Typed(a.expression.Text, e.Message, start)
	if text == "" {
		return ""
	}
	return a.better(text)
}

// nameBelow is the name of something that is read as a field of it.
var nameBelow = lazy.Regexp{Text: `\b([a-z][A-Za-z]*)\.name\b`}

// fieldsOfName reads the name of something where the object has only that: serviceAccountName
// for serviceAccount.name. It is empty where that has as many problems.
func (a *analysis) fieldsOfName(e *cel.Error) string {
	before, err := a.problems(a.expression.Text)
	if err != nil {
		return ""
	}
	for _, m := range nameBelow.FindAllStringSubmatch(a.expression.Text, -1) {
		text := strings.ReplaceAll(a.expression.Text, "."+m[0], "."+m[1]+"Name")
		if after, err := a.problems(text); text != a.expression.Text && err == nil && after < before {
			return text
		}
	}
	return ""
}

// problems is the number of problems of a text in place of the expression.
func (a *analysis) problems(text string) (int, error) {
	result, err := a.checker.Check(text, a.view)
	if err != nil || result.Issues == nil {
		return 0, err
	}
	return len(result.Issues.Errors()), nil
}

func (a *analysis) undefined(f finding, id int64, name string) {
	f.code = codes.UnknownObjectField
	if a.checked == nil || a.operands[id] == nil {
		a.add(f)
		return
	}
	operand := a.checked.AST.NativeRep().GetType(a.operands[id].ID())
	if operand != nil && operand.TypeName() == "optional_type" && len(operand.Parameters()) == 1 {
		operand = operand.Parameters()[0]
	}
	place, ok := a.checked.PlaceOf(operand)
	if !ok {
		a.add(f)
		return
	}
	f.summary = fmt.Sprintf("%s has no field %q", readable(place.Name), name)
	f.detail = "Reading it fails with \"no such key\", and has() on it is always false."
	names := place.Type.FieldNames()
	if spelt := expressions.Spelt(a.expression.Text, a.view.Object, a.view.Params); spelt != a.expression.Text && sameField(names, name) {
		f.repaired = spelt
		f.detail = "Object fields begin with a lower-case letter. " + f.detail
	} else if in := a.besideSpec(readable(place.Name), name); in != "" {
		f.replacement = in
		f.detail = fmt.Sprintf("It is a field of metadata. %s", f.detail)
	} else if best := a.elsewhere(readable(place.Name), place.Type, name, f.end); best != "" {
		f.replacement = best
		f.detail = fmt.Sprintf("Did you mean %s? %s", best, f.detail)
	} else if shorter := a.tooDeep(readable(place.Name), place.Type, name, a.readBehind(f.end)); shorter != "" {
		f.repaired = shorter
		f.detail = "The fields read below it belong to " + readable(place.Name) + " itself. " + f.detail
	} else if kind := a.kindCompared(f, place.Type, name); kind != "" {
		f.repaired = kind
		f.detail = "Its kind is the field that it has. " + f.detail
	} else if into, repaired := a.within(f, place.Type, name); repaired != "" {
		f.repaired = repaired
		f.detail = fmt.Sprintf("It is a field of %s. %s", into, f.detail)
	} else if list, repaired := a.inItems(f, readable(place.Name), place.Type, name); repaired != "" {
		f.repaired = repaired
		f.detail = fmt.Sprintf("It is a field of the items of %s. %s", list, f.detail)
	} else if best, ok := suggest.Of(names, name); ok {
		f.replacement = best
		f.detail = fmt.Sprintf("Did you mean %q? %s", best, f.detail)
	} else if best, ok := suggest.Word(names, name); ok && strings.HasPrefix(best, name) && !slices.Contains(names, name+"Name") {
		f.replacement = best
		f.detail = fmt.Sprintf("Did you mean %q? %s", best, f.detail)
	} else if slices.Contains(names, name+"Name") {
		f.replacement = name + "Name"
		f.detail = fmt.Sprintf("Did you mean %q? %s", name+"Name", f.detail)
	} else if readable(place.Name) == "params" && name == "items" {
		f.detail = "params is one object. The policy is evaluated once for each object that paramRef selects. " + f.detail
	} else if best := otherWord(place.Type, name); best != "" {
		f.replacement = best
		f.detail = fmt.Sprintf("Did you mean %s? %s", best, f.detail)
	}
	if f.replacement != "" {
		a.everywhere(&f, name)
	}
	if f.replacement == "" {
		a.alsoAtRoot(&f, readable(place.Name), name)
	}
	if f.repaired == "" || !slices.ContainsFunc(a.found, func(other finding) bool { return other.code == f.code && other.repaired == f.repaired }) {
		a.add(f)
	}
}

// besideSpec is the whole way to a field that is read of spec and is one of metadata; empty
// for others.
func (a *analysis) besideSpec(place, name string) string {
	root, below, _ := strings.Cut(place, ".")
	if root != "object" && root != "oldObject" || below != "spec" || a.view.Object == nil {
		return ""
	}
	if metadata := a.view.Object.Field("metadata"); metadata == nil || metadata.Type.Field(name) == nil {
		return ""
	}
	return "metadata." + name
}

// everywhere repairs a field at all places of the expression where it is read of the same
// value: object.labels of has(object.labels) && 'a' in object.labels. What is read of spec
// and belongs to metadata is read of what spec is in.
func (a *analysis) everywhere(f *finding, name string) {
	text := a.expression.Text
	tokens := source.NewTokens(text)
	last := fieldToken(tokens, f.start, name)
	if last < 2 || !tokens.Is(last-1, ".") {
		return
	}
	first := last - 1
	for tokens.Is(first, ".") && tokens.IsWord(first-1) {
		first -= 2
	}
	first++
	from := last // the first token to replace
	if strings.HasPrefix(f.replacement, "metadata.") && tokens.Is(last-2, "spec") && last-2 > first {
		from = last - 2
	}
	if first == last || tokens.Is(first-1, ".") || tokens.Is(first-1, ")") || tokens.Is(first-1, "]") {
		return
	}
	was := text[tokens.List[first].Bytes:tokens.List[last].EndBytes()]
	is := text[tokens.List[first].Bytes:tokens.List[from].Bytes] + f.replacement
	if out, places := replaceChain(tokens, text, was, is); places > 1 || from < last {
		f.repaired, f.replacement = out, ""
	}
}

// fieldToken is the token of a field of that name at a place, which may be its dot; -1 for none.
func fieldToken(tokens *source.Tokens, at int, name string) int {
	for _, start := range []int{at, at + 1} {
		if i := tokens.Starting(start); tokens.Is(i, name) {
			return i
		}
	}
	return -1
}

// sameField reports whether one of some names differs from a name by its capitals
// only.
func sameField(names []string, name string) bool {
	return slices.ContainsFunc(names, func(other string) bool { return strings.EqualFold(other, name) })
}

// readBehind are the fields that are read of the one that ends at an offset.
func (a *analysis) readBehind(end int) []string {
	runes := []rune(a.expression.Text)
	m := fieldsBehind.FindString(string(runes[min(max(end, 0), len(runes)):]))
	names := strings.Split(strings.TrimSuffix(m, "("), ".")[1:]
	if strings.HasSuffix(m, "(") {
		names = names[:len(names)-1] // a method
	}
	return names
}

var fieldsBehind = lazy.Regexp{Text: `^(?:\.[A-Za-z_]\w*)*\(?`}

// indexed reports whether an index follows an offset, so that a text cannot be before it.
func (a *analysis) indexed(end int) bool {
	runes := []rune(a.expression.Text)
	return strings.HasPrefix(strings.TrimSpace(string(runes[min(max(end, 0), len(runes)):])), "[")
}

// elsewhere is the way from a place to a field that is further below it, where name, which ends at an offset, is meant:
// spec.replicas from object, template.spec.containers from object.spec. Empty if
// there is none.
func (a *analysis) elsewhere(place string, at *catalog.Type, name string, end int) string {
	root, below, _ := strings.Cut(place, ".")
	rest := a.readBehind(end)
	t := a.view.Object
	if root == "params" {
		t = a.view.Params
	}
	if path := expressions.PathOf(t, name); path != "" && root != "" {
		if below == "" {
			return path
		}
		if rest, ok := strings.CutPrefix(path, below+"."); ok {
			return rest
		}
	}
	if path := expressions.Below(at, name, rest); path != "" {
		return path
	}
	if data := at.Field("data"); below == "" && root == "params" && data != nil && data.Type.Kind == catalog.Map && !a.indexed(end) {
		if len(rest) > 0 {
			return "data" // whose values are texts: what is read below it is its key
		}
		return "data." + name
	}
	return ""
}

// tooDeep is the expression without the fields that lead to one too far below: a Pod has
// spec.containers, where a Deployment has spec.template.spec.containers. Empty if the
// place has none of the fields that are read behind the one that does not exist.
func (a *analysis) tooDeep(place string, at *catalog.Type, name string, behind []string) string {
	for i := range behind {
		field := at.Field(behind[i])
		if field == nil {
			continue
		}
		wrong := strings.Join(append([]string{place, name}, behind[:i+1]...), ".")
		right := place + "." + behind[i]
		if !strings.Contains(a.expression.Text, wrong) {
			return ""
		}
		return strings.ReplaceAll(a.expression.Text, wrong, right)
	}
	return ""
}

// splitTypes splits the types of arguments as the compiler prints them:
// (A, B), or A.(B) for methods.
func splitTypes(text string) []string {
	if i := strings.Index(text, ".("); i > 0 {
		text = "(" + text[:i] + ", " + text[i+2:]
	}
	return expressions.SplitTypes(strings.TrimSuffix(strings.TrimPrefix(text, "("), ")"))
}

// placeOf is the range of an expression that a problem of the compiler is about.
func placeOf(text *source.Text, e *cel.Error) (start, end int) {
	return text.Issue(e.Location.Line(), e.Location.Column(), e.Message)
}

// place is the word or operator of a node of the expression.
func (a *analysis) place(id int64) (start, end int) {
	offsets, ok := a.checked.AST.NativeRep().SourceInfo().GetOffsetRange(id)
	if !ok {
		return a.source.Whole()
	}
	return a.source.WordAt(int(offsets.Start))
}

// typeName is the name of a literal, before its brace.
func (a *analysis) typeName(id int64) (start, end int) {
	offsets, ok := a.checked.AST.NativeRep().SourceInfo().GetOffsetRange(id)
	if !ok {
		return a.source.Whole()
	}
	return a.source.TypeName(int(offsets.Start))
}

// isStruct reports whether a printed type is one of ours: its values are maps.
func isStruct(t string) bool { return strings.HasPrefix(t, "<") }

func isNumber(t string) bool { return t == "int" || t == "uint" || t == "double" }
