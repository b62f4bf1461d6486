package values

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// attribute watches a variable, or another value that is selected from, with
// all its selections. The planner adds selections to it; index is the node of
// the last one so far.
// It implements interpreter.InterpretableV2, interpreter.Interpretable, interpreter.Qualifier and interpreter.InterpretableAttribute.
type attribute struct {
	interpreter.InterpretableAttribute
	program *Program
	index   int
	// conditional says that it starts with a ? : b, which costs nothing.
	conditional bool
	// tested says that has() asks for its last selection. The has() is another
	// attribute around it, whose operand it is.
	tested  bool
	operand *attribute
}

// isConditional reports whether a node is planned as a conditional: ? : itself
// and the macros that expand to it.
func isConditional(n *Node) bool {
	return n.Expr != nil && n.Expr.Kind() == ast.CallKind && n.Expr.AsCall().FunctionName() == operators.Conditional
}

// inChain reports whether the cost of a node is measured by its chain, not by
// itself.
func inChain(n *Node) bool {
	return n.Kind == Ident || n.Kind == Select || n.Kind == Index || isConditional(n)
}

func (a *attribute) pending() uint64 {
	if a.conditional {
		return 0
	}
	return 1
}

func (a *attribute) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	r := a.program.run
	r.open(a.index)
	r.begin(a, a.pending())
	v := a.InterpretableAttribute.Exec(frame)
	r.close(a.index)
	r.end(a.index, v, nil)
	return v
}

func (a *attribute) Eval(vars interpreter.Activation) ref.Val {
	return a.Exec(interpreter.AsFrame(vars))
}

// Resolve is how has() gets at the value.
func (a *attribute) Resolve(vars interpreter.Activation) (any, error) {
	r := a.program.run
	r.begin(a, a.pending())
	v, err := a.InterpretableAttribute.Resolve(vars)
	r.abandon(a.index, err)
	return v, err
}

// Attr is how a conditional gets at its branches.
func (a *attribute) Attr() interpreter.Attribute {
	if a.tested {
		return a.InterpretableAttribute.Attr()
	}
	return &branch{Attribute: a.InterpretableAttribute.Attr(), attribute: a}
}

// Qualify implements interpreter.Qualifier: the variable is the index of
// another one.
func (a *attribute) Qualify(vars interpreter.Activation, obj any) (any, error) {
	q, err := a.qualifier(vars)
	if err != nil {
		return nil, err
	}
	return q.Qualify(vars, obj)
}

func (a *attribute) QualifyIfPresent(vars interpreter.Activation, obj any, presenceOnly bool) (any, bool, error) {
	q, err := a.qualifier(vars)
	if err != nil {
		return nil, false, err
	}
	return q.QualifyIfPresent(vars, obj, presenceOnly)
}

func (a *attribute) qualifier(vars interpreter.Activation) (interpreter.Qualifier, error) {
	attr := a.InterpretableAttribute.Attr()
	r := a.program.run
	r.open(a.index)
	r.begin(a, 0) // as an index, a variable itself costs nothing
	v, err := attr.Resolve(vars)
	r.close(a.index)
	r.end(a.index, v, err)
	if err != nil {
		return nil, err
	}
	return a.program.planner.factory.NewQualifier(nil, attr.ID(), v, attr.IsOptional())
}

func (a *attribute) AddQualifier(q interpreter.Qualifier) (interpreter.Attribute, error) {
	n := a.program.tree.Node(q.ID())
	if n == nil {
		_, err := a.InterpretableAttribute.AddQualifier(q)
		return a, err
	}
	s := selection{attribute: a, operand: a.index, index: n.Index, inChain: inChain(a.program.tree.Nodes[a.index])}
	if n.Kind == Macro {
		a.tested = true
		a.program.tested[n.Index] = a
	}
	switch inner := q.(type) {
	case interpreter.ConstantQualifier:
		s.qualifier = inner
		q = &constantSelection{s, constant{inner}}
	case *attribute: // an index that is computed; it is watched as a selection
		s.qualifier = inner.InterpretableAttribute
		q = &computedSelection{s, computed{inner.InterpretableAttribute}}
	case interpreter.Attribute:
		s.qualifier = inner
		q = &variableSelection{s, variable{inner}}
	}
	_, err := a.InterpretableAttribute.AddQualifier(q)
	return a, err
}

