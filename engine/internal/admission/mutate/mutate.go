// Package mutate runs MutatingAdmissionPolicies (semantics §6).
package mutate

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/admission/condition"
	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/diff"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// Kind is the kind of the policies that this package runs.
const Kind = "MutatingAdmissionPolicy"

// Policy is a compiled MutatingAdmissionPolicy.
type Policy struct {
	run.Policy
	reinvocable bool
	mutations   []mutation
}

// mutation is one entry of spec.mutations.
type mutation struct {
	patchType v1.PatchType
	source    explain.Source
	compiled  *eval.Compiled
}

// Compile compiles a policy. What does not compile fails when it is used.
func Compile(envs *eval.Environments, common run.Policy, spec *v1.MutatingAdmissionPolicySpec) *Policy {
	p := &Policy{Policy: common, reinvocable: spec.ReinvocationPolicy == v1.IfNeededReinvocationPolicy}
	p.Policy.Compile(envs, spec.Variables, spec.MatchConditions)
	for i, m := range spec.Mutations {
		name := fmt.Sprintf("mutation %d", i+1)
		out := mutation{patchType: m.PatchType, source: explain.Source{Document: p.Document, Name: name}}
		switch m.PatchType { // whose body is there: the server stores no other policy
		case v1.PatchTypeJSONPatch:
			out.source, out.compiled = p.CompileAt(model.JSONPatch, i, name, m.JSONPatch.Expression)
		case v1.PatchTypeApplyConfiguration:
			out.source, out.compiled = p.CompileAt(model.ApplyConfiguration, i, name, m.ApplyConfiguration.Expression)
		}
		p.mutations = append(p.mutations, out)
	}
	return p
}

// Mutations are the compiled expressions of spec.mutations.
func (p *Policy) Mutations() []*eval.Compiled {
	var out []*eval.Compiled
	for _, m := range p.mutations {
		out = append(out, m.compiled)
	}
	return out
}

// Plugin is the MutatingAdmissionPolicy admission plugin; it lives as long as
// one request.
type Plugin struct {
	Policies     []*Policy
	reinvocation run.Reinvocation
}

// policyError is an error that the failure policy decides about.
type policyError struct {
	policy  *run.Policy
	binding *run.Binding
	err     error
	reason  metav1.StatusReason
}

func (e policyError) Error() string {
	if e.binding != nil {
		return fmt.Sprintf("policy '%s' with binding '%s' denied request: %s", e.policy.Name, e.binding.Name, e.err)
	}
	return fmt.Sprintf("policy %q denied request: %s", e.policy.Name, e.err)
}

// policyRun is one pass over all invocations.
type policyRun struct {
	*run.Chain
	plugin *Plugin
	// objects are the copies of the object by the kind that matched. They are
	// all made before the first mutation, and mutations of one do not show in
	// another (semantics §6.2).
	objects   map[schema.GroupVersionKind]map[string]any
	dirty     map[schema.GroupVersionKind]bool
	forms     map[schema.GroupVersionKind]*celForms
	last      *schema.GroupVersionKind
	lastStep  *report.Step
	namespace map[string]any
	errs      []policyError
}

// Admit runs one pass and returns the server's rejection, if any.
func (p *Plugin) Admit(c *run.Chain) *apierrors.StatusError {
	common := make([]*run.Policy, len(p.Policies))
	byPolicy := map[*run.Policy]*Policy{}
	for i, policy := range p.Policies {
		common[i] = &policy.Policy
		byPolicy[common[i]] = policy
	}
	r := &policyRun{Chain: c, plugin: p, objects: map[schema.GroupVersionKind]map[string]any{}, dirty: map[schema.GroupVersionKind]bool{}, forms: map[schema.GroupVersionKind]*celForms{}}
	var invocations []run.Invocation
	for _, s := range c.Select(report.Mutating, common) {
		if s.Error != nil {
			r.errs = append(r.errs, policyError{policy: s.Error.Policy, binding: s.Error.Binding, err: s.Error.Err})
		}
		for _, i := range s.Invocations {
			if err := r.convert(i); err != nil {
				r.errs = append(r.errs, *err)
				continue
			}
			invocations = append(invocations, i)
		}
	}
	if len(invocations) > 0 {
		if err := r.invokeAll(invocations, byPolicy); err != nil {
			return err
		}
	}
	return r.reject()
}

