// Package validate runs ValidatingAdmissionPolicies (semantics §7).
package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/explain"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// Kind is the kind of the policies that this package runs.
const Kind = "ValidatingAdmissionPolicy"

// Policy is a compiled ValidatingAdmissionPolicy.
type Policy struct {
	run.Policy
	validations []validation
	annotations []annotation
}

type validation struct {
	spec     v1.Validation
	source   explain.Source
	compiled *eval.Compiled
	// message is the compiled messageExpression, nil when there is none.
	message       *eval.Compiled
	messageSource explain.Source
}

type annotation struct {
	key      string
	source   explain.Source
	compiled *eval.Compiled
}

// Compile compiles a policy. What does not compile fails when it is used.
func Compile(envs *eval.Environments, common run.Policy, spec *v1.ValidatingAdmissionPolicySpec) *Policy {
	p := &Policy{Policy: common}
	p.Policy.Compile(envs, spec.Variables, spec.MatchConditions)
	for i, s := range spec.Validations {
		v, name := validation{spec: s}, fmt.Sprintf("validation %d", i+1)
		v.source, v.compiled = p.CompileAt(model.Validation, i, name, s.Expression)
		if s.MessageExpression != "" {
			v.messageSource, v.message = p.CompileAt(model.MessageExpression, i, name, s.MessageExpression)
		}
		p.validations = append(p.validations, v)
	}
	for i, a := range spec.AuditAnnotations {
		source, compiled := p.CompileAt(model.AuditAnnotation, i, a.Key, a.ValueExpression)
		p.annotations = append(p.annotations, annotation{key: a.Key, source: source, compiled: compiled})
	}
	return p
}

// Expressions are the compiled expressions of the validations and audit annotations.
func (p *Policy) Expressions() []*eval.Compiled {
	var out []*eval.Compiled
	for _, v := range p.validations {
		out = append(out, v.compiled)
	}
	for _, a := range p.annotations {
		out = append(out, a.compiled)
	}
	return out
}

// denial is a decision against the request.
type denial struct {
	policy  *run.Policy
	binding *run.Binding
	message string
	reason  metav1.StatusReason
	step    *report.Step
}

// failure is one entry of the audit annotation validation_failure.
type failure struct {
	Message           string                `json:"message"`
	Policy            string                `json:"policy"`
	Binding           string                `json:"binding"`
	ExpressionIndex   int                   `json:"expressionIndex"`
	ValidationActions []v1.ValidationAction `json:"validationActions"`

	step *report.Step // that it comes from
}

// policyRun is the validating phase of one request.
type policyRun struct {
	*run.Chain
	// values are those of the objects, which no validating policy changes.
	values   eval.Values
	denials  []denial
	failures []failure
}

// Validate runs all policies and returns the server's rejection, if any, and
// that it comes from.
func Validate(c *run.Chain, policies []*Policy) (*apierrors.StatusError, *report.Step) {
	r := &policyRun{Chain: c}
	for _, p := range policies {
		if status, step := r.policy(p); status != nil {
			return status, step
		}
	}
	r.publishFailures()
	return r.reject()
}

func (r *policyRun) policy(p *Policy) (*apierrors.StatusError, *report.Step) {
	published := &annotations{}
	for _, s := range r.Select(report.Validating, []*run.Policy{&p.Policy}) {
		if s.Error != nil {
			r.configError(s.Error)
			continue
		}
		namespace, status := r.Namespace()
		if status != nil {
			step := r.Last()
			if len(s.Invocations) > 0 {
				step = s.Invocations[0].Step
			}
			step.Status, step.Verdict, step.Error = report.Errored, report.Deny, status.ErrStatus.Message
			step.Reason = "the request's namespace does not exist; failurePolicy does not apply to that"
			return status, step
		}
		for _, i := range s.Invocations {
			r.invoke(i, p, namespace, published)
		}
	}
	for _, key := range published.keys {
		r.Annotate(p.Name+"/"+key, strings.Join(published.values[key], ", "))
	}
	return nil, nil
}

