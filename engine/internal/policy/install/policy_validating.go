package install

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/report/codes"
)

const (
	maxAuditAnnotations = 20
	// maxValueExpression is the limit of an audit annotation's expression, in
	// bytes after trimming.
	maxValueExpression = 5 * 1024
)

// Reasons are the values of the field reason of a validation (semantics §11.3).
var Reasons = []string{"Forbidden", "Invalid", "RequestEntityTooLarge"}

// validatingPolicy checks a ValidatingAdmissionPolicy (semantics §11.3).
func (c *checker) validatingPolicy(p *v1.ValidatingAdmissionPolicy) {
	spec, path := &p.Spec, field.NewPath("spec")
	c.metadata(&p.ObjectMeta)
	requiredOneOf(c, path.Child("failurePolicy"), spec.FailurePolicy, failurePolicies)
	c.policyConstraints(path, spec.ParamKind, spec.MatchConstraints)
	params := spec.ParamKind != nil
	c.matchConditions(path.Child("matchConditions"), model.MatchCondition, spec.MatchConditions, params)

	// Without a single variable there is no `variables` at all.
	compiler := c.newCompiler(params, len(spec.Variables) > 0)
	c.variables(path.Child("variables"), spec.Variables, compiler)
	if len(spec.Validations) == 0 && len(spec.AuditAnnotations) == 0 {
		const text = "validations or auditAnnotations must contain at least one item"
		c.required(path.Child("validations"), text)
		c.required(path.Child("auditAnnotations"), text).same = true
		return
	}
	for i := range spec.Validations {
		c.validation(path.Child("validations").Index(i), &spec.Validations[i], compiler)
	}
	c.auditAnnotations(path.Child("auditAnnotations"), p, compiler)
}

// policyConstraints checks what both kinds of policy have: the kind of their
// params and the requests that they are for.
func (c *checker) policyConstraints(path *field.Path, kind *v1.ParamKind, constraints *v1.MatchResources) {
	if kind != nil {
		c.paramKind(path.Child("paramKind"), kind)
	}
	at := path.Child("matchConstraints")
	if constraints == nil {
		c.required(at, "")
		return
	}
	c.matchResources(at, constraints)
	if len(constraints.ResourceRules) == 0 {
		c.required(at.Child("resourceRules"), "")
	}
}

func (c *checker) validation(path *field.Path, v *v1.Validation, compiler *compiler) {
	if strings.TrimSpace(v.Expression) == "" {
		c.required(path.Child("expression"), "expression is not specified")
	} else {
		c.compile(path.Child("expression"), model.Validation, compiler, v.Expression, v.Expression)
	}

	const nonEmpty = "must be non-empty if specified"
	at := path.Child("messageExpression")
	if strings.TrimSpace(v.MessageExpression) != "" {
		c.compile(at, model.MessageExpression, compiler, v.MessageExpression, v.MessageExpression)
	} else if v.MessageExpression != "" {
		c.invalid(codes.InvalidMessage, at, v.MessageExpression, nonEmpty)
	}

	at = path.Child("message")
	message := strings.TrimSpace(v.Message)
	switch {
	case v.Message != "" && message == "":
		c.invalid(codes.InvalidMessage, at, v.Message, nonEmpty)
	case strings.ContainsAny(message, "\n\r"):
		p := c.invalid(codes.InvalidMessage, at, v.Message, "must not contain line breaks")
		p.hint = "A folded block (`>-`) writes one line over several lines of YAML."
	}
	if v.Reason != nil {
		p := oneOf(c, path.Child("reason"), *v.Reason, Reasons)
		if p != nil && *v.Reason == metav1.StatusReasonUnauthorized {
			p.hint = "The API documentation lists Unauthorized, but the server rejects it."
		}
	}
}

func (c *checker) auditAnnotations(path *field.Path, policy *v1.ValidatingAdmissionPolicy, compiler *compiler) {
	annotations := policy.Spec.AuditAnnotations
	if len(annotations) > maxAuditAnnotations {
		value := goList[auditAnnotationValue]{typeName: "[]admissionregistration.AuditAnnotation"}
		for _, a := range annotations {
			value.items = append(value.items, auditAnnotationValue{a.Key, a.ValueExpression})
		}
		c.invalid(codes.TooMany, path, value, fmt.Sprintf("must not have more than %d auditAnnotations", maxAuditAnnotations))
	}
	seen := map[string]bool{}
	for i, a := range annotations {
		at := path.Index(i)
		if policy.Name == "" {
			c.invalid(codes.InvalidName, at.Child("key"), a.Key, "requires metadata.name be non-empty")
		} else {
			// The key in the audit event is <policy>/<key>, and that is what
			// must be a qualified name.
			full := policy.Name + "/" + a.Key
			c.qualifiedName(at.Child("key"), full, full)
		}
		c.valueExpression(at.Child("valueExpression"), a.ValueExpression, compiler)
		if seen[a.Key] {
			c.duplicate(at.Child("key"), a.Key)
		}
		seen[a.Key] = true
	}
}

func (c *checker) valueExpression(path *field.Path, source string, compiler *compiler) {
	trimmed := strings.TrimSpace(source)
	switch {
	case trimmed == "":
		c.required(path, "valueExpression is not specified")
	case len(trimmed) > maxValueExpression:
		c.required(path, fmt.Sprintf("must not exceed %d bytes in length", maxValueExpression))
	default:
		compiled := compiler.Compile(trimmed, model.AuditAnnotation.Result)
		c.expression(path, model.AuditAnnotation, compiler, compiled, source, source)
	}
}

// auditAnnotationValue is how the server prints an audit annotation in an
// error: its internal type has no JSON names.
type auditAnnotationValue struct{ Key, ValueExpression string }

func (a auditAnnotationValue) GoString() string {
	return fmt.Sprintf("admissionregistration.AuditAnnotation{Key:%q, ValueExpression:%q}", a.Key, a.ValueExpression)
}
