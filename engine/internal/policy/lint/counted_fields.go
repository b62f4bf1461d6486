package lint

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// comparisons are the operators that compare.
var comparisons = map[string]bool{"_==_": true, "_!=_": true, "_<_": true, "_<=_": true, "_>_": true, "_>=_": true}

// countedFields finds sizes of objects that are compared with more than the number of their fields.
func countedFields(p *policy) {
	p.eachPart(func(e expression, n *values.Node, of func(*values.Node) *place) bool {
		if n.Kind != values.Call || !comparisons[n.Name] || len(n.Children) != 2 {
			return false
		}
		for i, side := range n.Children {
			other := n.Children[1-i]
			if side.Kind != values.Call || side.Name != "size" || len(side.Children) != 1 || other.Kind != values.Literal || other.Expr == nil || other.Expr.Kind() != ast.LiteralKind {
				continue
			}
			limit, isInt := other.Expr.AsLiteral().Value().(int64)
			at := of(side.Children[0])
			if !isInt || at == nil || at.typ == nil || at.typ.Kind != catalog.Struct || at.typ.Open || limit <= int64(len(at.typ.Fields())) {
				continue
			}
			out := p.report(p.document, codes.CountsFields, diag.Warning, e.path, fmt.Sprintf("size() counts the fields of %s, at most %d", strings.Join(at.steps, "."), len(at.typ.Fields())),
				"It is not the length in bytes. Compare the size of a text, list or map.")
			p.within(out, p.document, e.path, n.Start, n.End)
			return true
		}
		return false
	})
}
