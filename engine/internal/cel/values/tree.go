// Package values records the parts of a CEL expression: each part's place in the
// text, and its value and cost when the expression ran.
//
// cel-go keeps one position for each node, that of its operator or bracket, and it
// expands macros. This package builds the tree as it was written, with the range of
// code points of every node.
//
// Offsets are code points in the expression, half-open, 0-based.
package values

import (
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/parser"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// Kind says what a node is in the source.
type Kind int

// The kinds of nodes.
const (
	Literal Kind = iota
	Ident
	Select // a.b and a.?b
	Index  // a[b] and a[?b]
	Call
	Logical // && and ||
	Ternary
	List
	Map
	Struct
	Macro
	// Declared is the variable that a macro declares: c in list.all(c, ...).
	Declared
)

var kindNames = [...]string{"literal", "variable", "select", "index", "call", "logical", "ternary", "list", "map", "struct", "macro", "declared"}

// String names a kind as reports do.
func (k Kind) String() string { return kindNames[k] }

// Node is a part of an expression as it was written.
type Node struct {
	ID         int64
	Kind       Kind
	Start, End int
	// Name is the name of the variable, field, function, macro or type.
	Name string
	// Member reports whether the first child of a call or macro is its target.
	Member   bool
	Children []*Node
	// Index is the place of the node in Tree.Nodes.
	Index int
	// Depth is the number of loops around the node.
	Depth int
	// Expr is the evaluated expression; nil for Declared.
	Expr ast.Expr
}

// Tree is an expression as it was written.
type Tree struct {
	Root *Node
	// Nodes are all nodes, parents before their children.
	Nodes []*Node
	// Loops are the comprehensions that run more than once, Conditions the
	// nodes that are evaluated at the beginning of each of their iterations.
	Loops, Conditions map[int64]bool

	byID map[int64]*Node
}

// Node finds a node by the ID that cel-go gave it.
func (t *Tree) Node(id int64) *Node { return t.byID[id] }

// ParseText returns an expression's tree without compiling it, or nil if it does not parse.
func ParseText(expression string) *Tree {
	p, err := parser.NewParser(parser.Macros(parser.AllMacros...), parser.EnableOptionalSyntax(true), parser.PopulateMacroCalls(true))
	if err != nil {
		return nil
	}
	parsed, errs := p.Parse(common.NewTextSource(expression))
	if len(errs.GetErrors()) > 0 {
		return nil
	}
	return Parse(expression, parsed)
}

// Parse returns the tree of a compiled expression.
func Parse(expression string, compiled *ast.AST) *Tree {
	b := &builder{
		Tree:    &Tree{Loops: map[int64]bool{}, Conditions: map[int64]bool{}, byID: map[int64]*Node{}},
		info:    compiled.SourceInfo(),
		tokens:  source.NewTokens(expression),
		checked: map[int64]ast.Expr{},
		depth:   map[int64]int{},
	}
	b.index(compiled.Expr(), 0)
	b.Root = b.node(compiled.Expr(), 0)
	b.Root.Start, b.Root.End = b.tokens.Around(b.Root.Start, b.Root.End, true)
	return b.Tree
}

type builder struct {
	*Tree
	info    *ast.SourceInfo
	tokens  *source.Tokens
	checked map[int64]ast.Expr // every node that is evaluated
	depth   map[int64]int      // loops around it
}

// index collects the nodes that are evaluated, macros expanded.
func (b *builder) index(e ast.Expr, depth int) {
	b.checked[e.ID()], b.depth[e.ID()] = e, depth
	if e.Kind() != ast.ComprehensionKind {
		for _, child := range source.Operands(e) {
			b.index(child, depth)
		}
		return
	}
	c := e.AsComprehension()
	inner := depth
	// A macro that only binds a name is a fold over an empty list with the condition false.
	if cond := c.LoopCondition(); cond.Kind() != ast.LiteralKind || cond.AsLiteral().Value() != false {
		b.Loops[e.ID()], b.Conditions[cond.ID()] = true, true
		inner++
	}
	b.index(c.IterRange(), depth)
	b.index(c.AccuInit(), depth)
	b.index(c.LoopCondition(), inner)
	b.index(c.LoopStep(), inner)
	b.index(c.Result(), depth)
}

// node returns the node of an expression, with all nodes below it.
func (b *builder) node(e ast.Expr, depth int) *Node {
	n := &Node{ID: e.ID(), Index: len(b.Nodes), Depth: depth}
	b.Nodes = append(b.Nodes, n)
	b.byID[n.ID] = n
	if evaluated, ok := b.checked[n.ID]; ok {
		n.Expr, n.Depth = evaluated, b.depth[n.ID]
		e = evaluated
	}
	if macro, ok := b.info.GetMacroCall(n.ID); ok {
		b.macro(n, macro)
	} else {
		b.describe(n, e)
		list := source.Operands(e)
		if n.Kind == Select {
			list = list[:1] // the field of a.?b is a literal to cel-go
		}
		for _, child := range list {
			n.Children = append(n.Children, b.node(child, n.Depth))
		}
	}
	b.extent(n)
	return n
}

// macro returns the node of a macro, from the call as it was written.
func (b *builder) macro(n *Node, written ast.Expr) {
	n.Kind, n.Name, n.Member = Macro, written.AsCall().FunctionName(), written.AsCall().IsMemberFunction()
	for i, arg := range source.Operands(written) {
		_, evaluated := b.checked[arg.ID()]
		if n.Name == operators.Filter && i == 1 { // what it declares it also puts into its result
			evaluated = false
		}
		switch {
		case !evaluated && arg.Kind() == ast.SelectKind: // the field that has() tests
			n.Children = append(n.Children, b.node(arg.AsSelect().Operand(), n.Depth))
		case !evaluated && arg.Kind() == ast.IdentKind:
			child := b.node(arg, n.Depth+1)
			child.Kind, child.Name = Declared, arg.AsIdent()
			n.Children = append(n.Children, child)
		default:
			n.Children = append(n.Children, b.node(arg, n.Depth))
		}
	}
}

func (b *builder) describe(n *Node, e ast.Expr) {
	switch e.Kind() {
	case ast.IdentKind:
		n.Kind, n.Name = Ident, strings.TrimPrefix(e.AsIdent(), ".")
	case ast.SelectKind:
		n.Kind, n.Name = Select, e.AsSelect().FieldName()
	case ast.ListKind:
		n.Kind = List
	case ast.MapKind:
		n.Kind = Map
	case ast.StructKind:
		n.Kind, n.Name = Struct, e.AsStruct().TypeName()
	case ast.CallKind:
		b.describeCall(n, e.AsCall())
	default:
		n.Kind = Literal
	}
}

func (b *builder) describeCall(n *Node, call ast.CallExpr) {
	n.Kind, n.Name, n.Member = Call, call.FunctionName(), call.IsMemberFunction()
	switch n.Name {
	case operators.LogicalAnd, operators.LogicalOr:
		n.Kind = Logical
	case operators.Conditional:
		n.Kind = Ternary
	case operators.Index, operators.OptIndex:
		n.Kind = Index
	case operators.OptSelect:
		n.Kind = Select
		if field := call.Args()[1]; field.Kind() == ast.LiteralKind {
			n.Name, _ = field.AsLiteral().Value().(string)
		}
	}
}

// extent returns a node's range: that of its own tokens, from cel-go's position,
// and that of its operands.
func (b *builder) extent(n *Node) {
	at, _ := b.info.GetOffsetRange(n.ID)
	t := b.tokens
	i := t.Starting(int(at.Start))
	if i >= len(t.List) {
		i = len(t.List) - 1
	}
	first, last := i, i
	operatorOnly := false
	switch n.Kind {
	case Literal:
		if t.Is(i, "-") {
			last++
		}
	case Ident, Declared:
		first = t.Dotted(i)
		if t.Is(i, ".") { // a name with dots in it is at its last dot
			first, last = t.Dotted(i-1), i+1
		}
	case Select:
		last++
		if t.Is(last, "?") {
			last++
		}
	case Struct:
		first, last = t.Dotted(i-1), t.Partner[i]
	case Index, List, Map:
		last = t.Partner[i]
	case Call, Macro:
		if !t.Is(i, "(") {
			operatorOnly = true
			break
		}
		last = t.Partner[i]
		if first = i - 1; !n.Member {
			first = t.Dotted(first)
		}
	default:
		operatorOnly = true
	}
	last = min(max(last, first), len(t.List)-1)
	n.Start, n.End = t.List[max(first, 0)].Start, t.List[last].End
	for j, child := range n.Children {
		start, end := child.Start, child.End
		if operatorOnly || j == 0 {
			start, end = t.Around(start, end, operatorOnly)
		}
		n.Start, n.End = min(n.Start, start), max(n.End, end)
	}
}
