package lint

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/internal/cel/values"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// place is what a part of an expression reads: the steps from a variable, with * for an item, and
// the type that this has in a kind of object; nil if it is not known.
type place struct {
	steps []string
	typ   *catalog.Type
	// mapped says that it is a list of what the steps lead to.
	mapped bool
}

// visit is called for every part of an expression with what it reads; nil for what is calculated.
type visit func(n *values.Node, of func(*values.Node) *place)

// walk goes through an expression in one world, variables apart, which it looks into for what they read.
func (p *policy) walk(w *outcomes.World, e *outcomes.Expression, f visit) {
	if e == nil {
		return
	}
	s := &places{policy: p, world: w}
	s.walk(e.Root(), nil, f)
}

type places struct {
	*policy
	world *outcomes.World
	depth int
	// guess takes the first branch of ?: that the kind of object has.
	guess bool
}

// bound are the places of the variables that macros declare.
type bound map[string]*place

func (s *places) walk(n *values.Node, in bound, f visit) {
	f(n, func(part *values.Node) *place { return s.place(part, in) })
	inner := in
	if n.Kind == values.Macro && n.Name != "has" && len(n.Children) > 1 && n.Children[1].Kind == values.Declared {
		inner = bound{}
		for name, at := range in {
			inner[name] = at
		}
		for _, child := range n.Children[1:] {
			if child.Kind == values.Declared {
				inner[child.Name] = nil
			}
		}
		inner[n.Children[1].Name] = item(s.place(n.Children[0], in))
	}
	for _, child := range n.Children {
		s.walk(child, inner, f)
	}
}

// mapped is the list that map() makes of what it reads of each item.
func (s *places) mapped(n *values.Node, in bound) *place {
	inner := maps.Clone(in)
	if inner == nil {
		inner = bound{}
	}
	inner[n.Children[1].Name] = item(s.place(n.Children[0], in))
	of := s.place(n.Children[2], inner)
	if of == nil || of.typ == nil {
		return nil
	}
	return &place{steps: of.steps, typ: &catalog.Type{Kind: catalog.List, Elem: of.typ}, mapped: true}
}

func item(list *place) *place {
	if list != nil && list.mapped {
		return &place{steps: list.steps, typ: list.typ.Elem}
	}
	if list == nil || list.typ != nil && list.typ.Kind != catalog.List {
		return nil // the keys of a map
	}
	out := &place{steps: append(slices.Clone(list.steps), "*")}
	if list.typ != nil {
		out.typ = list.typ.Elem
	}
	return out
}

// place is what a part reads.
func (s *places) place(n *values.Node, in bound) *place {
	switch n.Kind {
	case values.Ident:
		if at, ok := in[n.Name]; ok {
			return at
		}
		switch n.Name {
		case "object", "oldObject":
			return &place{steps: []string{n.Name}, typ: s.world.Object}
		case "params":
			return &place{steps: []string{n.Name}, typ: s.world.Params}
		case "request", "namespaceObject":
			return &place{steps: []string{n.Name}}
		}
	case values.Select:
		if c := n.Children[0]; c.Kind == values.Ident && c.Name == "variables" {
			v := s.named[n.Name]
			if v == nil || s.depth > 8 {
				return nil
			}
			s.depth++
			defer func() { s.depth-- }()
			return s.place(v.Root(), nil)
		}
		return s.step(s.place(n.Children[0], in), n.Name)
	case values.Index:
		of := s.place(n.Children[0], in)
		if key, ok := literalText(n.Children[1]); ok {
			return s.step(of, key)
		}
		return item(of)
	case values.Call:
		if (n.Name == "orValue" || n.Name == "dyn" || n.Name == "value") && len(n.Children) > 0 {
			return s.place(n.Children[0], in)
		}
		if n.Name == "_+_" {
			return s.place(n.Children[0], in)
		}
	case values.Ternary:
		for _, branch := range n.Children[1:] {
			if at := s.place(branch, in); s.guess && at != nil && at.typ != nil {
				return at
			}
		}
	case values.Macro:
		if n.Name == "filter" && len(n.Children) == 3 {
			return s.place(n.Children[0], in)
		}
		if n.Name == "map" && len(n.Children) == 3 && s.depth <= 8 {
			s.depth++
			defer func() { s.depth-- }()
			return s.mapped(n, in)
		}
	}
	return nil
}

