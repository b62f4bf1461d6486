package eval

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/report"
)

// parseWork is what reading takes, in units of work for a byte of an expression:
// the grammar is general, and tries several ways to read each part.
const parseWork = 125

// variableWork is what each variable that an expression may use takes when it is
// compiled: its name and type are part of what the expression depends on.
const variableWork = 40

// Check parses and checks an expression in an environment, and charges a budget for
// it before it does; nil charges none. Nothing can interrupt either.
func Check(b *worklimit.Budget, env *cel.Env, expression string) (*cel.Ast, *cel.Issues) {
	defer b.Reading(expression)()
	b.Compiling()
	b.Work(parseWork * len(expression))
	parsed, issues := env.Parse(expression)
	if source.Failed(issues) {
		endAtMacro(b, expression, issues)
		return nil, issues
	}
	ChargeCheck(b, env, parsed)
	checked, issues := CheckParsed(env, parsed)
	if source.Failed(issues) {
		return nil, issues
	}
	return checked, issues
}

// crashes begins the message about an expression that crashes the checker.
const crashes = "the API server crashes on this expression"

// Crashes reports whether the server crashes when it checks the expression.
func (c *Compiled) Crashes() bool { return len(c.Issues) == 1 && Crash(c.Issues[0].Message) }

// Crash reports whether a message of the compiler is about an expression that crashes it.
func Crash(message string) bool { return strings.HasPrefix(message, crashes) }

// CheckParsed checks the types of a parsed expression. Some expressions crash cel-go, such as
// [?object.a]: its validator of lists wants the type of every optional item to have a
// parameter, and an unknown type has none. They crash the server too.
func CheckParsed(env *cel.Env, parsed *cel.Ast) (checked *cel.Ast, issues *cel.Issues) {
	defer func() {
		if reason := recover(); reason != nil {
			errors := common.NewErrors(parsed.Source())
			errors.ReportErrorString(common.NewLocation(1, 0), fmt.Sprintf(crashes+" (%v)", reason))
			checked, issues = nil, cel.NewIssues(errors)
		}
	}()
	return env.Check(parsed)
}

// ChargeCheck charges for the check of the types of a parsed expression. cel-go keeps the type
// parameters of all calls in one table, and copies it for each overload that it tries and each item
// of a list. So the work grows with the square of their number. It writes the type of a list of
// lists of lists out again for each level, so it grows with the fourth power of the number of loops
// over what another loop returned.
func ChargeCheck(b *worklimit.Budget, env *cel.Env, parsed *cel.Ast) {
	if b == nil {
		return
	}
	s := shaper{functions: env.Functions()}
	depth := s.visit(parsed.NativeRep().Expr())
	if s.calls > manyCalls && s.parameters > 0 {
		b.At(0, 0, fmt.Sprintf("With its macros expanded, the expression makes %s calls. The time for its type check grows with the square of that number. Split it into several.", report.Number(int64(s.calls))))
	}
	b.Work(copyWork * s.copies * s.parameters)
	if depth > 1000 {
		b.Work(1 << 50) // and no overflow below
	}
	b.Work(depth * depth * depth * depth / 2)
}

const (
	// manyCalls is from how many calls on the type check of a single expression counts among the
	// reasons for which a run ends.
	manyCalls = 1000
	// copyWork is for an entry of the table, which is on average half as large as at the end.
	copyWork = 4
)

// shaper counts what the type check of an expression takes.
type shaper struct {
	functions map[string]*decls.FunctionDecl
	// copies are how often the table of type parameters is copied, parameters how many it has then.
	calls, copies, parameters int
}

// visit counts an expression, and returns how many of its loops each go over what another one
// returned.
func (s *shaper) visit(e ast.Expr) (depth int) {
	operands := source.Operands(e)
	switch e.Kind() {
	case ast.CallKind:
		s.calls++
		s.call(e.AsCall().FunctionName(), len(operands))
	case ast.ListKind, ast.MapKind:
		s.calls++
		s.copies += len(operands)
	case ast.StructKind:
		s.copies += len(operands)
	case ast.ComprehensionKind:
		s.calls++
		s.copies += 2
		c := e.AsComprehension()
		for _, part := range []ast.Expr{c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			depth = max(depth, s.visit(part))
		}
		return max(depth, s.visit(c.IterRange())+1)
	}
	for _, operand := range operands {
		depth = max(depth, s.visit(operand))
	}
	return depth
}

// call counts a call: the operands of && and || one by one, those of others for each overload.
func (s *shaper) call(function string, operands int) {
	declared, ok := s.functions[function]
	if function == operators.LogicalAnd || function == operators.LogicalOr || !ok {
		s.copies += operands
		return
	}
	parameters := 0
	for _, overload := range declared.OverloadDecls() {
		s.copies++
		parameters = max(parameters, len(overload.TypeParams()))
	}
	s.parameters += parameters
}
