package typecheck

import (
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/cel/source"
	"github.com/preadmit/preadmit/engine/scenario"
)

// RuleProblems reports conditions in the rule of a custom resource that have the same result for every value, and a rule
// that admits what its message denies.
func RuleProblems(d *scenario.Document, plain, path, rule string, checker *check.Checker) ([]diag.Diagnostic, error) {
	in := &document{Document: d, plain: plain, checker: checker}
	a := &analysis{document: in, source: source.NewText(rule), view: check.View{Style: check.Runtime}}
	parsed, issues, err := checker.Parse(rule, a.view)
	if err != nil || source.Failed(issues) || parsed == nil {
		return nil, err
	}
	a.checked = &check.Result{AST: parsed}
	a.fixed(parsed.NativeRep().Expr())
	e := model.Expression{Place: model.Validation, Path: path, Text: rule}
	for _, f := range a.found {
		in.report(e, f)
	}
	if f := in.contradiction(e); f != nil {
		in.report(e, *f)
	}
	return in.out, nil
}