func (s *places) step(of *place, name string) *place {
	if of == nil {
		return nil
	}
	out := &place{steps: append(slices.Clone(of.steps), name)}
	switch {
	case of.typ == nil && name == "metadata" && len(of.steps) == 1:
		out.typ = s.world.Metadata
	case of.typ != nil && (of.typ.Kind == catalog.Struct || of.typ.Kind == catalog.Map):
		out.typ = of.typ.At(name)
	}
	return out
}

func literalText(n *values.Node) (string, bool) {
	s, ok := literal(n).(string)
	return s, ok
}

// paths are the fields that an expression reads or asks for, with those of its variables, sorted.
func (p *policy) paths(e *outcomes.Expression) []string {
	var out []string
	seen := map[*outcomes.Expression]bool{}
	var read func(e *outcomes.Expression)
	read = func(e *outcomes.Expression) {
		if e == nil || seen[e] {
			return
		}
		seen[e] = true
		p.walk(&outcomes.World{}, e, func(n *values.Node, of func(*values.Node) *place) {
			if n.Kind == values.Select || n.Kind == values.Index {
				if c := n.Children[0]; c.Kind == values.Ident && c.Name == "variables" {
					read(p.named[n.Name])
				}
				if at := of(n); at != nil {
					out = append(out, strings.Join(at.steps, "."))
				}
			} else if base, name := presence(n, of); base != nil {
				out = append(out, strings.Join(append(slices.Clone(base.steps), "has "+name), "."))
			}
		})
	}
	read(e)
	slices.Sort(out)
	return slices.Compact(out)
}

// material are the fields that the expressions of the policy read or ask for, and their literals.
func (p *policy) material() (reads [][]string, constants []any) {
	seen := map[string]bool{}
	for _, w := range append(p.worlds(nil), &outcomes.World{}) {
		for _, e := range p.expressions() {
			if e.read == nil {
				continue
			}
			s := &places{policy: p, world: w, guess: true}
			s.walk(e.read.Root(), nil, func(n *values.Node, of func(*values.Node) *place) {
				if path := readBy(n, of); len(path) > 1 && !seen[strings.Join(path, "\x00")] {
					seen[strings.Join(path, "\x00")] = true
					reads = append(reads, path)
				}
				if v := literal(n); v != nil && !slices.Contains(constants, v) {
					constants = append(constants, v)
				}
			})
		}
	}
	return reads, constants
}

// readBy is the field that a part of an expression reads or asks for; nil if none is known.
func readBy(n *values.Node, of func(*values.Node) *place) []string {
	if n.Kind == values.Select || n.Kind == values.Index {
		if at := of(n); at != nil {
			return at.steps
		}
	} else if in, name := presence(n, of); in != nil {
		return append(slices.Clone(in.steps), name)
	}
	return nil
}

// literal is the value of a literal that is a text, an integer or a bool; nil for other parts.
func literal(n *values.Node) any {
	if n.Kind != values.Literal || n.Expr == nil || n.Expr.Kind() != ast.LiteralKind {
		return nil
	}
	switch v := n.Expr.AsLiteral().Value().(type) {
	case string, int64, bool:
		return v
	}
	return nil
}

// eachPart calls f for the parts of all expressions in the worlds of the policy; once it is true for a
// part it is not called for it again.
func (p *policy) eachPart(f func(e expression, n *values.Node, of func(*values.Node) *place) bool) {
	for _, e := range p.expressions() {
		done := map[*values.Node]bool{}
		for _, w := range p.worlds(nil) {
			p.walk(w, e.read, func(n *values.Node, of func(*values.Node) *place) {
				if !done[n] {
					done[n] = f(e, n, of)
				}
			})
		}
	}
}

// presence is the field whose presence has() or the operator in asks for, and what it is in; nil for other parts.
func presence(n *values.Node, of func(*values.Node) *place) (in *place, name string) {
	switch {
	case n.Kind == values.Macro && n.Name == "has" && n.Expr != nil && n.Expr.Kind() == ast.SelectKind:
		return of(n.Children[0]), n.Expr.AsSelect().FieldName()
	case n.Kind == values.Call && n.Name == "@in":
		if key, ok := literalText(n.Children[0]); ok {
			return of(n.Children[1]), key
		}
	}
	return nil, ""
}
