package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestTryRepairs looks at the repairs that are offered with and without trying them.
func TestTryRepairs(t *testing.T) {
	const request = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n"
	const binding = "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: rule}\nspec: {policyName: rule, validationActions: [Deny]}\n"
	policy := func(resources, validation string) string {
		return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: rule}\nspec:\n  matchConstraints:\n    resourceRules:\n" +
			"    - apiGroups: ['']\n      apiVersions: [v1]\n      operations: [CREATE]\n" + resources + "  validations:\n" + validation
	}
	for what, c := range map[string]struct {
		policies             string
		withheld, kept, only string // titles
	}{
		"of two repairs of YAML, one writes a text where a list is wanted": {
			policy("      resources: ['configmaps'\n", "  - expression: 'true'\n"), "Put it in quotes", "Close the bracket", ""},
		"a repair that leads to the next mistake stays": {
			policy("      resources: [configmaps]\n", "  - expression: object.metadata.nam == 'a' and true\n"), "", "", "Write object.metadata.nam == 'a' && true"},
		"what is doubtful fails, and has the repair of the doubt": {
			policy("      resources: [configmaps]\n", "  - expression: object.metadata.labels['team'] || '' != ''\n") + binding,
			"", "", "Write object.metadata.?labels['team'].orValue('') != ''"},
		"a guard that tells requests apart stays": {
			policy("      resources: [configmaps]\n", "  - expression: object.metadata.labels['team'] == 'a'\n") + binding,
			"", "Deny when object.metadata.labels is absent", ""},
	} {
		titles := func(try bool) (list []string) {
			r, err := engine.Evaluate(context.Background(), scenario.Scenario{Policies: c.policies, Request: request}, engine.Options{Explain: true, TryRepairs: try})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range r.Diagnostics {
				if d.Severity != diag.Info {
					for _, f := range d.Fixes {
						list = append(list, f.Title)
					}
				}
			}
			return list
		}
		all, tried := titles(false), titles(true)
		for _, title := range []string{c.withheld, c.kept, c.only} {
			if title != "" && !slices.Contains(all, title) {
				t.Errorf("%s: %q is no repair of %q", what, title, all)
			}
		}
		if c.withheld != "" && slices.Contains(tried, c.withheld) || c.kept != "" && !slices.Contains(tried, c.kept) || c.only != "" && !slices.Equal(tried, []string{c.only}) {
			t.Errorf("%s: of %q these are offered: %q", what, all, tried)
		}
	}
}
