package install

import (
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// mutatingPolicy checks a MutatingAdmissionPolicy (semantics §11.5).
func (c *checker) mutatingPolicy(p *v1.MutatingAdmissionPolicy) {
	spec, path := &p.Spec, field.NewPath("spec")
	c.metadata(&p.ObjectMeta)
	requiredOneOf(c, path.Child("failurePolicy"), spec.FailurePolicy, failurePolicies)
	c.policyConstraints(path, spec.ParamKind, spec.MatchConstraints)
	c.noDelete(path.Child("matchConstraints"), spec.MatchConstraints)
	params := spec.ParamKind != nil
	c.matchConditions(path.Child("matchConditions"), model.MatchCondition, spec.MatchConditions, params)

	// Unlike in a ValidatingAdmissionPolicy, `variables` is always declared.
	compiler := c.newCompiler(params, true)
	c.variables(path.Child("variables"), spec.Variables, compiler)
	if len(spec.Mutations) == 0 {
		c.required(path.Child("mutations"), "mutations must contain at least one item")
	}
	for i := range spec.Mutations {
		c.mutation(path.Child("mutations").Index(i), &spec.Mutations[i], compiler)
	}
	at := path.Child("reinvocationPolicy")
	if spec.ReinvocationPolicy == "" {
		p := c.required(at, "")
		p.options = reinvocationPolicies
		p.hint = "Never runs the policy once; IfNeeded runs it again when a later step changed the object."
		return
	}
	oneOf(c, at, spec.ReinvocationPolicy, reinvocationPolicies)
}

// mutation checks one mutation: the body that belongs to the patch type must
// be there, the other must not.
func (c *checker) mutation(path *field.Path, m *v1.Mutation, compiler *compiler) {
	bodies := map[v1.PatchType]string{}
	if m.ApplyConfiguration != nil {
		bodies[v1.PatchTypeApplyConfiguration] = m.ApplyConfiguration.Expression
	}
	if m.JSONPatch != nil {
		bodies[v1.PatchTypeJSONPatch] = m.JSONPatch.Expression
	}
	at := path.Child("patchType")
	if m.PatchType == "" {
		c.required(at, "").options = patchTypes
		return
	}
	if oneOf(c, at, m.PatchType, patchTypes) != nil {
		return
	}
	other := configuration.OtherPatch(m.PatchType)
	if source, ok := bodies[m.PatchType]; ok {
		c.mutationExpression(path.Child(configuration.BodyFields[m.PatchType], "expression"), patchPlaces[m.PatchType], source, compiler)
	} else {
		c.required(path.Child(configuration.BodyFields[m.PatchType]), "must be specified when patchType is "+string(m.PatchType))
	}
	if _, ok := bodies[other]; ok {
		name := configuration.BodyFields[other]
		c.invalid(codes.MutationBody, path.Child(name), "{"+name+"}", "must not be specified when patchType is "+string(m.PatchType)).key = true
	}
}

var (
	patchTypes  = []string{"ApplyConfiguration", "JSONPatch"}
	patchPlaces = map[v1.PatchType]*model.Place{v1.PatchTypeApplyConfiguration: model.ApplyConfiguration, v1.PatchTypeJSONPatch: model.JSONPatch}
)

func (c *checker) mutationExpression(path *field.Path, place *model.Place, source string, compiler *compiler) {
	trimmed := strings.TrimSpace(source)
	if trimmed == "" {
		c.required(path, "")
		return
	}
	c.compile(path, place, compiler, source, trimmed)
}
