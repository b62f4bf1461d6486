package engine

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/text/position"
)

const perCallLimit = eval.PerCallLimit

// expression evaluates the scenario's free expression as if it stood in the
// context that the scenario names: with the variables and the first param of
// the first policy that has such a context, and with the object as it is in
// that phase.
func (e *evaluation) expression() {
	if e.scenario.Expression == "" {
		return
	}
	context := e.scenario.ExpressionContext
	policy := e.expressionPolicy(context)
	scope, compiler := e.expressionScope(context, policy)
	compiled := compiler.CompileIn(e.scenario.Expression, eval.Free, scope)
	in := e.expressionInputs(context, policy)
	budget := eval.Budget
	if context == "webhook" || context == "condition" {
		budget = eval.MatchConditionsBudget
	}
	list := eval.NewListRun(eval.WithRecords(e.ctx, nil), in, compiler.Variables, budget) // it belongs to no step
	result := list.Run(compiled)
	described := explain.Evaluation(explain.Source{Name: "expression"}, result, context)
	described.Text, described.Span = diag.Expression, diag.Span{End: len(e.scenario.Expression)}
	if list.Abort != "" {
		described.Error = list.Abort
	}
	if policy != nil {
		described.Variables = explain.Variables(list.Variables, policy.Variable, context)
	}
	e.report.Expression = &described
	e.expressionIssues(compiled)
}

// expressionPolicy is the policy whose params and variables the expression
// sees.
func (e *evaluation) expressionPolicy(context string) *run.Policy {
	var mutating, validating []*run.Policy
	for _, p := range e.mutatingPolicies {
		mutating = append(mutating, &p.Policy)
	}
	for _, p := range e.validatingPolicies {
		validating = append(validating, &p.Policy)
	}
	var list []*run.Policy
	switch context {
	case "webhook":
	case "mutation":
		list = mutating
	case "condition":
		list = slices.Concat(mutating, validating)
	default:
		list = slices.Concat(validating, mutating)
	}
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

func (e *evaluation) expressionScope(context string, policy *run.Policy) (eval.Scope, *eval.Compiler) {
	scope := eval.Scope{Authorizer: context != "message", Patch: context == "mutation"}
	compiler := e.expressions.NewCompiler(eval.Run, false, false)
	if policy != nil {
		compiler = policy.Compiler
		scope.Params, scope.Variables = policy.ParamKind != nil, true
	}
	return scope, compiler
}

func (e *evaluation) expressionInputs(context string, policy *run.Policy) eval.Inputs {
	if e.chain == nil {
		return eval.Inputs{}
	}
	a := &e.chain.Attributes
	object := e.report.Input
	if context != "webhook" && context != "condition" && context != "mutation" {
		object = a.Object
	}
	in, err := e.chain.Inputs(object, a.Kind, a.Resource)
	if err != nil {
		return eval.Inputs{}
	}
	if context != "webhook" && context != "condition" {
		// A missing namespace has been reported by the chain already.
		in.Namespace, _ = e.chain.Namespace()
	}
	if context == "message" {
		in.Authorizer, in.RequestResource = nil, nil
	}
	if policy != nil {
		in.Params = e.chain.FirstParam(policy)
	}
	return in
}

func (e *evaluation) expressionIssues(c *eval.Compiled) {
	index := position.NewIndex(c.Expression)
	for _, issue := range c.Issues {
		e.diagnose([]diag.Diagnostic{{Code: "cel-compile", Severity: diag.Error, Text: diag.Expression,
			Span: diag.Span{Start: index.FromRunes(issue.Start), End: index.FromRunes(issue.End)}, Summary: issue.Message}})
	}
	if len(c.Issues) == 0 && !c.OK() {
		e.diagnose([]diag.Diagnostic{{Code: "cel-compile", Severity: diag.Error, Text: diag.Expression, Span: diag.Span{End: len(c.Expression)}, Summary: c.Err}})
	}
}
