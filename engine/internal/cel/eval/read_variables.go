package eval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
)

// asked notes which variables a run looked at.
type asked struct{ oldObject, request, namespace bool }

// Asked names what a run looked at beside the object, its params and the
// authorizer: oldObject, namespaceObject, and the fields of the request, such as
// request.userInfo. Parts that short-circuiting left out do not count, but for the
// fields of a request that another part looks at.
func (r *Result) Asked() []string {
	var out []string
	if r.asked.oldObject {
		out = append(out, plugincel.OldObjectVarName)
	}
	if r.asked.namespace {
		out = append(out, plugincel.NamespaceVarName)
	}
	if r.asked.request {
		out = append(out, r.requestFields()...)
	}
	return out
}

// requestFields are the fields of the request that an expression names, such as
// request.userInfo, in the order of the expression.
func (c *Compiled) requestFields() []string {
	c.naming.Do(func() {
		if c.AST == nil {
			return
		}
		seen := map[string]bool{}
		ast.PreOrderVisit(c.AST.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
			if field := requestField(e); field != "" && !seen[field] {
				seen[field] = true
				c.fields = append(c.fields, plugincel.RequestVarName+"."+field)
			}
		}))
	})
	return c.fields
}

// requestField is the field of the request that an expression selects: as
// request.name, request["name"], or with a question mark.
func requestField(e ast.Expr) string {
	switch e.Kind() {
	case ast.SelectKind:
		if s := e.AsSelect(); isRequest(s.Operand()) {
			return s.FieldName()
		}
	case ast.CallKind:
		c := e.AsCall()
		switch c.FunctionName() {
		case operators.Index, operators.OptIndex, operators.OptSelect:
			if args := c.Args(); len(args) == 2 && isRequest(args[0]) && args[1].Kind() == ast.LiteralKind {
				name, _ := args[1].AsLiteral().Value().(string)
				return name
			}
		}
	}
	return ""
}

func isRequest(e ast.Expr) bool {
	return e.Kind() == ast.IdentKind && e.AsIdent() == plugincel.RequestVarName
}
