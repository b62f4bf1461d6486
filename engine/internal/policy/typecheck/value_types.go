package typecheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// misfit is the type of an expression whose static type says nothing, if no value of it can be that of a field; nil if
// one can, or nobody knows.
func misfit(e ast.Expr, want *catalog.Type) *cel.Type {
	switch {
	case e.Kind() == ast.LiteralKind:
		if t, ok := e.AsLiteral().Type().(*types.Type); ok && !fits(t, want) {
			return t
		}
	case e.Kind() != ast.CallKind:
	case e.AsCall().FunctionName() == "dyn":
		return misfit(e.AsCall().Args()[0], want)
	case e.AsCall().FunctionName() == operators.Conditional:
		if args := e.AsCall().Args(); misfit(args[1], want) != nil {
			return misfit(args[2], want)
		}
	}
	return nil
}

// plainKinds are the types whose values have one form in JSON.
var plainKinds = []cel.Kind{cel.StringKind, cel.BoolKind, cel.IntKind, cel.ListKind}

// patchedType finds values in an operation that are no literals and have another type than the field.
func (a *analysis) patchedType(value ast.Expr, want *catalog.Type) {
	t := a.checked.AST.NativeRep().GetType(value.ID())
	if t == nil || !slices.Contains(plainKinds, t.Kind()) || fits(t, want) {
		return
	}
	f := finding{code: codes.LiteralWrongType, summary: fmt.Sprintf("the field is %s, not %s", kindName(want), readable(cel.FormatCELType(t))),
		detail: "The mutation fails at run time: the server cannot read the patched object."}
	f.start, f.end = a.place(value.ID())
	if f.repaired, f.or = a.textAsList(value, want); f.repaired == "" {
		f.repaired = a.cast(value, t, want)
	}
	a.add(f)
}

// textAsList is the expression with a text that is read where a list of texts belongs: split, and as the only item,
// at all of its places. Arguments of a command are separated by spaces, others by commas. Both are empty for other values.
func (a *analysis) textAsList(value ast.Expr, want *catalog.Type) (split, only string) {
	if want.Kind != catalog.List || want.Elem == nil || want.Elem.Kind != catalog.String || value.Kind() != ast.SelectKind || value.AsSelect().IsTestOnly() {
		return "", ""
	}
	separator := "','"
	if slices.Contains([]string{"args", "command"}, strings.ToLower(value.AsSelect().FieldName())) {
		separator = "' '"
	}
	start, end := a.written(value)
	text := a.expression.Text
	written := a.source.Slice(start, end)
	split, _ = replaceChain(source.NewTokens(text), text, written, written+".split("+separator+")")
	only, _ = replaceChain(source.NewTokens(text), text, written, "["+written+"]")
	return split, only
}
