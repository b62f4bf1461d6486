package engine

import (
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestBindingBesideUnreadablePolicy: a binding is not said to lack its policy
// while there is a document that cannot be read.
func TestBindingBesideUnreadablePolicy(t *testing.T) {
	const binding = "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: a}\nspec: {policyName: a, validationActions: [Deny]}\n"
	for policy, want := range map[string]bool{"": true, "kind: ValidatingAdmissionPolicy\nmetadata:\n\tname: a\n": false} {
		r, err := Evaluate(t.Context(), scenario.Scenario{Kubernetes: "1.37", Policies: policy + binding}, Everything())
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, d := range r.Diagnostics {
			got = got || d.Text == diag.Policies && d.Code == codes.BindingWithoutPolicy
		}
		if got != want {
			t.Errorf("%q: reported %v, want %v", policy, got, want)
		}
	}
}
