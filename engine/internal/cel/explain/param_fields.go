package explain

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/internal/cel/values"
)

// ParamField is a field of the params that an expression reads.
type ParamField struct {
	Path []string
	// Value is one that the expression can use, such as "1" for int(params.data.max): a text, an
	// int64, a bool or a list of texts.
	Value any
}

// ParamFields lists the fields of params that expressions read, in their order. A field that
// leads to another one is not listed, and neither is one below metadata.
func ParamFields(expressions []string) []ParamField {
	r := &paramReader{}
	for _, text := range expressions {
		if tree := values.ParseText(text); tree != nil {
			r.walk(tree.Root, nil, 0)
		}
	}
	return slices.DeleteFunc(r.found, func(f ParamField) bool {
		return f.Path[0] == "metadata" || slices.ContainsFunc(r.found, func(other ParamField) bool {
			return len(other.Path) > len(f.Path) && slices.Equal(other.Path[:len(f.Path)], f.Path)
		})
	})
}

type paramReader struct{ found []ParamField }

// walk collects the reads of a part, which is a child of parent.
func (r *paramReader) walk(n, parent *values.Node, index int) {
	if path := paramPath(n); len(path) > 0 {
		r.add(path, paramValue(parent, index))
		return
	}
	for _, path := range presentParams(n) {
		r.add(path, nil)
	}
	for i, child := range n.Children {
		r.walk(child, n, i)
	}
}

// add adds a read; a value takes the place of one that is not known.
func (r *paramReader) add(path []string, value any) {
	i := slices.IndexFunc(r.found, func(f ParamField) bool { return slices.Equal(f.Path, path) })
	if i < 0 {
		r.found = append(r.found, ParamField{Path: path})
		i = len(r.found) - 1
	}
	if r.found[i].Value == nil {
		r.found[i].Value = value
	}
}

// paramPath is the path of a part within params: empty for params itself, nil for another part.
func paramPath(n *values.Node) []string {
	switch {
	case n.Kind == values.Ident && n.Name == "params":
		return []string{}
	case n.Kind == values.Call && n.Name == "orValue" && len(n.Children) > 0:
		return paramPath(n.Children[0])
	case n.Kind != values.Select && n.Kind != values.Index || len(n.Children) == 0:
		return nil
	}
	of := paramPath(n.Children[0])
	if of == nil {
		return nil
	}
	if n.Kind == values.Select {
		return append(slices.Clone(of), n.Name)
	}
	key, ok := literalOf(n.Children[len(n.Children)-1]).(string)
	if !ok {
		return nil
	}
	return append(slices.Clone(of), key)
}

// presentParams are the fields that has(params.a) or 'a' in params asks for.
func presentParams(n *values.Node) [][]string {
	switch {
	case n.Kind == values.Macro && n.Name == "has" && n.Expr != nil && n.Expr.Kind() == ast.SelectKind:
		if of := paramPath(n.Children[0]); of != nil {
			return [][]string{append(slices.Clone(of), n.Expr.AsSelect().FieldName())}
		}
	case n.Kind == values.Call && n.Name == "@in":
		if key, ok := literalOf(n.Children[0]).(string); ok {
			if of := paramPath(n.Children[1]); of != nil {
				return [][]string{append(slices.Clone(of), key)}
			}
		}
	}
	return nil
}

func literalOf(n *values.Node) any {
	if n.Kind != values.Literal || n.Expr == nil || n.Expr.Kind() != ast.LiteralKind {
		return nil
	}
	return n.Expr.AsLiteral().Value()
}

// readByConversion are texts that a conversion can read.
var readByConversion = map[string]string{
	"int": "1", "uint": "1", "double": "1", "quantity": "1", "bool": "true", "duration": "1h",
	"timestamp": "2026-01-01T00:00:00Z", "url": "https://example.com", "ip": "10.0.0.1", "cidr": "10.0.0.0/8", "semver": "1.0.0",
}

// paramValue is a value that the part around a read can use; nil where that does not show.
func paramValue(parent *values.Node, index int) any {
	switch {
	case parent == nil:
		return nil
	case parent.Kind == values.Macro && index == 0:
		return []any{"x"}
	case parent.Kind != values.Call:
		return nil
	case readByConversion[parent.Name] != "":
		return readByConversion[parent.Name]
	case parent.Name == "@in" && index == 1:
		return []any{"x"}
	}
	if strings.HasPrefix(parent.Name, "_") && len(parent.Children) == 2 {
		switch other := literalOf(parent.Children[1-index]).(type) {
		case string, int64, bool:
			return other
		}
		switch parent.Name {
		case "_<_", "_<=_", "_>_", "_>=_", "_-_", "_*_", "_/_", "_%_":
			return int64(1)
		}
	}
	return nil
}
