package install

import (
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestDecodingErrors has answers of Kubernetes 1.33, 1.35 and 1.36
// (conformance/differential): the type in them is that of the version.
func TestDecodingErrors(t *testing.T) {
	for _, test := range []struct {
		apiVersion string
		kubernetes string
		document   string
		want       string
	}{
		{"v1", "1.36", `{"spec":{"mutations":true}}`, "json: cannot unmarshal bool into Go struct field MutatingAdmissionPolicySpec.spec.mutations of type []v1.Mutation"},
		{"v1beta1", "1.35", `{"spec":{"mutations":true}}`, "json: cannot unmarshal bool into Go struct field MutatingAdmissionPolicySpec.spec.mutations of type []v1beta1.Mutation"},
		{"v1alpha1", "1.33", `{"spec":{"mutations":[{"patchType":{}}]}}`, "json: cannot unmarshal object into Go struct field Mutation.spec.mutations.patchType of type v1alpha1.PatchType"},
		{"v1beta1", "1.35", `{"spec":{"reinvocationPolicy":1}}`, "json: cannot unmarshal number into Go struct field MutatingAdmissionPolicySpec.spec.reinvocationPolicy of type v1.ReinvocationPolicyType"},
		{"v1beta1", "1.35", `{"metadata":1}`, "json: cannot unmarshal number into Go struct field MutatingAdmissionPolicy.metadata of type v1.ObjectMeta"},
		{"v1beta1", "1.35", `{"spec":{"matchConstraints":{"objectSelector":1}}}`, "json: cannot unmarshal number into Go struct field MatchResources.spec.matchConstraints.objectSelector of type v1.LabelSelector"},
		{"v1beta1", "1.35", `{"spec":{"mutations":[{"jsonPatch":{"expression":1}}]}}`, "json: cannot unmarshal number into Go struct field JSONPatch.spec.mutations.jsonPatch.expression of type string"},
		{"v1", "1.34", `{"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":1}]}}}`, "json: cannot unmarshal number into Go struct field NamedRuleWithOperations.spec.matchConstraints.resourceRules.apiGroups of type []string"},
		{"v1", "1.35", `{"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":1}]}}}`, "json: cannot unmarshal number into Go struct field NamedRuleWithOperations.spec.matchConstraints.resourceRules.RuleWithOperations.Rule.apiGroups of type []string"},
	} {
		_, err := decode([]byte(test.document), test.apiVersion, version.MustParse(test.kubernetes), &v1.MutatingAdmissionPolicy{})
		if err == nil || err.Error() != test.want {
			t.Errorf("%s %s: %v, want %s", test.apiVersion, test.document, err, test.want)
		}
	}
}
