package engine

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/policy/model"
	"github.com/preadmit/preadmit/engine/internal/text/position"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

const perCallLimit = eval.PerCallLimit

// expression evaluates the scenario's free expression as if it were in the
// context that the scenario names: with the variables and the first param of
// the first policy that has such a context, and with the object as it is in
// that phase.
func (e *evaluation) expression() {
	switch {
	case e.scenario.Expression == "":
		return
	case e.scenario.ExpressionContext == scenario.RuleContext:
		e.rulesAlone()
		return
	}
	place := model.Context(e.scenario.ExpressionContext)
	policy := e.expressionPolicy(place)
	scope, compiler := e.expressionScope(place, policy)
	compiled := compiler.CompileIn(e.scenario.Expression, eval.Free, scope)
	in := e.expressionInputs(place, policy)
	list := e.evaluator.Unrecorded().NewListRun(in, compiler.Variables, place.Budget.Limit) // it belongs to no step
	result := list.Run(compiled)
	described := explain.Evaluation(explain.Source{Name: "expression"}, result, place.List)
	described.Text, described.Span = diag.Expression, diag.Span{End: len(e.scenario.Expression)}
	if list.Abort != "" {
		described.Error = list.Abort
	}
	if policy != nil {
		described.Variables = explain.Variables(list.Variables, policy.Variable, place.List)
	}
	e.report.Expression = &described
	e.expressionIssues(compiled)
}

// expressionPolicy is the policy whose params and variables the expression
// sees.
func (e *evaluation) expressionPolicy(place *model.Place) *run.Policy {
	var mutating, validating []*run.Policy
	for _, p := range e.mutatingPolicies {
		mutating = append(mutating, &p.Policy)
	}
	for _, p := range e.validatingPolicies {
		validating = append(validating, &p.Policy)
	}
	var list []*run.Policy
	switch place {
	case model.WebhookCondition:
	case model.ApplyConfiguration:
		list = mutating
	case model.MatchCondition:
		list = slices.Concat(mutating, validating)
	default:
		list = slices.Concat(validating, mutating)
	}
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

func (e *evaluation) expressionScope(place *model.Place, policy *run.Policy) (eval.Scope, *eval.Compiler) {
	scope := place.Result.Scope(false, false)
	compiler := e.environments.Within(e.budget).NewCompiler(eval.Run, false, false)
	if policy != nil {
		compiler = policy.Compiler.Within(e.budget)
		scope.Params, scope.Variables = policy.ParamKind != nil, true
	}
	return scope, compiler
}

func (e *evaluation) expressionInputs(place *model.Place, policy *run.Policy) eval.Inputs {
	if e.chain == nil {
		return eval.Inputs{}
	}
	a := &e.chain.Attributes
	object := e.report.Input
	if place == model.Validation || place == model.MessageExpression {
		object = a.Object
	}
	in, err := e.chain.Inputs(object, a.Kind, a.Resource)
	if err != nil {
		return eval.Inputs{}
	}
	if place.Namespace {
		// A missing namespace has been reported by the chain already.
		in.Namespace, _ = e.chain.Namespace()
	}
	if place == model.MessageExpression {
		in.Authorizers = nil
	}
	if policy != nil {
		in.Params = e.chain.FirstParam(policy)
	}
	return in
}

func (e *evaluation) expressionIssues(c *eval.Compiled) {
	index := position.NewIndex(c.Expression)
	for _, issue := range c.Issues {
		e.diagnose([]diag.Diagnostic{{Code: codes.CELCompile, Severity: diag.Error, Text: diag.Expression,
			Span: diag.Span{Start: index.FromRunes(issue.Start), End: index.FromRunes(issue.End)}, Summary: issue.Message}})
	}
	if len(c.Issues) == 0 && !c.OK() {
		e.diagnose([]diag.Diagnostic{{Code: codes.CELCompile, Severity: diag.Error, Text: diag.Expression, Span: diag.Span{End: len(c.Expression)}, Summary: c.Err}})
	}
}