// configError denies whatever the validationActions are, unless the failure
// policy is Ignore (semantics §5.2).
func (r *policyRun) configError(e *run.ConfigError) {
	step := e.Step
	if e.Policy.Ignore() {
		step.Notes = append(step.Notes, report.Note{Code: codes.IgnoredError, Text: "failurePolicy is Ignore: the error is dropped."})
		return
	}
	step.Verdict = report.Deny
	if e.Binding != nil && !slices.Contains(e.Binding.Actions, v1.Deny) {
		step.Notes = append(step.Notes, report.Note{Code: codes.ConfigurationErrorDenies,
			Text: "A configuration error denies the request even though validationActions does not include Deny."})
	}
	r.denials = append(r.denials, denial{policy: e.Policy, binding: e.Binding, message: e.Err.Error(), step: e.Step})
}

// apply carries out the actions of the binding for one decision against the
// request (semantics §7.5).
func (r *policyRun) apply(i run.Invocation, index int, message string, reason metav1.StatusReason) {
	step := i.Step
	for _, action := range i.Binding.Actions {
		switch action {
		case v1.Deny:
			step.Verdict = report.Deny
			r.denials = append(r.denials, denial{i.Policy, i.Binding, message, reason, i.Step})
		case v1.Audit:
			step.Verdict = worse(step.Verdict, report.Audit)
			r.failures = append(r.failures, failure{message, i.Policy.Name, i.Binding.Name, index, i.Binding.Actions, i.Step})
		case v1.Warn:
			step.Verdict = worse(step.Verdict, report.Warn)
			text := fmt.Sprintf("Validation failed for ValidatingAdmissionPolicy '%s' with binding '%s': %s", i.Policy.Name, i.Binding.Name, message)
			step.Warnings = append(step.Warnings, text)
			r.Warn(text)
		}
	}
	step.Messages = append(step.Messages, message)
}

// worse keeps the verdict that weighs more.
func worse(a, b report.Verdict) report.Verdict {
	order := []report.Verdict{"", report.Admit, report.Audit, report.Warn, report.Deny}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

const (
	failureKey = "validation.policy.admission.k8s.io/validation_failure"
	// maxFailures bounds the aggregated annotation.
	maxFailures = 50
)

func (r *policyRun) publishFailures() {
	if len(r.failures) == 0 {
		return
	}
	failures := r.failures[:min(len(r.failures), maxFailures)]
	why := fmt.Sprintf("Only the first %d failures of a request are in the audit annotation %s.", maxFailures, failureKey)
	if !r.Version.Has(version.AggregatedFailures) { // each is written alone, and the first wins
		failures = failures[:1]
		why = fmt.Sprintf("Up to Kubernetes %s only the first failure of a request is in the audit annotation %s.", version.AggregatedFailures.Since().Previous(), failureKey)
	}
	for _, lost := range r.failures[len(failures):] {
		r.Enter(lost.step)
		r.Note(codes.AnnotationDropped, why)
	}
	// With HTML characters escaped, as encoding/json does by default. There is no error, as they
	// are texts and a number.
	value, _ := json.Marshal(failures)
	r.Annotate(failureKey, string(value))
}

// reject answers with the first denial (semantics §7.6).
func (r *policyRun) reject() (*apierrors.StatusError, *report.Step) {
	if len(r.denials) == 0 {
		return nil, nil
	}
	first := r.denials[0]
	message := fmt.Sprintf("ValidatingAdmissionPolicy '%s' denied request: %s", first.policy.Name, first.message)
	if first.binding != nil {
		message = fmt.Sprintf("ValidatingAdmissionPolicy '%s' with binding '%s' denied request: %s", first.policy.Name, first.binding.Name, first.message)
	}
	status := r.Forbidden(errors.New(message))
	reason := first.reason
	if reason == "" {
		reason = metav1.StatusReasonInvalid
	}
	status.ErrStatus.Reason, status.ErrStatus.Code = reason, reasonCode(reason)
	status.ErrStatus.Details.Causes = append(status.ErrStatus.Details.Causes, metav1.StatusCause{Message: message})
	return status, first.step
}

func reasonCode(reason metav1.StatusReason) int32 {
	switch reason {
	case metav1.StatusReasonForbidden:
		return http.StatusForbidden
	case metav1.StatusReasonUnauthorized:
		return http.StatusUnauthorized
	case metav1.StatusReasonRequestEntityTooLarge:
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusUnprocessableEntity
}

// annotations collects the audit annotations of one policy over its bindings
// and params: distinct values of a key are joined.
type annotations struct {
	keys   []string
	values map[string][]string
}
