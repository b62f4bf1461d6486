package eval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
)

// callWork is what a call takes, with what it is given and the turn of the loop that it is in: every
// turn of a loop makes a call, its own if no other. It takes some times as long, and is charged less,
// because all that the server's own budgets let a policy or the rules of the object of a request do
// is to fit into the limit of a run.
const callWork = 2

// Values of the stack that are looked through in one unit of work: in loops that look through
// all of it at most twice for a call, as those do without a condition in them, in others, and
// besides from where the stack does not fit into the processor's nearest memory any more.
// Those without a condition take more, too, and are charged less for the same reason.
const (
	simpleScans   = 200 // of [scansPerCall]
	scannedSimply = 60
	scanned       = 32
	longStack     = 500
	scannedFar    = 20
)

// stackWork is what looking through a stack of so many values takes for one call.
func stackWork(values, scans int) int {
	far := max(values-longStack, 0) / scannedFar
	if scans <= simpleScans {
		return values/scannedSimply + far
	}
	return values*scans/(100*scanned) + far
}

// The cost tracker of cel-go looks for what is no longer needed by looking through its
// stack from the end, and in a loop the stack grows with every turn. What is near the end is
// found at once. What is not there is looked for in all of it, which is the most that such a
// loop does: this counts how often that happens.

// scansPerCall is how often, in hundredths, a loop of an expression has the whole stack looked
// through for each call that it makes; 0 without a loop.
func scansPerCall(e ast.Expr) int {
	var most stretch
	loops(e, &most)
	return most.most
}

// stretch is something that is evaluated as a whole or not at all, such as an operand of ||.
type stretch struct {
	// scans and calls are how many of them it has, without those of loops in it.
	scans, calls int
	// loops says that there are such.
	loops bool
	// most is how many scans there are for a call at most, in hundredths, in a part of it or in a loop.
	most int
}

// loops looks for the loops of an expression, and notes in p what the dearest has.
func loops(e ast.Expr, p *stretch) {
	if e.Kind() != ast.ComprehensionKind {
		for _, child := range source.Operands(e) {
			loops(child, p)
		}
		return
	}
	c := e.AsComprehension()
	for _, once := range []ast.Expr{c.IterRange(), c.AccuInit(), c.Result()} {
		loops(once, p)
	}
	var turn stretch
	turn.evaluated(c.LoopCondition())
	step := c.LoopStep()
	if operator := function(step); operator == operators.LogicalAnd || operator == operators.LogicalOr {
		turn.scans++ // of the macro itself, which goes on to its operand in every turn that there is
		for _, operand := range step.AsCall().Args() {
			turn.evaluated(operand)
		}
	} else {
		turn.evaluated(step)
	}
	p.most = max(p.most, turn.most)
	if !turn.loops { // the turns of a loop in it are those that count
		p.most = max(p.most, 100*turn.scans/max(turn.calls, 1))
	}
	p.loops = true
}

// evaluated adds what is evaluated whenever the stretch is.
func (p *stretch) evaluated(e ast.Expr) {
	switch operator := function(e); {
	case e.Kind() == ast.IdentKind:
		p.scans++ // it is looked for in the turn before
	case e.Kind() == ast.ComprehensionKind:
		loops(e, p)
		p.evaluated(e.AsComprehension().IterRange())
	case operator == operators.LogicalAnd || operator == operators.LogicalOr:
		p.scans++ // the first operand takes the second with it, which is then looked for
		args := e.AsCall().Args()
		p.evaluated(args[0])
		p.perhaps(args[1])
	case operator == operators.Conditional:
		p.scans += 2 // for both branches: one was skipped, the other leaves nothing if it is a name
		args := e.AsCall().Args()
		p.evaluated(args[0])
		p.perhaps(args[1])
		p.perhaps(args[2])
	default:
		if e.Kind() == ast.CallKind && operator != operators.Index && operator != operators.OptIndex && operator != operators.OptSelect {
			p.calls++
		}
		for _, child := range source.Operands(e) {
			p.evaluated(child)
		}
	}
}

// perhaps adds a part that may be skipped: for what it has for each of its own calls it does
// not matter whether it is.
func (p *stretch) perhaps(e ast.Expr) {
	var inner stretch
	inner.evaluated(e)
	p.most, p.loops = max(p.most, inner.most), p.loops || inner.loops
	if inner.calls == 0 {
		p.scans += inner.scans
	} else {
		p.most = max(p.most, 100*inner.scans/inner.calls)
	}
}

// function is the name of the function that an expression calls, or "".
func function(e ast.Expr) string {
	if e.Kind() != ast.CallKind {
		return ""
	}
	return e.AsCall().FunctionName()
}
