package main

import (
	"context"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/preadmit/preadmit/conformance/wire"
)

// The policy plugins compile a policy in a function of their own, which hands
// the costs of its expressions to nobody. compileValidating and compileMutating build the
// same evaluators from the same parts, with a recorder between the parts:
// cel.CompositedCompiler compiles and evaluates, matchconditions and validating
// decide, patch patches. Answer.PluginDifference shows that nothing is lost.

// A recorder keeps the runs of one scenario.
type recorder struct {
	phase string
	pass  int
	runs  []wire.Run
}

// compileValidating is what the plugin's compilePolicy does.
func (r *recorder) compileValidating(p *v1.ValidatingAdmissionPolicy) validating.Validator {
	compiler := newCompiler()
	full := declarations(p.Spec.ParamKind != nil, true)
	messages := declarations(p.Spec.ParamKind != nil, false)
	for _, v := range p.Spec.Variables {
		compileVariable(compiler, v.Name, v.Expression, full)
	}
	list := func(name string) *conditionRecorder {
		return &conditionRecorder{recorder: r, policy: p.Name, list: name, compiler: compiler}
	}
	validations, texts, annotations := list(wire.Validations), list(wire.Messages), list(wire.AuditAnnotations)
	for _, v := range p.Spec.Validations {
		validations.add(&validating.ValidationCondition{Expression: v.Expression, Message: v.Message, Reason: v.Reason}, full)
		if v.MessageExpression == "" {
			texts.add(nil, messages)
		} else {
			texts.add(&validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}, messages)
		}
	}
	for _, a := range p.Spec.AuditAnnotations {
		annotations.add(&validating.AuditAnnotationCondition{Key: a.Key, ValueExpression: a.ValueExpression}, full)
	}
	matcher := r.matcher(compiler, p.Name, p.Spec.MatchConditions, p.Spec.FailurePolicy, full)
	return newValidator(validations, matcher, annotations, texts, p.Spec.FailurePolicy)
}

func compileVariable(compiler *cel.CompositedCompiler, name, expression string, decls cel.OptionalVariableDeclarations) {
	compiler.CompileAndStoreVariable(&validating.Variable{Name: name, Expression: expression}, decls, environment.StoredExpressions)
}

func (r *recorder) matcher(compiler *cel.CompositedCompiler, policy string, conditions []v1.MatchCondition, fail *v1.FailurePolicyType, decls cel.OptionalVariableDeclarations) matchconditions.Matcher {
	if len(conditions) == 0 {
		return nil
	}
	list := &conditionRecorder{recorder: r, policy: policy, list: wire.MatchConditions, compiler: compiler}
	for i := range conditions {
		list.add((*matchconditions.MatchCondition)(&conditions[i]), decls)
	}
	return matchconditions.NewMatcher(list, fail, "policy", "validate", policy)
}

// conditionRecorder evaluates a list of expressions and records what each cost. It implements evaluator.
type conditionRecorder struct {
	*recorder
	policy, list string
	compiler     *cel.CompositedCompiler
	results      []cel.CompilationResult
}

// add compiles an expression; nil leaves a gap, as for a validation without a
// messageExpression.
func (c *conditionRecorder) add(accessor cel.ExpressionAccessor, decls cel.OptionalVariableDeclarations) {
	if accessor == nil {
		c.results = append(c.results, cel.CompilationResult{})
		return
	}
	c.results = append(c.results, c.compiler.CompileCELExpression(accessor, decls, environment.StoredExpressions))
}

func (c *conditionRecorder) CompilationErrors() []error {
	return newEvaluator(c.results).CompilationErrors()
}

func (c *conditionRecorder) ForInput(ctx context.Context, va *admission.VersionedAttributes, request *admissionv1.AdmissionRequest, inputs cel.OptionalVariableBindings, namespace *corev1.Namespace, budget int64) ([]cel.EvaluationResult, int64, error) {
	evaluate := func(n int, budget int64) ([]cel.EvaluationResult, int64, error) {
		return newEvaluator(c.results[:n]).ForInput(withVariables(ctx, c.compiler), va, request, inputs, namespace, budget)
	}
	out, remaining, err := evaluate(len(c.results), budget)
	run := c.begin(c.policy, c.list, 0, inputs.VersionedParams, budget)
	before := budget
	for n := range c.results {
		_, after, prefixErr := evaluate(n+1, budget)
		if prefixErr != nil {
			run.Costs = append(run.Costs, -1)
			continue
		}
		run.Costs = append(run.Costs, before-after)
		before = after
	}
	for i := range c.results {
		text := ""
		if i < len(out) && out[i].Error != nil {
			text = out[i].Error.Error()
		}
		run.Errors = append(run.Errors, text)
	}
	run.BudgetCheck = checkBudget(budget-remaining, err, func(budget int64) error {
		_, _, err := evaluate(len(c.results), budget)
		return err
	})
	c.end(run, err)
	return out, remaining, err
}

func (r *recorder) begin(policy, list string, index int, param runtime.Object, budget int64) wire.Run {
	run := wire.Run{Phase: r.phase, Pass: r.pass, Policy: policy, List: list, Index: index, Budget: budget}
	if param != nil {
		run.Param = paramKey(param)
	}
	return run
}

func (r *recorder) end(run wire.Run, err error) {
	if err != nil {
		run.Aborted = err.Error()
	}
	r.runs = append(r.runs, run)
}

// paramKey is namespace/name. The validating plugin wraps typed params in a
// type of its own, which can only be read in unstructured form.
func paramKey(param runtime.Object) string {
	if key := objectKey(param); key != "" {
		return key
	}
	w, ok := param.(interface{ ToUnstructured() interface{} })
	if !ok {
		return fmt.Sprintf("%T", param)
	}
	m, _ := w.ToUnstructured().(map[string]interface{})
	metadata, _ := m["metadata"].(map[string]interface{})
	name, _ := metadata["name"].(string)
	if ns, _ := metadata["namespace"].(string); ns != "" {
		return ns + "/" + name
	}
	return name
}

// checkBudget repeats a run that succeeded with its exact cost as budget, and
// with one unit less. The cost of a loop over a map that stops early depends on
// the order of a Go map, which differs from run to run: hence several tries.
func checkBudget(cost int64, err error, run func(budget int64) error) string {
	if err != nil || cost <= 0 {
		return ""
	}
	problem := ""
	for range 10 {
		problem = ""
		if err := run(cost); err != nil {
			problem = fmt.Sprintf("with a budget of %d: %v", cost, err)
		} else if err := run(cost - 1); err == nil || !strings.Contains(err.Error(), "running out of cost budget") {
			problem = fmt.Sprintf("with a budget of %d, one less than the cost: %v", cost-1, err)
		}
		if problem == "" {
			break
		}
	}
	return problem
}
