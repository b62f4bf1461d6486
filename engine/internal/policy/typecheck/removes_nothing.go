package typecheck

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types/traits"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// removesNothing finds fields of an ApplyConfiguration that are written to remove something: one
// that is set to optional.none() or to an empty map or list, and a list or map of the object that is
// written again without what a filter drops. Merging leaves them as they are. It reports whether it found one.
func (a *analysis) removesNothing(typeName string, field ast.StructField, f *catalog.Field) bool {
	name := path(typeName, f.Name)
	value := field.Value()
	summary, empty := "", false // what is empty may be meant to be filled later
	switch {
	case (field.IsOptional() || emptyInstead(value)) && a.alwaysNone(value):
		summary = a.noneOf(value) + " does not remove " + name + ": the field remains"
	case f.Type.Kind == catalog.List && !isAtomicList(f) && a.filteredAgain(value, typeName+"."+f.Name):
		summary = "the items of " + name + " that the filter drops stay in the list"
	case f.Type.Kind == catalog.Map && a.keepsEntries(value, typeName+"."+f.Name):
		summary = "the entries of " + name + " that transformMap drops stay in the map"
	case f.OmitEmpty && f.Type.Kind == catalog.List && value.Kind() == ast.ListKind && value.AsList().Size() == 0:
		summary, empty = "an empty list does not remove the items of "+name+": they stay", true
	case f.OmitEmpty && f.Type.Kind == catalog.Map && value.Kind() == ast.MapKind && value.AsMap().Size() == 0:
		summary, empty = "an empty map does not remove the entries of "+name+": they stay", true
	default:
		return false
	}
	a.removed(value, name, summary, empty)
	return true
}

// alwaysNone reports whether an optional value has none in every case: optional.none() itself, a zero value, a variable
// or a choice of such.
func (a *analysis) alwaysNone(e ast.Expr) bool {
	if v := a.variableOf(e); v != nil {
		return a.alwaysNone(v.root)
	}
	if e.Kind() != ast.CallKind {
		return false
	}
	switch args := e.AsCall().Args(); e.AsCall().FunctionName() {
	case "optional.none":
		return true
	case "optional.ofNonZeroValue":
		return isZero(args[0])
	case operators.Conditional:
		return a.alwaysNone(args[1]) && a.alwaysNone(args[2])
	case "or":
		return a.alwaysNone(e.AsCall().Target()) && a.alwaysNone(args[0])
	case "orValue":
		return a.alwaysNone(e.AsCall().Target()) && emptyInstead(e)
	}
	return false
}

// emptyInstead reports whether a value is an empty map or list where an optional value has none.
func emptyInstead(e ast.Expr) bool {
	return e.Kind() == ast.CallKind && e.AsCall().FunctionName() == "orValue" && e.AsCall().Args()[0].Kind() != ast.LiteralKind && isZero(e.AsCall().Args()[0])
}

// isZero reports whether a literal is the zero value of its type.
func isZero(e ast.Expr) bool {
	switch e.Kind() {
	case ast.LiteralKind:
		zero, ok := e.AsLiteral().(traits.Zeroer)
		return ok && zero.IsZeroValue()
	case ast.ListKind:
		return e.AsList().Size() == 0
	case ast.MapKind:
		return e.AsMap().Size() == 0
	}
	return false
}

// noneOf is how a value without a value is written.
func (a *analysis) noneOf(e ast.Expr) string {
	if e.Kind() == ast.CallKind && strings.HasPrefix(e.AsCall().FunctionName(), "optional.") {
		return e.AsCall().FunctionName() + "()"
	}
	return "an empty value"
}

// keptEntry finds an entry of a map that is set to optional.none(), which stays as well.
func (a *analysis) keptEntry(entry ast.MapEntry, in string) {
	key := in + "[]"
	if entry.Key().Kind() == ast.LiteralKind {
		key = fmt.Sprintf("%s[%q]", in, entry.Key().AsLiteral().Value())
	}
	next := "the entry remains"
	if !entry.IsOptional() {
		next = "the entry is set to an empty value"
	}
	a.removed(entry.Value(), key, a.noneOf(entry.Value())+" does not remove "+key+": "+next, false)
}

// removed reports a value that is written to remove something, with the patch that does. Every object has metadata.
func (a *analysis) removed(value ast.Expr, name, summary string, doubtful bool) {
	start, end := a.place(value.ID())
	f := finding{code: codes.RemovesNothing, start: start, end: end, summary: summary, info: doubtful,
		detail: "An ApplyConfiguration merges what it sets into the object and leaves everything else. A JSONPatch can remove it."}
	if a.setAgain(name) {
		f.detail = setAgain(name)
	} else if name != "metadata" {
		f.patches = a.asPatches(a.withNone(value))
	}
	a.add(f)
}

func setAgain(name string) string {
	return "The server sets a missing " + name + " to its default after each mutation, so no mutation can remove it. Set the value that you want instead."
}

// setAgain reports whether the server gives a field a default wherever it is missing, as in spec.dnsPolicy of a Pod.
func (a *analysis) setAgain(name string) bool {
	return a.view.Object != nil && a.catalog.DefaultAt(a.matched.kind.GVK, strings.Split(name, "."), nil) != nil
}

// withNone is the expression with optional.none() for a value that is never there, which patches know.
func (a *analysis) withNone(value ast.Expr) string {
	if start, end, ok := a.extent(value); ok && a.alwaysNone(value) {
		return a.replaced(start, end, "optional.none()")
	}
	return a.expression.Text
}

// extent is where a part of the expression begins and ends, in runes.
func (a *analysis) extent(part ast.Expr) (start, end int, ok bool) {
	if tree := values.ParseText(a.expression.Text); tree != nil {
		for _, n := range tree.Nodes {
			if n.ID == part.ID() {
				return n.Start, n.End, true
			}
		}
	}
	return 0, 0, false
}

// mergesNothing finds a field of an ApplyConfiguration that is set to an empty map, where the server keeps what the
// object has: a struct that every object has. removesNothing finds maps.
func (a *analysis) mergesNothing(typeName string, value ast.Expr, f *catalog.Field) {
	empty := value.Kind() == ast.MapKind && value.AsMap().Size() == 0 || value.Kind() == ast.StructKind && len(value.AsStruct().Fields()) == 0
	if !empty || a.expression.Place.Result != eval.ApplyConfiguration || !writtenAlways(f) {
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
		replacement: firstEntries(typeName+"."+f.Name, f.Type)})
}

// firstEntries are the entries to begin with of a struct that has resource requests; empty for others.
func firstEntries(place string, t *catalog.Type) string {
	if t.Field("requests") == nil {
		return ""
	}
	return place + `{requests: {"cpu": "100m", "memory": "128Mi"}}`
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

// keepsEntries reports whether a value is the map at a place of the object, without the entries that a filter drops,
// and otherwise as it is.
func (a *analysis) keepsEntries(value ast.Expr, of string) bool {
	if value.Kind() != ast.ComprehensionKind {
		return false
	}
	c := value.AsComprehension()
	step := c.LoopStep()
	if c.AccuInit().Kind() != ast.MapKind || !c.HasIterVar2() || step.Kind() != ast.CallKind || step.AsCall().FunctionName() != operators.Conditional {
		return false
	}
	insert := step.AsCall().Args()[1]
	if insert.Kind() != ast.CallKind || len(insert.AsCall().Args()) != 3 {
		return false
	}
	kept := insert.AsCall().Args()[2]
	return kept.Kind() == ast.IdentKind && kept.AsIdent() == c.IterVar2() && a.placeOfValue(c.IterRange(), 0) == of
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