func (r *policyRun) convert(i run.Invocation) *policyError {
	if _, ok := r.objects[i.Kind]; ok {
		return nil
	}
	object, err := r.Versioned(r.Attributes.Object, i.Kind)
	if err != nil {
		err = fmt.Errorf("failed to configure policy: %w", err)
		i.Step.Status, i.Step.Error = report.Errored, err.Error()
		return &policyError{policy: i.Policy, err: err}
	}
	r.objects[i.Kind] = object
	return nil
}

func (r *policyRun) invokeAll(invocations []run.Invocation, policies map[*run.Policy]*Policy) *apierrors.StatusError {
	state := &r.plugin.reinvocation
	state.Begin(r.Chain)
	defer func() { state.End(r.Chain) }()

	var status *apierrors.StatusError
	if r.namespace, status = r.Namespace(); status != nil {
		r.stop(invocations[0].Step, status)
		return status
	}
	for _, i := range invocations {
		if status := r.invoke(i, policies[i.Policy]); status != nil {
			r.stop(i.Step, status)
			return status
		}
	}
	if r.last != nil && r.objects[*r.last] != nil && r.dirty[*r.last] {
		// Even a mutation that changed nothing gets here, so a lone policy
		// with reinvocationPolicy IfNeeded runs twice.
		state.Require()
		r.ShouldReinvoke = true
		if status := r.writeBack(*r.last); status != nil {
			r.stop(r.lastStep, status)
			return status
		}
	}
	return nil
}

// stop marks the step that ended the request.
func (r *policyRun) stop(step *report.Step, status *apierrors.StatusError) {
	s := step
	s.Status, s.Verdict, s.Error = report.Errored, report.Deny, status.ErrStatus.Message
	if s.FailurePolicy == string(v1.Ignore) {
		s.Notes = append(s.Notes, report.Note{Code: codes.FailurePolicyBypassed,
			Text: "failurePolicy Ignore does not help here: the server itself reports this error, and the request ends."})
	}
	if s.Reason == "" || s.FailurePolicy == string(v1.Ignore) {
		s.Reason = "an error that the server reports itself; failurePolicy does not apply to it"
	}
}

// writeBack makes the last copy the request's object. The server converts it to
// its internal version there, which shows in some fields.
func (r *policyRun) writeBack(kind schema.GroupVersionKind) *apierrors.StatusError {
	object, err := r.Catalog.WriteBack(r.objects[kind], kind, r.Attributes.Object, r.Attributes.Kind)
	if err != nil {
		return apierrors.NewInternalError(fmt.Errorf("failed to convert object: %w", err))
	}
	r.Attributes.Object = object
	return nil
}

func (r *policyRun) invoke(i run.Invocation, p *Policy) *apierrors.StatusError {
	step := i.Step
	r.Enter(i.Step)
	if matches, status := r.conditions(i, p, step); !matches {
		return status
	}
	if r.IsReinvoke() && !r.plugin.reinvocation.Due(i.Key()) {
		step.Status = report.Skipped
		step.Reason = "reinvocationPolicy is Never, so only the match conditions run in the second pass"
		if p.reinvocable {
			step.Reason = "nothing changed after it, or its conditions were false in the first pass, so it is not invoked again"
		}
		return nil
	}
	before := r.objects[i.Kind]
	if status := r.mutations(i, p, step); status != nil {
		return status
	}
	if !r.Catalog.SemanticEqual(i.Kind, before, r.objects[i.Kind]) {
		r.plugin.reinvocation.Require()
		r.ShouldReinvoke = true
	}
	if p.reinvocable {
		r.plugin.reinvocation.Invoked(i.Key())
	}
	return nil
}

func (r *policyRun) conditions(i run.Invocation, p *Policy, step *report.Step) (bool, *apierrors.StatusError) {
	in, err := r.ConditionInputs(r.objects[i.Kind], i.Kind)
	if err != nil {
		return false, apierrors.NewInternalError(err)
	}
	in.Params = mutatingParam(i)
	if len(p.Conditions) > 0 {
		in.Types = r.types(i, true)
	}
	outcome := condition.Evaluate(r.Evaluator, p.Conditions, p.Compiler.Variables, in, p.Ignore())
	r.DescribeConditions(i.Step, outcome, p.Variable)
	if outcome.Err != "" {
		r.errs = append(r.errs, policyError{i.Policy, i.Binding, errors.New(outcome.Err), metav1.StatusReasonInvalid})
	}
	return outcome.Matches, nil
}

