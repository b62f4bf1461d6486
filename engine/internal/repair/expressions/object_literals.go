package expressions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// MapsAsObjects is an expression, or the value of a field in an ApplyConfiguration, with the maps that the server does
// not convert as literals of the types at their place: {"name": "a"} in a list becomes Object.spec.containers{name: "a"}.
// place is the type's name where the value is, t the type of the value; both of the whole object for an expression. t
// is nil where it is not known. The result is empty if a map cannot be such a literal.
func MapsAsObjects(text string, t *catalog.Type, place string) string {
	tree := values.ParseText(text)
	if tree == nil {
		return ""
	}
	w := &objectWriter{object: t}
	w.value(tree.Root, t, place, false)
	if w.failed || len(w.changes) == 0 {
		return ""
	}
	slices.SortStableFunc(w.changes, func(a, b rewrite.Change) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	runes, at := []rune(text), 0
	var b strings.Builder
	for _, c := range w.changes {
		b.WriteString(string(runes[at:c.Start]) + c.Text)
		at = c.End
	}
	return b.String() + string(runes[at:])
}

// fieldName is a name that a field of a literal can have.
var fieldName = lazy.Regexp{Text: `^[A-Za-z_][A-Za-z0-9_]*$`}

type objectWriter struct {
	object  *catalog.Type // what the names of literals lead through
	changes []rewrite.Change
	failed  bool
}

func (w *objectWriter) replace(start, end int, text string) {
	w.changes = append(w.changes, rewrite.Replace(start, end, text))
}

// value converts what a value may be made of. inside says that a list or a map is around it.
func (w *objectWriter) value(n *values.Node, t *catalog.Type, place string, inside bool) {
	switch {
	case n.Kind == values.Struct && n.Expr != nil:
		of := typeOfName(w.object, n.Name)
		for i, child := range n.Children {
			name := n.Expr.AsStruct().Fields()[i].AsStructField().Name()
			w.value(child, fieldOf(of, name), n.Name+"."+name, false)
		}
	case n.Kind == values.Map:
		w.mapOf(n, t, place, inside)
	case n.Kind == values.List:
		for _, child := range n.Children {
			w.value(child, elementOf(t), place, true)
		}
	case n.Kind == values.Macro && slices.Contains([]string{"map", "transformList"}, n.Name):
		w.value(n.Children[len(n.Children)-1], elementOf(t), place, true)
	case n.Kind == values.Macro && n.Name == "filter":
		w.value(n.Children[0], t, place, inside)
	case n.Kind == values.Ternary:
		w.value(n.Children[1], t, place, inside)
		w.value(n.Children[2], t, place, inside)
	case n.Kind == values.Call && n.Name == "_+_":
		w.value(n.Children[0], t, place, inside)
		w.value(n.Children[1], t, place, inside)
	case n.Kind == values.Call && slices.Contains([]string{"optional.of", "optional.ofNonZeroValue"}, n.Name):
		w.value(n.Children[len(n.Children)-1], t, place, inside)
	case n.Kind == values.Call && n.Name == "dyn" && len(n.Children) == 1:
		w.undynamic(n)
		w.value(n.Children[0], t, place, inside)
	}
}

// undynamic takes dyn() away, which only lets types differ in a map.
func (w *objectWriter) undynamic(n *values.Node) {
	w.replace(n.Start, n.Children[0].Start, "")
	w.replace(n.Children[0].End, n.End, "")
}

// mapOf converts a map, by what its place has: a list of objects, a map or an object.
func (w *objectWriter) mapOf(n *values.Node, t *catalog.Type, place string, inside bool) {
	open, closing := "", ""
	if t != nil && t.Kind == catalog.List {
		t, inside, open, closing = t.Elem, true, "[", "]"
	}
	switch {
	case t != nil && t.Kind == catalog.Map:
		w.failed = w.failed || inside || open != ""
		for i := 1; i < len(n.Children); i += 2 {
			w.value(n.Children[i], t.Elem, place, true)
		}
	case t != nil && t.Kind != catalog.Struct:
		w.failed = w.failed || inside || hasMap(n)
	case inside || hasMap(n):
		w.replace(n.Start, n.Start, open+place)
		w.fields(n, t, place)
		w.replace(n.End, n.End, closing)
	}
}

// fields writes the entries of a map as the fields of a type.
func (w *objectWriter) fields(n *values.Node, t *catalog.Type, place string) {
	for i := 0; i+1 < len(n.Children); i += 2 {
		key, value := n.Children[i], n.Children[i+1]
		name, isName := "", false
		if key.Expr != nil && key.Expr.Kind() == ast.LiteralKind {
			name, isName = key.Expr.AsLiteral().Value().(string)
		}
		if !isName || !fieldName.MatchString(name) || t != nil && t.Field(name) == nil {
			w.failed = true
			return
		}
		w.replace(key.Start, key.End, name)
		if value.Kind == values.Call && value.Name == "dyn" && len(value.Children) == 1 {
			w.undynamic(value)
			value = value.Children[0]
		}
		w.value(value, fieldOf(t, name), place+"."+name, false)
	}
}

// hasMap reports whether a map is in a value of a map.
func hasMap(n *values.Node) bool {
	for i, child := range n.Children {
		if (n.Kind != values.Map || i%2 == 1) && (child.Kind == values.Map || child.Kind != values.Struct && hasMap(child)) {
			return true
		}
	}
	return false
}

// typeOfName is the struct that the name of a literal stands for; nil where it is not known.
func typeOfName(t *catalog.Type, name string) *catalog.Type {
	for _, step := range strings.Split(name, ".")[1:] {
		t = fieldOf(t, step)
		for t != nil && (t.Kind == catalog.List || t.Kind == catalog.Map) {
			t = t.Elem
		}
	}
	return t
}

func fieldOf(t *catalog.Type, name string) *catalog.Type {
	if t == nil || t.Kind != catalog.Struct || t.Field(name) == nil {
		return nil
	}
	return t.Field(name).Type
}

func elementOf(t *catalog.Type) *catalog.Type {
	if t == nil || t.Kind != catalog.List && t.Kind != catalog.Map {
		return nil
	}
	return t.Elem
}
