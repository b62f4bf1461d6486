package typecheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// mostAlternatives is how many fields a repair asks for in the place of the one that they are in.
const mostAlternatives = 3

// alwaysThere finds a test for a field that no object lacks: a struct of a built-in kind, which the server
// writes as {} where nobody set it. Before fields of it such a test is a guard, which does no harm; one of
// a struct with many fields, such as spec, seldom asks for more than that there is an object.
func (a *analysis) alwaysThere(e ast.Expr) {
	if e.Kind() != ast.SelectKind || !e.AsSelect().IsTestOnly() {
		return
	}
	sel := e.AsSelect()
	place, ok := a.checked.PlaceOf(a.checked.AST.NativeRep().GetType(sel.Operand().ID()))
	if !ok {
		return
	}
	field := place.Type.Field(sel.FieldName())
	if !writtenAlways(field) {
		return
	}
	tokens := source.NewTokens(a.expression.Text)
	offset, _ := a.place(e.ID())
	has := tokens.Starting(offset)
	for has > 0 && !tokens.Is(has, "has") {
		has--
	}
	if !tokens.Is(has, "has") || !tokens.Is(has+1, "(") || tokens.Partner[has+1] < 0 {
		return
	}
	closing := tokens.Partner[has+1]
	of := strings.TrimSpace(a.expression.Text[tokens.List[has+1].EndBytes():tokens.List[closing].Bytes])
	if !strings.HasSuffix(of, "."+sel.FieldName()) || strings.Contains(a.expression.Text, of+".") || strings.Contains(a.expression.Text, of+"[") {
		return
	}
	first, what, sign, joined := has, "always true: has("+of+")", "", " || "
	if tokens.Is(has-1, "!") {
		first, what, sign, joined = has-1, "never true: !has("+of+")", "!", " && "
	}
	f := finding{code: codes.DoubtfulText, start: tokens.List[first].Start, end: tokens.List[closing].End, summary: what,
		detail: fmt.Sprintf("%s always has %s: the server sets it to {} by default. Check the fields in it.", readable(place.Name), sel.FieldName())}
	var parts []string
	for _, inner := range field.Type.Fields() {
		parts = append(parts, sign+"has("+of+"."+inner.Name+")")
	}
	if len(parts) == 0 || len(parts) > mostAlternatives {
		return
	}
	text := strings.Join(parts, joined)
	if len(parts) > 1 && (operator(tokens, first-1) || operator(tokens, closing+1)) {
		text = "(" + text + ")"
	}
	f.repaired = a.expression.Text[:tokens.List[first].Bytes] + text + a.expression.Text[tokens.List[closing].EndBytes():]
	a.add(f)
}

// writtenAlways reports whether the server writes a field into every object: a struct of a built-in kind.
func writtenAlways(field *catalog.Field) bool {
	return field != nil && field.DeclaredIn != "" && !field.Pointer && !field.OmitZero && field.Type != nil && field.Type.Kind == catalog.Struct
}

// operator reports whether a token joins conditions, or rules the one after it.
func operator(tokens *source.Tokens, i int) bool {
	return slices.ContainsFunc([]string{"&&", "||", "!", "?"}, func(text string) bool { return tokens.Is(i, text) })
}
