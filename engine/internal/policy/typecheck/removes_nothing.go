package typecheck

import (
	"fmt"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// removesNothing finds fields of an ApplyConfiguration that are written to remove something: one
// that is set to optional.none(), and a list of the object that is written again without the
// items that a filter drops. Merging leaves both as they are. It reports whether it found one.
func (a *analysis) removesNothing(typeName string, field ast.StructField, f *catalog.Field) bool {
	name := path(typeName, f.Name)
	summary := ""
	switch {
	case emptyOptional(field):
		summary = "optional.none() does not remove " + name + ": the field remains"
	case f.Type.Kind == catalog.List && !isAtomicList(f) && a.filteredAgain(field.Value(), typeName+"."+f.Name):
		summary = "the items of " + name + " that the filter drops stay in the list"
	default:
		return false
	}
	a.removed(field.Value(), summary)
	return true
}

// keptEntry finds an entry of a map that is set to optional.none(), which stays as well.
func (a *analysis) keptEntry(entry ast.MapEntry, in string) {
	key := in + "[]"
	if entry.Key().Kind() == ast.LiteralKind {
		key = fmt.Sprintf("%s[%q]", in, entry.Key().AsLiteral().Value())
	}
	a.removed(entry.Value(), "optional.none() does not remove "+key+": the entry remains")
}

// removed reports a value that is written to remove something, with the patch that does.
func (a *analysis) removed(value ast.Expr, summary string) {
	start, end := a.place(value.ID())
	a.add(finding{code: codes.RemovesNothing, start: start, end: end, summary: summary, patches: a.asPatches(),
		detail: "An ApplyConfiguration merges what it sets into the object and leaves everything else. A JSONPatch can remove it."})
}

// mergesNothing finds a field of an ApplyConfiguration that is set to an empty map, where the server keeps what the
// object has: a map, or a struct that every object has.
func (a *analysis) mergesNothing(typeName string, value ast.Expr, f *catalog.Field) {
	empty := value.Kind() == ast.MapKind && value.AsMap().Size() == 0 || value.Kind() == ast.StructKind && len(value.AsStruct().Fields()) == 0
	if !empty || a.expression.Place.Result != eval.ApplyConfiguration || f.Type.Kind != catalog.Map && !writtenAlways(f) {
		return
	}
	tokens := source.NewTokens(a.expression.Text)
	start, end := a.place(value.ID())
	if value.Kind() == ast.StructKind {
		start, end = a.typeName(value.ID())
	}
	open := tokens.Starting(start)
	for open < len(tokens.List) && !tokens.Is(open, "{") {
		open++
	}
	if open < len(tokens.List) && tokens.Partner[open] > open {
		end = tokens.List[tokens.Partner[open]].End
	}
	a.add(finding{code: codes.NoChange, draft: true, start: start, end: end, summary: path(typeName, f.Name) + " is set to an empty map, which changes nothing",
		detail:      "An ApplyConfiguration merges what it sets into the object. Write the entries to set.",
		replacement: a.firstEntries(typeName+"."+f.Name, f.Type)})
}

// firstEntries are a map to begin with, and a struct with such a map: that of what Pods request, where it has one.
func (a *analysis) firstEntries(place string, t *catalog.Type) string {
	switch {
	case t.Kind == catalog.Struct && t.Field("requests") != nil:
		return place + "{requests: " + a.firstEntries("", t.Field("requests").Type) + "}"
	case t.Kind != catalog.Map:
		return ""
	case t.Elem.Kind == catalog.Custom:
		return `{"cpu": "100m", "memory": "128Mi"}`
	case t.Elem.Kind == catalog.String:
		return `{"key": "value"}`
	}
	return ""
}

func isAtomicList(f *catalog.Field) bool { return len(f.ListMapKeys) == 0 && f.ListType != "set" }

// filteredAgain reports whether a value is the list at a place of the object, such as
// Object.spec.containers, without the items that a filter drops, and otherwise as it is.
func (a *analysis) filteredAgain(value ast.Expr, list string) bool {
	filtered := false
	for value.Kind() == ast.ComprehensionKind {
		c := value.AsComprehension()
		item, drops, ok := collected(c)
		if !ok || !copies(item, c.IterVar()) {
			return false
		}
		filtered = filtered || drops
		value = c.IterRange()
	}
	return filtered && a.placeOfValue(value, 0) == list
}

// collected is what a macro such as map and filter collects, and whether it leaves items out.
func collected(c ast.ComprehensionExpr) (item ast.Expr, drops, ok bool) {
	if c.AccuInit().Kind() != ast.ListKind || c.HasIterVar2() {
		return nil, false, false
	}
	step := c.LoopStep()
	if step.Kind() == ast.CallKind && step.AsCall().FunctionName() == operators.Conditional {
		step, drops = step.AsCall().Args()[1], true
	}
	if step.Kind() != ast.CallKind || step.AsCall().FunctionName() != operators.Add {
		return nil, false, false
	}
	added := step.AsCall().Args()[1]
	if added.Kind() != ast.ListKind || added.AsList().Size() != 1 {
		return nil, false, false
	}
	return added.AsList().Elements()[0], drops, true
}

// copies reports whether an item is the variable of its loop, or a literal whose fields are those
// of the variable.
func copies(item ast.Expr, variable string) bool {
	isVariable := func(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == variable }
	if item.Kind() != ast.StructKind {
		return isVariable(item)
	}
	for _, entry := range item.AsStruct().Fields() {
		field := entry.AsStructField()
		of, name := selected(field.Value())
		if of == nil || name != field.Name() || !isVariable(of) {
			return false
		}
	}
	return true
}

// selected is what a field is read from, and its name; nil for anything else.
func selected(e ast.Expr) (ast.Expr, string) {
	switch {
	case e.Kind() == ast.SelectKind && !e.AsSelect().IsTestOnly():
		return e.AsSelect().Operand(), e.AsSelect().FieldName()
	case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.OptSelect:
		args := e.AsCall().Args()
		name, _ := args[1].AsLiteral().Value().(string)
		return args[0], name
	}
	return nil, ""
}

// placeOfValue is where in the object a value is, as types of literals have it: that of
// object.spec.containers is Object.spec.containers, as is that of its items. Empty where it is
// not known.
func (a *analysis) placeOfValue(e ast.Expr, depth int) string {
	const deep = 20
	if depth > deep {
		return ""
	}
	if of, name := selected(e); of != nil {
		if at := a.placeOfValue(of, depth+1); at != "" && name != "" {
			return at + "." + name
		}
		return ""
	}
	switch {
	case e.Kind() == ast.CallKind && e.AsCall().FunctionName() == "orValue":
		return a.placeOfValue(e.AsCall().Target(), depth+1)
	case e.Kind() == ast.IdentKind && e.AsIdent() == "object":
		return "Object"
	case e.Kind() == ast.IdentKind:
		if over := a.rangeOf(e); over != nil {
			return a.placeOfValue(over, depth+1)
		}
	}
	return ""
}

// rangeOf is the list of the loop whose variable an expression is, without the filters behind it.
func (a *analysis) rangeOf(variable ast.Expr) ast.Expr {
	var over ast.Expr
	ast.PreOrderVisit(a.checked.AST.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.ComprehensionKind || e.AsComprehension().IterVar() != variable.AsIdent() || !contains(e.AsComprehension().LoopStep(), variable.ID()) {
			return
		}
		over = e.AsComprehension().IterRange() // the innermost comes last
	}))
	for over != nil && over.Kind() == ast.ComprehensionKind {
		c := over.AsComprehension()
		if item, _, ok := collected(c); !ok || !copies(item, c.IterVar()) {
			return nil
		}
		over = c.IterRange()
	}
	return over
}

// contains reports whether a part of an expression has that number.
func contains(e ast.Expr, id int64) bool {
	found := false
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(part ast.Expr) { found = found || part.ID() == id }))
	return found
}
