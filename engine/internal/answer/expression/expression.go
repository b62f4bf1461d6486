// Package expression evaluates the free expression of a scenario, and schema rules that no definition
// has.
package expression

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/hints"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/policy/elsewhere"
	"github.com/preadmit/preadmit/engine/internal/repair/expressions"
	"github.com/preadmit/preadmit/engine/internal/text/position"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Evaluate evaluates the scenario's free expression as if it were in the
// context that the scenario names: with the variables and the first param of
// the first policy that has such a context, and with the object as it is in
// that phase.
func Evaluate(e *evaluate.Evaluation) {
	switch {
	case e.Scenario.Expression == "":
		return
	case e.Scenario.ExpressionContext == scenario.RuleContext:
		rulesAlone(e)
		return
	case elsewhere.Variable(e.Scenario.ExpressionContext) != "":
		evaluateElsewhere(e)
		return
	}
	place := model.Context(e.Scenario.ExpressionContext)
	policy := expressionPolicy(e, place)
	scope, compiler := expressionScope(e, place, policy)
	compiled := compiler.CompileIn(e.Scenario.Expression, eval.Free, scope)
	in := expressionInputs(e, place, policy)
	list := e.Evaluator.Unrecorded().NewListRun(in, compiler.Variables, place.Budget.Limit) // it belongs to no step
	result := list.Run(compiled)
	described := explain.Evaluation(explain.Source{Name: "expression"}, result, place.List)
	described.Text, described.Span = diag.Expression, diag.Span{End: len(e.Scenario.Expression)}
	if list.Abort != "" {
		described.Error = list.Abort
	}
	if policy != nil {
		described.Variables = explain.Variables(list.Variables, policy.Variable, place.List)
	}
	e.Report.Expression = &described
	expressionIssues(e, compiled, place, scope, compiler)
}

// expressionPolicy is the policy whose params and variables the expression
// sees.
func expressionPolicy(e *evaluate.Evaluation, place *model.Place) *run.Policy {
	var mutating, validating []*run.Policy
	for _, p := range e.MutatingPolicies {
		mutating = append(mutating, &p.Policy)
	}
	for _, p := range e.ValidatingPolicies {
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

func expressionScope(e *evaluate.Evaluation, place *model.Place, policy *run.Policy) (eval.Scope, *eval.Compiler) {
	scope := place.Result.Scope(false, false)
	compiler := e.Environments.Within(e.Budget).NewCompiler(eval.Run, false, false)
	if policy != nil {
		compiler = policy.Compiler.Within(e.Budget)
		scope.Params, scope.Variables = policy.ParamKind != nil, true
	}
	return scope, compiler
}

func expressionInputs(e *evaluate.Evaluation, place *model.Place, policy *run.Policy) eval.Inputs {
	if e.Chain == nil {
		return eval.Inputs{}
	}
	a := &e.Chain.Attributes
	object := e.Report.Input
	if place == model.Validation || place == model.MessageExpression {
		object = a.Object
	}
	in, err := e.Chain.Inputs(object, a.Kind, a.Resource)
	if err != nil {
		return eval.Inputs{}
	}
	if place.Namespace {
		// A missing namespace has been reported by the chain already.
		in.Namespace, _ = e.Chain.Namespace()
	}
	if place == model.MessageExpression {
		in.Authorizers = nil
	}
	if policy != nil {
		in.Params = e.Chain.FirstParam(policy)
	}
	return in
}

// ofRequest are the variables that only a request has.
var ofRequest = lazy.Regexp{Text: `\b(object|oldObject|request|authorizer|namespaceObject)\b`}

// WithoutRequest replaces what is said of a free expression that failed because there is no
// request: its variables are null, which is no mistake of the expression. It counts as not evaluated.
func WithoutRequest(e *evaluate.Evaluation) {
	x := e.Report.Expression
	if e.Chain != nil || x == nil || x.Error == "" {
		return
	}
	at := ofRequest.FindStringSubmatchIndex(e.Scenario.Expression)
	if at == nil {
		return
	}
	failed := func(d diag.Diagnostic) bool { return d.Text == diag.Expression && d.Code == codes.CELRuntime }
	if !slices.ContainsFunc(e.Report.Diagnostics, failed) {
		return
	}
	none := "there is no request, so " + e.Scenario.Expression[at[0]:at[1]] + " has no value"
	*x = report.Evaluation{Name: x.Name, Expression: x.Expression, Text: x.Text, Span: x.Span, Error: none, Cost: -1}
	e.Report.Diagnostics = slices.DeleteFunc(e.Report.Diagnostics, failed)
	e.Diagnose([]diag.Diagnostic{{Code: codes.CELRuntime, Severity: diag.Warning, Text: diag.Expression, Span: diag.Span{Start: at[0], End: at[1]},
		Summary: none,
		Detail:  "Give one with -r FILE on the command line, or paste one under Request."}})
	diag.Locate(e.Report.Diagnostics, e.Texts())
}

// expressionIssues explains what keeps the free expression from compiling, as for an expression
// of a policy at that place.
func expressionIssues(e *evaluate.Evaluation, c *eval.Compiled, place *model.Place, scope eval.Scope, compiler *eval.Compiler) {
	index := position.NewIndex(c.Expression)
	repairer := expressions.Repairer{Environments: e.Environments.Within(e.Budget), Catalog: e.Catalog}
	var object *catalog.Type
	if e.Chain != nil {
		object, _ = e.Catalog.TypeOf(e.Chain.Attributes.Kind)
	}
	for _, issue := range hints.Issues(place, e.Version, c, compiledIn(e, c.Expression, scope)) {
		d := diag.Diagnostic{Code: issue.Code, Severity: diag.Error, Text: diag.Expression,
			Span:    diag.Span{Start: index.FromRunes(issue.Start), End: index.FromRunes(issue.End)},
			Summary: issue.Summary, Detail: issue.Detail}
		repairer.Free(&d, c.Expression, place, scope, compiler, object)
		e.Diagnose([]diag.Diagnostic{d})
	}
	switch {
	case c.OK():
		wrongResult(e, c, place)
	case len(c.Issues) == 0:
		e.Diagnose([]diag.Diagnostic{{Code: codes.CELCompile, Severity: diag.Error, Text: diag.Expression, Span: diag.Span{End: len(c.Expression)}, Summary: c.Err}})
	}
}

// wrongResult names a type that the server would reject in the place that the scenario names. Its value
// is worth seeing nevertheless, so the expression is evaluated.
func wrongResult(e *evaluate.Evaluation, c *eval.Compiled, place *model.Place) {
	context := e.Scenario.ExpressionContext
	if e.Chain == nil || context == "" || context == scenario.MutationContext {
		return // a mutation is of two types, and without a request that is what to say
	}
	if said := eval.WrongType(e.Version, place.Result, c.Output); said != "" {
		e.Diagnose([]diag.Diagnostic{{Code: codes.CELReturnType, Severity: diag.Info, Text: diag.Expression, Span: diag.Span{End: len(c.Expression)},
			Summary: "as a " + place.Name + ", the server would reject it: " + said}})
	}
}

// compiledIn compiles the free expression as other releases do.
func compiledIn(e *evaluate.Evaluation, text string, scope eval.Scope) hints.CompileIn {
	return func(v version.Version, mode eval.Mode) []eval.Issue {
		environments, err := e.Store.Environments.ForVersion(v)
		if err != nil { // only releases that there are
			return nil
		}
		return environments.NewCompiler(mode, scope.Params, scope.Variables).CompileIn(text, eval.Free, scope).Issues
	}
}
