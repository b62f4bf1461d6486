package source

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// StringOf returns a string literal's value. It returns false for other expressions.
func StringOf(e ast.Expr) (string, bool) {
	s, ok := e.AsLiteral().(types.String)
	return string(s), ok
}

// Operands returns the parts of an expression in the order of the source. It returns none of a
// comprehension, whose parts see different variables.
func Operands(e ast.Expr) []ast.Expr {
	switch e.Kind() {
	case ast.SelectKind:
		return []ast.Expr{e.AsSelect().Operand()}
	case ast.CallKind:
		call := e.AsCall()
		if call.IsMemberFunction() {
			return append([]ast.Expr{call.Target()}, call.Args()...)
		}
		return call.Args()
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.MapKind:
		var out []ast.Expr
		for _, entry := range e.AsMap().Entries() {
			out = append(out, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
		return out
	case ast.StructKind:
		var out []ast.Expr
		for _, field := range e.AsStruct().Fields() {
			out = append(out, field.AsStructField().Value())
		}
		return out
	}
	return nil
}
