package repairs_test

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestSplitItems joins what a dash too many made two items of.
func TestSplitItems(t *testing.T) {
	const head = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}\n  validations:\n"
	for list, want := range map[string]string{
		"  - expression: object.spec.replicas < 5\n  - message: too many\n":                             "  - expression: object.spec.replicas < 5\n    message: too many\n",
		"  - expression: object.spec.replicas < 5\n    message: too many\n  - message: much too many\n": "",
	} {
		_, problems := engine.Compile(scenario.Scenario{Policies: head + list})
		got := ""
		for _, p := range problems {
			for _, fix := range p.Fixes {
				if strings.HasPrefix(fix.Title, "Remove the dash") {
					text, err := fix.Apply(diag.Policies, head+list)
					if err != nil {
						t.Fatal(err)
					}
					got = strings.TrimPrefix(text, head)
				}
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", list, got, want)
		}
	}
}
