package eval

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"

	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/report"
)

// MaxParts is how many parts an expression may have behind a macro that copies what it is called on.
// Each call of such a macro doubles them, so that two dozen in a row make a tree of gigabytes.
const MaxParts = 20_000

// copying are the macros of cel-go that copy what they are called on. Optional values have them,
// and no other library has one.
var copying = []string{"optMap", "optFlatMap"}

// manyParts is the message about an expression that has become too large.
var manyParts = fmt.Sprintf("%soptMap and optFlatMap copy their target, so this expression has more than %s parts; the API server makes all copies and may run out of memory", stopped, report.Number(MaxParts))

// manyPartsRemedy says what to write instead.
const manyPartsRemedy = "Give the macro's target a name, in spec.variables or with cel.bind, or combine consecutive optMap calls into one."

// BoundedMacros are the macros of an environment that copy, with a bound on the tree that they make.
// cel-go numbers the parts of an expression as it reads them, so the number of a part says how many
// there are.
func BoundedMacros(base *cel.Env) cel.EnvOption {
	var bounded []cel.Macro
	for _, m := range base.Macros() {
		for _, name := range copying {
			if m.Function() == name {
				bounded = append(bounded, boundedMacro{m})
			}
		}
	}
	return cel.Macros(bounded...)
}

type boundedMacro struct{ cel.Macro }

// Expander implements cel.Macro. What is copied is looked at before it is, and what comes of
// it after: one copy at most doubles the tree.
func (m boundedMacro) Expander() cel.MacroFactory {
	expand := m.Macro.Expander()
	return func(factory parser.ExprHelper, target ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
		if target != nil && target.ID() > MaxParts {
			return nil, &common.Error{Message: manyParts}
		}
		expanded, err := expand(factory, target, args)
		if err == nil && expanded != nil && expanded.ID() > MaxParts {
			return nil, &common.Error{Message: manyParts}
		}
		return expanded, err
	}
}

// endAtMacro ends the run if one of the issues is a macro that made an expression too large.
func endAtMacro(b *worklimit.Budget, expression string, issues *cel.Issues) {
	for _, e := range issues.Errors() {
		if e.Message != manyParts {
			continue
		}
		start, end := macroAt(expression, e.Location)
		b.At(start, end, manyPartsRemedy)
		b.TooLarge(strings.TrimPrefix(manyParts, stopped))
	}
}

// macroAt is the name of the macro whose bracket is at a place, in code points.
func macroAt(expression string, place common.Location) (start, end int) {
	bracket, ok := common.NewTextSource(expression).LocationOffset(place)
	if !ok {
		return 0, utf8.RuneCountInString(expression)
	}
	before := strings.TrimRight(string([]rune(expression)[:bracket]), " \t\n")
	for _, name := range copying {
		if strings.HasSuffix(before, name) {
			end = utf8.RuneCountInString(before)
			return end - len(name), end
		}
	}
	return int(bracket), int(bracket) + 1
}
