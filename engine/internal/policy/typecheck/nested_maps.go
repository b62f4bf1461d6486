package typecheck

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// origin is the field whose value is looked at, with the variable that the value is read from.
type origin struct {
	value ast.Expr // of the field, in the expression
	place string   // the field, as types of literals have it
	of    *variable
}

// variable is a variable of the policy that an expression reads.
type variable struct {
	path, name, text string
	root             ast.Expr
}

// variableOf is the variable that a value is read from; nil for other values.
func (a *analysis) variableOf(value ast.Expr) *variable {
	of, name := selected(value)
	if of == nil || of.Kind() != ast.IdentKind || of.AsIdent() != "variables" {
		return nil
	}
	for i, v := range model.Variables(a.Value)[:a.expression.Variables] {
		if v.Name != name {
			continue
		}
		out := &variable{path: model.Variable.At(i).String(), name: name, text: v.Expression}
		if checked, err := a.checker.Check(v.Expression, a.view); err == nil && checked.AST != nil {
			out.root = checked.AST.NativeRep().Expr() // with the names of functions resolved
			return out
		}
		parsed, issues, err := a.checker.Parse(v.Expression, a.view)
		if err != nil || source.Failed(issues) {
			return nil
		}
		out.root = parsed.NativeRep().Expr()
		return out
	}
	return nil
}

// nestedMaps finds map literals inside map and list literals, which the
// server does not convert. Lists that are joined with + are converted, but the
// + with which a macro collects its items joins nothing finally.
func (a *analysis) nestedMaps(value ast.Expr, depth int, from origin) {
	if a.expression.Place.Result != eval.ApplyConfiguration {
		return
	}
	switch value.Kind() {
	case ast.MapKind:
		if depth > 0 {
			a.nestedMap(value, from)
			return
		}
		depth++
	case ast.ListKind:
		depth++
	case ast.SelectKind:
		if v := a.variableOf(value); v != nil && from.of == nil {
			a.nestedMaps(v.root, depth, origin{value, from.place, v})
		}
		return
	case ast.CallKind:
		switch value.AsCall().FunctionName() {
		case "_+_":
			return
		case "dyn":
			a.nestedMaps(value.AsCall().Args()[0], depth, from)
			return
		}
	case ast.ComprehensionKind:
		for _, step := range results(value) {
			for _, collected := range append([]ast.Expr{step}, results(step)...) {
				for _, part := range results(collected) {
					a.nestedMaps(part, depth, from)
				}
			}
		}
		return
	}
	for _, part := range results(value) {
		a.nestedMaps(part, depth, from)
	}
}

// nestedMap reports a map that is not converted. Variables know no types of objects: the value of one is written in
// its place.
func (a *analysis) nestedMap(value ast.Expr, from origin) {
	f := finding{code: codes.LiteralNestedMap, summary: "a map in a map or list is not converted: the mutation fails",
		detail: "Write it as a literal of the type at its place, such as Object.metadata{labels: {...}}."}
	if from.of == nil {
		f.start, f.end = a.place(value.ID())
		f.repaired = expressions.MapsAsObjects(a.expression.Text, a.view.Object, "Object")
		a.add(f)
		return
	}
	f.start, f.end = a.written(from.value)
	f.summary = fmt.Sprintf("the value of variables.%s has a map in a map or list, which is not converted: the mutation fails", from.of.name)
	if text := expressions.MapsAsObjects(from.of.text, a.typeAt(from.place), from.place); text != "" {
		a.inPlaceOf(&f, from.of, strings.TrimSpace(text))
	}
	a.add(f)
}

// inPlaceOf repairs a problem by writing a text for the variable that is read, which goes if nothing else reads it.
func (a *analysis) inPlaceOf(f *finding, v *variable, text string) {
	runes := []rune(a.expression.Text)
	f.repaired = string(runes[:f.start]) + text + string(runes[f.end:])
	uses := 0
	for _, e := range model.Expressions(a.Value) {
		tokens := source.NewTokens(e.Text)
		for i := range tokens.List {
			if tokens.Is(i, v.name) && tokens.Is(i-1, ".") && tokens.Is(i-2, "variables") {
				uses++
			}
		}
	}
	if uses != 1 {
		return
	}
	if f.unused = fieldpath.Parse(v.path).Parent().String(); len(model.Variables(a.Value)) == 1 {
		f.unused = "spec.variables"
	}
}

// written is the range of a chain of fields that begins with a name.
func (a *analysis) written(e ast.Expr) (start, end int) {
	tokens := source.NewTokens(a.expression.Text)
	_, end = a.place(e.ID())
	last := tokens.Starting(end) - 1
	if last+1 < len(tokens.List) && tokens.IsWord(last+1) && tokens.Is(last, ".") {
		last++
	}
	first := last
	for tokens.Is(first-1, ".") && tokens.IsWord(first-2) {
		first -= 2
	}
	return tokens.List[first].Start, tokens.List[last].End
}

// typeAt is the type of the field at a place such as Object.spec.containers; nil where it is not known.
func (a *analysis) typeAt(place string) *catalog.Type {
	i := strings.LastIndexByte(place, '.')
	if of, _ := a.placeOf(place[:i]); of != nil && of.Kind == catalog.Struct && of.Field(place[i+1:]) != nil {
		return of.Field(place[i+1:]).Type
	}
	return nil
}
