package typecheck

import (
	"slices"
	"strings"
	"unicode"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"

	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// constantCalls finds functions of constants that fail: quantity('512MB') is the same error for
// every request, also where && or || hide it from most of them.
func (a *analysis) constantCalls(root ast.Expr) {
	ast.PreOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		call := e.AsCall()
		args := source.Operands(e)
		isFunction := unicode.IsLetter(rune(call.FunctionName()[0]))
		if !isFunction || len(args) == 0 || slices.ContainsFunc(args, func(arg ast.Expr) bool { return arg.Kind() != ast.LiteralKind }) {
			return
		}
		if message := a.failure(call, args); message != "" {
			a.failingCall(call, args[0], message)
		}
	}))
}

// failure is the error of a function of constants; empty where it returns a value.
func (a *analysis) failure(call ast.CallExpr, args []ast.Expr) string {
	var written []string
	for _, arg := range args {
		written = append(written, a.source.Slice(a.place(arg.ID())))
	}
	text := call.FunctionName() + "(" + strings.Join(written, ", ") + ")"
	if call.IsMemberFunction() {
		text = written[0] + "." + call.FunctionName() + "(" + strings.Join(written[1:], ", ") + ")"
	}
	env, err := a.checker.Env(a.view)
	if err != nil {
		return ""
	}
	compiled, issues := env.Compile(text)
	if source.Failed(issues) {
		return ""
	}
	program, err := env.Program(compiled)
	if err != nil {
		return ""
	}
	if _, _, err = program.Eval(cel.NoVars()); err != nil {
		return err.Error()
	}
	return ""
}

func (a *analysis) failingCall(call ast.CallExpr, first ast.Expr, message string) {
	start, end := a.place(first.ID())
	written := a.source.Slice(start, end)
	f := finding{code: codes.FailingConstant, start: start, end: end,
		summary: call.FunctionName() + "() always fails for " + written,
		detail:  "It fails wherever it is reached: " + strings.TrimSuffix(message, ".") + "."}
	if call.FunctionName() == "quantity" {
		f.detail = "It fails wherever it is reached. A quantity is a number, or one with a unit such as m, k, M, G, Ki, Mi or Gi."
		f.replacement = expressions.KubernetesUnit(written)
	}
	a.add(f)
}