// mutatingParam is the variable params. Typed objects have lost their kind and
// apiVersion here (semantics §1.5).
func mutatingParam(i run.Invocation) map[string]any {
	if i.Param == nil {
		return nil
	}
	if !i.Param.Builtin {
		return i.Param.Value
	}
	out := map[string]any{}
	for k, v := range i.Param.Value {
		if k != "kind" && k != "apiVersion" {
			out[k] = v
		}
	}
	return out
}

func (r *policyRun) mutations(i run.Invocation, p *Policy, step *report.Step) *apierrors.StatusError {
	step.Status, step.Before = report.Evaluated, r.objects[i.Kind]
	for _, m := range p.mutations {
		r.last, r.lastStep = &i.Kind, step
		if r.objects[i.Kind] == nil {
			step.Reason = "there is no object to mutate"
			continue
		}
		if status := r.mutation(i, p, m, step); status != nil {
			return status
		}
	}
	step.After = r.objects[i.Kind]
	brief := r.Evaluator.Brief()
	if !brief {
		step.Diff = difference(step)
	}
	switch {
	case len(step.Diff) > 0, brief && differ(step.Before, step.After):
		step.Verdict = report.Mutate
	case step.Verdict == "":
		step.Verdict = report.Admit
	}
	if !brief {
		r.notes(p, step)
	}
	return nil
}

// difference is what the mutations of a step changed. A single one has compared the same objects.
func difference(step *report.Step) []report.PatchOperation {
	if len(step.Mutations) == 1 && step.Mutations[0].After != nil {
		return step.Mutations[0].Diff
	}
	return diff.Objects(step.Before, step.After)
}

// differ reports whether two objects that are there differ.
func differ(before, after map[string]any) bool {
	return before != nil && after != nil && !diff.Equal(before, after)
}

// mutation runs one mutation. An error does not stop the next one.
func (r *policyRun) mutation(i run.Invocation, p *Policy, m mutation, step *report.Step) *apierrors.StatusError {
	before := r.objects[i.Kind]
	elapsed := r.Evaluator.Measure()
	after, described, err := r.patch(i, p, m, before)
	described.Elapsed = elapsed()
	var status *apierrors.StatusError
	if err != nil {
		described.Error, described.Applied = err.Error(), false
	}
	switch {
	case errors.As(err, &status):
		step.Mutations = append(step.Mutations, described)
		return status
	case err != nil:
		step.Error = err.Error()
		r.errs = append(r.errs, policyError{i.Policy, i.Binding, err, metav1.StatusReasonInvalid})
	default:
		r.objects[i.Kind], r.dirty[i.Kind] = after, true
		r.changed(i.Kind)
		r.Precise = false
		described.Before, described.After = before, after
		if !r.Evaluator.Brief() {
			described.Diff = diff.Objects(before, after)
		}
	}
	step.Mutations = append(step.Mutations, described)
	return nil
}

// reject makes the answer of the errors that are not ignored (semantics §6.3).
func (r *policyRun) reject() *apierrors.StatusError {
	var status *apierrors.StatusError
	for _, e := range r.errs {
		if e.policy.Ignore() {
			continue
		}
		text := e.Error()
		if status == nil {
			status = r.Forbidden(errors.New("admission request denied by policy"))
			status.ErrStatus.Message = text
			if e.reason != "" {
				status.ErrStatus.Reason = e.reason
			}
		}
		status.ErrStatus.Details.Causes = append(status.ErrStatus.Details.Causes, metav1.StatusCause{Message: text})
	}
	r.markErrors()
	return status
}

// markErrors gives the steps with errors their verdict.
func (r *policyRun) markErrors() {
	for _, s := range r.Steps() {
		if s.Kind != Kind || s.Pass != r.Pass || s.Error == "" || s.Verdict == report.Deny {
			continue
		}
		if s.FailurePolicy == string(v1.Ignore) {
			s.Notes = append(s.Notes, report.Note{Code: codes.IgnoredError, Text: "failurePolicy is Ignore: the error is dropped, and mutations that worked stay."})
			continue
		}
		s.Verdict = report.Deny
	}
}
