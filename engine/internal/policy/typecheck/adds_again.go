package typecheck

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"

	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// testsText are the methods that ask for a part of a text.
var testsText = lazy.Regexp{Text: `\.(startsWith|endsWith|contains|matches|indexOf)\(`}

// addsAgain finds a field that is set to its own value with a text before or behind it: each run of the policy adds the
// text once more. An expression or match condition that tests a text is taken to ask whether it is there.
func (a *analysis) addsAgain(typeName string, field ast.StructField) {
	value := field.Value()
	if value.Kind() != ast.CallKind || value.AsCall().FunctionName() != operators.Add || model.RunsAgain(a.Value) == "" {
		return
	}
	args := value.AsCall().Args()
	own := slices.IndexFunc(args, func(arg ast.Expr) bool { return a.placeOfValue(arg, 0) == typeName+"."+field.Name() })
	if own < 0 || args[1-own].Kind() != ast.LiteralKind || slices.ContainsFunc(append(a.conditions(), a.expression.Text), testsText.MatchString) {
		return
	}
	if _, text := args[1-own].AsLiteral().Value().(string); !text {
		return
	}
	start, end, ok := a.extent(value)
	from, to, found := a.extent(args[own])
	if !ok || !found {
		return
	}
	written, added, test := a.source.Slice(from, to), a.source.Slice(start, from), "startsWith"
	if own == 0 {
		added, test = a.source.Slice(to, end), "endsWith"
	}
	added = strings.Trim(added, " +\n\t")
	name := path(typeName, field.Name())
	a.add(finding{code: codes.NotIdempotent, start: start, end: end, summary: "each run of the policy adds " + added + " to " + name + " again",
		detail:      model.RunsAgain(a.Value),
		replacement: written + "." + test + "(" + added + ") ? " + written + " : " + a.source.Slice(start, end)})
}
