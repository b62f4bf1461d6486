package lint

import (
	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// differentTypes finds comparisons of a field with what has another type, which the server's type checks do
// not see: through dyn(), or in a list.
func differentTypes(p *policy) {
	p.eachPart(func(e expression, n *values.Node, of func(*values.Node) *place) bool {
		if n.Kind != values.Call || len(n.Children) != 2 || p.said(p.document, e.path) {
			return false
		}
		never := func(left, right string) bool {
			out := p.report(p.document, codes.NeverEqual, diag.Warning, e.path, left+" is never equal to "+right, "Values of different types are not equal, and the server's type checks do not look into dyn().")
			p.within(out, p.document, e.path, n.Start, n.End)
			return true
		}
		switch n.Name {
		case "_==_", "_!=_":
			for i, side := range n.Children {
				at := of(side)
				if want, is := typeName(at), literalType(n.Children[1-i]); want != "" && is != "" && want != is {
					return never("a field of type "+want, "a "+is)
				}
			}
		case "@in":
			at := of(n.Children[0])
			want := typeName(at)
			if n.Children[1].Kind != values.List || want == "" || len(n.Children[1].Children) == 0 {
				return false
			}
			for _, item := range n.Children[1].Children {
				if is := literalType(item); is == "" || is == want {
					return false
				}
			}
			return never("a field of type "+want, "an item of this list")
		}
		return false
	})
}

// typeName is the type of a field, empty for one that is not sure.
func typeName(at *place) string {
	if at == nil || at.typ == nil || at.steps[0] == "params" {
		return ""
	}
	switch at.typ.Kind {
	case catalog.Struct:
		return "object"
	case catalog.Map:
		return "map"
	case catalog.List:
		return "list"
	case catalog.String:
		return "string"
	case catalog.Boolean:
		return "boolean"
	case catalog.Integer:
		return "number"
	}
	return ""
}

func literalType(n *values.Node) string {
	if n.Kind != values.Literal || n.Expr == nil || n.Expr.Kind() != ast.LiteralKind {
		return ""
	}
	switch n.Expr.AsLiteral().Value().(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case int64, uint64, float64:
		return "number"
	}
	return ""
}
