package check

import (
	"github.com/google/cel-go/cel"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// Variables computes the types of the first variables of a policy, each in the
// sight of those before it. As the server does it, a variable that does not
// compile has the type dyn, and so have the types that a variable does not
// carry on (semantics §9); in the Runtime style structs keep their type, since
// what they hold is known.
func (c *Checker) Variables(declared []eval.Declaration, view View) ([]Variable, error) {
	view.Scope.Variables, view.Scope.Patch = true, false
	view.Variables = nil
	for _, v := range declared {
		result, err := c.Check(v.Expression, view)
		if err != nil {
			return nil, err
		}
		t := cel.DynType
		if result.AST != nil {
			t = Carried(result.AST.OutputType(), view.Style)
		}
		view.Variables = append(view.Variables, Variable{Name: v.Name, Type: t, Expression: v.Expression})
	}
	return view.Variables, nil
}

// Carried is the type that the users of a variable see.
func Carried(t *cel.Type, style Style) *cel.Type {
	switch t.Kind() {
	case cel.ListKind:
		return cel.ListType(Carried(t.Parameters()[0], style))
	case cel.MapKind:
		return cel.MapType(Carried(t.Parameters()[0], style), Carried(t.Parameters()[1], style))
	case cel.StructKind:
		if style == Runtime {
			return t
		}
	case cel.BoolKind, cel.BytesKind, cel.DoubleKind, cel.DurationKind, cel.IntKind,
		cel.StringKind, cel.TimestampKind, cel.UintKind, cel.NullTypeKind:
		return t
	}
	return cel.DynType
}

// IsAtomic reports whether the API replaces the value of a field as a whole, which
// an ApplyConfiguration may not do (semantics §6.5). A list without a list type
// is atomic; so are lists whose items are.
func IsAtomic(f *catalog.Field) bool {
	switch f.Type.Kind {
	case catalog.List:
		return f.ListType == "" || f.ListType == "atomic" || f.Type.Elem.Kind == catalog.Struct && f.Type.Elem.MapType == "atomic"
	case catalog.Struct, catalog.Map:
		return f.MapType == "atomic" || f.MapType == "" && f.Type.MapType == "atomic"
	}
	return false
}
