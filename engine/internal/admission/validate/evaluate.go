package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/internal/admission/condition"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// decision is what one validation says.
type decision struct {
	deny    bool
	message string
	reason  metav1.StatusReason
}

// evaluation is one policy with one binding and one param.
type evaluation struct {
	*policyRun
	i      run.Invocation
	policy *Policy
	in     eval.Inputs
	// step is only valid until the next step is added.
	step *report.Step
}

// invoke evaluates one invocation and applies its decisions.
func (r *policyRun) invoke(i run.Invocation, p *Policy, namespace map[string]any, published *annotations) {
	r.Enter(i.Step)
	e := &evaluation{policyRun: r, i: i, policy: p, step: i.Step}
	decisions, err := e.decide(namespace)
	if err != nil {
		e.fail(fmt.Errorf("failed to configure binding: failed to convert object version: %w", err))
		return
	}
	if e.step.Status == "" {
		e.step.Status = report.Evaluated
		e.step.Verdict = report.Admit
	}
	values, failed := e.auditAnnotations(&decisions)
	for index, d := range decisions {
		if d.deny {
			r.apply(i, index, d.message, d.reason)
		}
	}
	for _, v := range values {
		if published.add(v.key, v.value) {
			r.Note(codes.AnnotationCut, fmt.Sprintf("The value of the audit annotation %s is cut to %d bytes.", v.key, maxAnnotationBytes))
		}
	}
	for _, message := range failed {
		// An annotation that fails denies, whatever the actions are.
		e.step.Verdict = report.Deny
		e.step.Messages = append(e.step.Messages, message)
		r.denials = append(r.denials, denial{policy: i.Policy, binding: i.Binding, message: message, step: i.Step})
	}
}

func (e *evaluation) fail(err error) {
	e.step.Status, e.step.Error = report.Errored, err.Error()
	e.configError(&run.ConfigError{Policy: e.i.Policy, Binding: e.i.Binding, Err: err, Step: e.i.Step})
}

// failed is the decision about an error.
func (e *evaluation) failed(message string) decision {
	return decision{deny: !e.policy.Ignore(), message: message}
}

// decide runs match conditions, validations and messages. The error is that of
// a conversion between versions.
func (e *evaluation) decide(namespace map[string]any) ([]decision, error) {
	object, err := e.Versioned(e.Attributes.Object, e.i.Kind)
	if err != nil {
		return nil, err
	}
	in, err := e.ConditionInputs(object, e.i.Kind)
	if err != nil {
		return nil, err
	}
	in.Values = &e.values
	if e.i.Param != nil {
		in.Params = e.i.Param.Value
	}
	outcome := condition.Evaluate(e.Evaluator, e.policy.Conditions, e.policy.Compiler.Variables, in, e.policy.Ignore())
	e.DescribeConditions(e.i.Step, outcome, e.policy.Variable)
	if outcome.Err != "" {
		return []decision{e.failed(outcome.Err)}, nil
	}
	if !outcome.Matches {
		return nil, nil
	}
	if e.in, err = e.Inputs(object, e.i.Kind, e.i.Resource); err != nil {
		return nil, err
	}
	e.in.Params, e.in.Namespace, e.in.Values = in.Params, namespace, in.Values
	return e.validations(), nil
}

// validations runs all validations as one list and their messages as another,
// which has the budget that is left (semantics §7.1, §7.2).
func (e *evaluation) validations() []decision {
	list := e.Evaluator.NewListRun(e.in, e.policy.Compiler.Variables, eval.Budget)
	results := make([]eval.Result, len(e.policy.validations))
	e.step.Validations = slices.Grow(e.step.Validations, len(results))
	for i, v := range e.policy.validations {
		results[i] = list.Run(v.compiled)
		e.step.Validations = append(e.step.Validations, report.Validation{Evaluation: explain.Evaluation(v.source, results[i], model.Validation.List)})
	}
	e.variables(list, model.Validation.List)
	if list.Abort != "" {
		e.budget(model.Validation.Budget.Scope, eval.Budget-list.Remaining, true)
		e.step.Status, e.step.Error = report.Errored, list.Abort
		return []decision{e.failed(list.Abort)}
	}
	messages, poisoned := e.messages(list)
	out := make([]decision, len(results))
	for i, r := range results {
		out[i] = e.decideOne(i, r, messages[i], poisoned)
		described := &e.step.Validations[i]
		described.Decision, described.Message, described.Reason = report.Admit, out[i].message, string(out[i].reason)
		if out[i].deny {
			described.Decision = report.Deny
		}
	}
	return out
}

func (e *evaluation) decideOne(i int, r, message eval.Result, poisoned string) decision {
	v := e.policy.validations[i]
	switch {
	case r.Err != "":
		return e.failed(r.Err)
	case poisoned != "":
		return e.failed("failed messageExpression: " + poisoned)
	case r.Value != types.True:
		d := decision{deny: true, message: messageOf(v, message), reason: metav1.StatusReasonInvalid}
		if v.spec.Reason != nil {
			d.reason = *v.spec.Reason
		}
		return d
	}
	return decision{}
}

