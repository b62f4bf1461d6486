package failures

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/internal/lazy"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// repair adds a fix to the diagnostic of an expression that the server would
// reject, where one is plain.
func (x *explainer) repair(d *diag.Diagnostic) {
	if len(d.Fixes) > 0 || !strings.HasPrefix(d.Code, "cel-") && d.Code != codes.LiteralNestedMap {
		return
	}
	s := x.texts.source(d.Text, d.Path, d.Span)
	if s == nil {
		return
	}
	length := len(s.Runes)
	wrap := func(function string) diag.Fix {
		return s.Fix("Convert the value with "+function+"()", rewrite.Replace(0, 0, function+"("), rewrite.Replace(length, length, ")"))
	}
	switch {
	case strings.HasPrefix(d.Summary, "must evaluate to bool but got dyn") && strings.HasPrefix(d.Detail, expressions.VariableRejected):
		// The type is known when the variable is repaired.
	case strings.HasPrefix(d.Summary, "must evaluate to bool but got dyn"):
		d.Fixes = []diag.Fix{wrap("bool")}
	case strings.HasPrefix(d.Summary, "must evaluate to string but got"), strings.HasPrefix(d.Summary, "must evaluate to one of [string null_type] but got"):
		if !strings.Contains(d.Summary, "got list(") && !strings.Contains(d.Summary, "got map(") {
			d.Fixes = []diag.Fix{wrap("string")}
		}
	case strings.HasPrefix(d.Summary, "must evaluate to list(JSONPatch) but got list(dyn)") && strings.Join(strings.Fields(string(s.Runes)), "") == "[]":
		d.Fixes = []diag.Fix{s.Fix("Give the empty list a type: add a condition and a patch",
			rewrite.Replace(0, length, "false ? [JSONPatch{op: 'add', path: '/metadata/labels/example', value: 'true'}] : []"))}
	case strings.HasPrefix(d.Summary, "must evaluate to Object but got map("):
		if tree := values.ParseText(string(s.Runes)); tree != nil && tree.Root.Kind == values.Map {
			addLiteral(d, s, tree.Root, "Object")
		}
	case d.Code == codes.LiteralNestedMap:
		if tree := values.ParseText(string(s.Runes)); tree != nil {
			nestedMap(d, s, tree)
		}
	case strings.HasPrefix(d.Summary, "found no matching overload for 'sign' applied to 'kubernetes.Quantity.()'"):
		if tree := values.ParseText(string(s.Runes)); tree != nil {
			globalSign(d, s, tree)
		}
	}
}

// nestedMap writes the map that contains a nested one as a literal of its
// type. The innermost map stays: it is a map to the API as well, or else the
// next problem.
func nestedMap(d *diag.Diagnostic, s *rewrite.Source, tree *values.Tree) {
	var found *values.Node
	typeName := ""
	var search func(n *values.Node, typeName string)
	search = func(n *values.Node, path string) {
		if n.Kind == values.Map && s.Place(n.Start, n.End).Start <= d.Span.Start && path != "" && hasMap(n) {
			found, typeName = n, path
		}
		for i, child := range n.Children {
			switch n.Kind {
			case values.Struct:
				search(child, n.Name+"."+n.Expr.AsStruct().Fields()[i].AsStructField().Name())
			case values.List:
				search(child, path)
			default:
				search(child, "")
			}
		}
	}
	search(tree.Root, "")
	if found != nil {
		addLiteral(d, s, found, typeName)
	}
}

// hasMap reports whether a value of a map is a map or a list of maps.
func hasMap(n *values.Node) bool {
	for i, child := range n.Children {
		if i%2 == 1 && (child.Kind == values.Map || child.Kind == values.List && len(child.Children) > 0 && child.Children[0].Kind == values.Map) {
			return true
		}
	}
	return false
}

// addLiteral offers to write a map as a literal of an Object type, and the maps
// in it that have maps in them.
func addLiteral(d *diag.Diagnostic, s *rewrite.Source, n *values.Node, typeName string) {
	if changes, ok := asLiteral(n, typeName); ok {
		d.Fixes = []diag.Fix{s.Fix("Write it as "+typeName+"{...}", changes...)}
	}
}

func asLiteral(n *values.Node, typeName string) (changes []rewrite.Change, ok bool) {
	changes = []rewrite.Change{rewrite.Replace(n.Start, n.Start, typeName)}
	for i := 0; i+1 < len(n.Children); i += 2 {
		key, value := n.Children[i], n.Children[i+1]
		name, isName := "", false
		if key.Expr != nil && key.Expr.Kind() == ast.LiteralKind {
			name, isName = key.Expr.AsLiteral().Value().(string)
		}
		if !isName || !identifier.MatchString(name) {
			return nil, false // no field can have this name
		}
		changes = append(changes, rewrite.Replace(key.Start, key.End, name))
		items := []*values.Node{value}
		if value.Kind == values.List {
			items = value.Children
		}
		for _, item := range items {
			if item.Kind != values.Map || !hasMap(item) && value.Kind != values.List {
				continue
			}
			inner, ok := asLiteral(item, typeName+"."+name)
			if !ok {
				return nil, false
			}
			changes = append(changes, inner...)
		}
	}
	return changes, true
}

// globalSign writes q.sign() as sign(q): it is a function, not a method.
func globalSign(d *diag.Diagnostic, s *rewrite.Source, tree *values.Tree) {
	for _, n := range tree.Nodes {
		if n.Kind != values.Call || n.Name != "sign" || !n.Member || len(n.Children) != 1 {
			continue
		}
		target := n.Children[0]
		if m := methodCall.FindString(string(s.Runes[target.End:n.End])); m != "" {
			d.Fixes = []diag.Fix{s.Fix("Write sign(...)", rewrite.Replace(n.Start, n.Start, "sign("), rewrite.Replace(n.End-len([]rune(m)), n.End, ")"))}
			return
		}
	}
}

var methodCall = lazy.Regexp{Text: `\s*\.\s*sign\s*\(\s*\)$`}
