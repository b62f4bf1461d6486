package install

import (
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// validatingBinding checks a ValidatingAdmissionPolicyBinding (semantics
// §11.4).
func (c *checker) validatingBinding(b *v1.ValidatingAdmissionPolicyBinding) {
	path := field.NewPath("spec")
	c.metadata(&b.ObjectMeta)
	c.policyName(path.Child("policyName"), b.Spec.PolicyName)
	c.paramRef(path.Child("paramRef"), b.Spec.ParamRef)
	before := len(c.problems)
	c.matchResources(path.Child("matchResources"), b.Spec.MatchResources)
	if !c.version.Has(version.MatchResourcesSpelling) {
		misspell(c.problems[before:])
	}
	c.validationActions(path.Child("validationActions"), b.Spec.ValidationActions)
}

// misspell gives errors the server's spelling; their places keep the right one.
func misspell(problems []*problem) {
	for _, p := range problems {
		if p.at == "" {
			p.at = p.Field
		}
		p.Field = strings.Replace(p.Field, "matchResources", "matchResouces", 1)
	}
}

// mutatingBinding checks a MutatingAdmissionPolicyBinding (semantics §11.6).
func (c *checker) mutatingBinding(b *v1.MutatingAdmissionPolicyBinding) {
	path := field.NewPath("spec")
	c.metadata(&b.ObjectMeta)
	c.policyName(path.Child("policyName"), b.Spec.PolicyName)
	c.paramRef(path.Child("paramRef"), b.Spec.ParamRef)
	c.matchResources(path.Child("matchResources"), b.Spec.MatchResources)
	c.noDelete(path.Child("matchResources"), b.Spec.MatchResources)
}

func (c *checker) policyName(path *field.Path, name string) {
	if name == "" {
		c.required(path, "")
		return
	}
	for _, msg := range validation.NameIsDNSSubdomain(name, false) {
		c.invalid(codes.InvalidName, path, name, msg)
	}
}

func (c *checker) validationActions(path *field.Path, actions []v1.ValidationAction) {
	seen := map[v1.ValidationAction]bool{}
	for i, action := range actions {
		oneOf(c, path.Index(i), action, configuration.ValidationActions)
		if seen[action] {
			c.duplicate(path.Index(i), action)
		}
		seen[action] = true
	}
	if seen[v1.Deny] && seen[v1.Warn] {
		value := goList[v1.ValidationAction]{actions, "[]admissionregistration.ValidationAction"}
		c.invalid(codes.ConflictingActions, path, value, "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)")
	}
	if len(actions) == 0 {
		c.required(path, "at least one validation action is required").options = configuration.ValidationActions
	}
}

// declarative redoes the order and the text of the two checks of a
// ValidatingAdmissionPolicyBinding that are declared in the API types of
// later versions: declared checks come last and have no detail.
func (c *checker) declarative() {
	if !c.version.Has(version.DeclaredChecks) {
		return
	}
	var last []*problem
	for _, name := range []string{"spec.policyName", "spec.validationActions"} {
		i := slices.IndexFunc(c.problems, func(p *problem) bool {
			return p.Field == name && p.Type == field.ErrorTypeRequired
		})
		if i < 0 {
			continue
		}
		p := c.problems[i]
		c.problems = slices.Delete(c.problems, i, i+1)
		p.Detail = ""
		last = append(last, p)
	}
	c.problems = append(c.problems, last...)
}