// messages runs all messageExpressions, also those of validations that hold,
// without the authorizer. poisoned is the error that makes all validations
// without one of their own fail.
func (e *evaluation) messages(validations *eval.ListRun) (results []eval.Result, poisoned string) {
	results = make([]eval.Result, len(e.policy.validations))
	if !slices.ContainsFunc(e.policy.validations, func(v validation) bool { return v.message != nil }) {
		e.budget(model.Validation.Budget.Scope, eval.Budget-validations.Remaining, false)
		return results, ""
	}
	in := e.in
	in.Authorizers = nil
	list := e.Evaluator.NewListRun(in, e.policy.Compiler.Variables, validations.Remaining)
	for i, v := range e.policy.validations {
		if v.message == nil {
			continue
		}
		results[i] = list.Run(v.message)
		described := explain.Evaluation(v.messageSource, results[i], model.MessageExpression.List)
		if _, why := eval.MessageText(results[i]); why != "" && results[i].Value != nil && results[i].Err == "" {
			described.Notes = append(described.Notes, report.Note{Code: codes.MessageNotUsed,
				Text: "The server does not use this text: " + why + ". It uses the validation's message instead, or else the expression's text."})
		}
		e.step.Validations[i].MessageExpression = &described
	}
	e.variables(list, model.MessageExpression.List)
	e.budget(model.Validation.Budget.Scope, eval.Budget-list.Remaining, list.Abort != "")
	if list.Abort != "" {
		e.step.Notes = append(e.step.Notes, report.Note{Code: codes.MessageBudget,
			Text: "A messageExpression used up the budget that the validations left: the server then treats every validation of the policy as failed with an error, even those that hold."})
	}
	return results, list.Abort
}

// messageOf is the text for a failed validation (semantics §7.3).
func messageOf(v validation, result eval.Result) string {
	if text, _ := eval.MessageText(result); text != "" && result.Err == "" {
		return text
	}
	if text := strings.TrimSpace(v.spec.Message); text != "" {
		return text
	}
	return "failed expression: " + strings.TrimSpace(v.spec.Expression)
}

type published struct{ key, value string }

// auditAnnotations evaluates the annotations with a budget of their own. When
// that breaks, one error replaces all decisions; the texts of single failures
// are returned (semantics §7.4).
func (e *evaluation) auditAnnotations(decisions *[]decision) (values []published, failed []string) {
	if e.step.Status != report.Evaluated || len(e.policy.annotations) == 0 {
		return nil, nil
	}
	in := e.in
	in.Authorizers = nil
	list := e.Evaluator.NewListRun(in, e.policy.Compiler.Variables, eval.Budget)
	for _, a := range e.policy.annotations {
		r := list.Run(a.compiled)
		e.step.AuditAnnotations = append(e.step.AuditAnnotations, explain.Evaluation(a.source, r, model.AuditAnnotation.List))
		switch {
		case list.Abort != "":
		case r.Err != "":
			if !e.policy.Ignore() {
				failed = append(failed, r.Err)
			}
		default:
			if text, ok := r.Value.Value().(string); ok && strings.TrimSpace(text) != "" {
				values = append(values, published{a.key, strings.TrimSpace(text)})
			}
		}
	}
	e.variables(list, model.AuditAnnotation.List)
	e.budget(model.AuditAnnotation.Budget.Scope, eval.Budget-list.Remaining, list.Abort != "")
	if list.Abort != "" {
		*decisions = []decision{e.failed(list.Abort)}
		e.step.Error = list.Abort
		return nil, nil
	}
	return values, failed
}

func (e *evaluation) variables(list *eval.ListRun, name report.List) {
	e.step.Variables = append(e.step.Variables, explain.Variables(list.Variables, e.policy.Variable, name)...)
}

func (e *evaluation) budget(scope report.Scope, used int64, exceeded bool) {
	e.AddBudget(e.i.Step, report.Budget{Scope: scope, Limit: eval.Budget, Used: used, Exceeded: exceeded, Policy: e.policy.Name})
}

// maxAnnotationBytes is where the server cuts a published value.
const maxAnnotationBytes = 10 * 1024

// add reports whether the value was cut.
func (a *annotations) add(key, value string) (cut bool) {
	if cut = len(value) > maxAnnotationBytes; cut {
		value = value[:maxAnnotationBytes]
	}
	if a.values == nil {
		a.values = map[string][]string{}
	}
	if _, ok := a.values[key]; !ok {
		a.keys = append(a.keys, key)
	}
	for _, v := range a.values[key] {
		if v == value {
			return cut
		}
	}
	a.values[key] = append(a.values[key], value)
	return cut
}