// branch is a variable as a branch of a conditional. cel-go resolves it without
// evaluating its node. It implements interpreter.Attribute.
type branch struct {
	interpreter.Attribute
	attribute *attribute
	// selected says that the conditional is selected from, so that its branches
	// resolve to more than themselves.
	selected bool
}

func (b *branch) AddQualifier(q interpreter.Qualifier) (interpreter.Attribute, error) {
	if !b.selected {
		q = &branchSelection{q, b}
	}
	b.selected = true
	_, err := b.Attribute.AddQualifier(q)
	return b, err
}

func (b *branch) Resolve(vars interpreter.Activation) (any, error) {
	r, i, owner := b.attribute.program.run, b.attribute.index, b.attribute
	if owner.operand != nil {
		owner = owner.operand
	}
	r.begin(owner, 0)
	if !b.selected {
		r.open(i)
	}
	v, err := b.Attribute.Resolve(vars)
	if b.selected {
		r.abandon(i, err)
	} else {
		r.close(i)
		r.end(i, v, err)
	}
	return v, err
}

// branchSelection is the first selection from a conditional: what it selects
// from is the value of the branch. It implements interpreter.Qualifier.
type branchSelection struct {
	interpreter.Qualifier
	branch *branch
}

func (q *branchSelection) before(obj any) {
	r, a := q.branch.attribute.program.run, q.branch.attribute
	c := r.chainOf(a)
	if r.states[a.index].sequence < c.sequence {
		r.add(a.index, obj, nil)
	}
	r.records[a.index].Cost += r.costs.ActualCost() - c.entry
	c.last = -1
}

func (q *branchSelection) Qualify(vars interpreter.Activation, obj any) (any, error) {
	q.before(obj)
	return q.Qualifier.Qualify(vars, obj)
}

func (q *branchSelection) QualifyIfPresent(vars interpreter.Activation, obj any, presenceOnly bool) (any, bool, error) {
	q.before(obj)
	return q.Qualifier.QualifyIfPresent(vars, obj, presenceOnly)
}

// selection is a field or index that is selected from a value. It implements interpreter.Qualifier.
type selection struct {
	qualifier      interpreter.Qualifier
	attribute      *attribute
	operand, index int
	inChain        bool // the operand's cost is measured here
}

// before runs when the value that is selected from is known.
func (s *selection) before(obj any) {
	r := s.attribute.program.run
	c := r.chainOf(s.attribute)
	if r.states[s.operand].sequence < c.sequence {
		r.add(s.operand, obj, nil)
	}
	if s.inChain {
		r.records[s.operand].Cost += r.costs.ActualCost() - c.entry + c.pending
	}
	c.last = s.index
}

// after records what was selected; obj is what from.
func (s *selection) after(obj, out any, err error) {
	r := s.attribute.program.run
	r.add(s.index, out, err)
	if err != nil {
		r.states[s.index].latest.on = obj
	}
}

// optional records a selection that may be absent.
func (s *selection) optional(obj, out any, present bool, err error) {
	switch {
	case err != nil:
		s.after(obj, nil, err)
	case present && out != nil:
		s.after(obj, types.OptionalOf(s.attribute.program.planner.adapter.NativeToValue(out)), nil)
	default:
		s.after(obj, types.OptionalNone, nil)
	}
}

func (s *selection) Qualify(vars interpreter.Activation, obj any) (any, error) {
	s.before(obj)
	out, err := s.qualifier.Qualify(vars, obj)
	s.after(obj, out, err)
	return out, err
}

func (s *selection) QualifyIfPresent(vars interpreter.Activation, obj any, presenceOnly bool) (any, bool, error) {
	s.before(obj)
	out, present, err := s.qualifier.QualifyIfPresent(vars, obj, presenceOnly)
	s.optional(obj, out, present, err)
	return out, present, err
}

// The kinds of selections: a.b and a['b'], a[f(b)], and a[b]. Each stays what it watches, because
// the cost observer and the interpreter distinguish them.
type (
	constantSelection struct {
		selection
		constant
	}
	computedSelection struct {
		selection
		computed
	}
	variableSelection struct {
		selection
		variable
	}
)

// These are embedded below the selection, so that its methods come before theirs.
type (
	constant struct{ interpreter.ConstantQualifier }
	computed struct {
		interpreter.InterpretableAttribute
	}
	variable struct{ interpreter.Attribute }
)
