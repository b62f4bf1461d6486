package engine_test

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestOneMistakeIsToldOnce: what the check of an expression says and what it fails with are
// one problem with one repair, and so are all places that one repair is for.
func TestOneMistakeIsToldOnce(t *testing.T) {
	const request = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\nspec:\n  replicas: 3\n  selector: {matchLabels: {app: web}}\n" +
		"  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}\n"
	for expression, want := range map[string]struct{ summary, related, fix string }{
		"object.spec.replica <= 5":                                   {"undefined field 'replica'", "for this request it fails here: no such key: replica (object.spec has ", "Write replicas"},
		"object.spec.replicas <= '5'":                                {"found no matching overload for '_<=_' applied to '(int, string)'", "for this request it fails here: no such overload (there is no <= for int and string)", "Write object.spec.replicas <= 5"},
		"object.spec.template.spec.containers['0'].name != ''":       {"found no matching overload for '_[_]'", "for this request it fails here: unsupported index type 'string' in list", "Write object.spec.template.spec.containers[0].name != ''"},
		"object.spec.nonsense.inner == 'x'":                          {"undefined field 'nonsense'", "for this request it fails here: no such key: nonsense", ""},
		"all(object.spec.template.spec.containers, c, c.name != '')": {"undeclared reference to 'all'", "the same mistake: undeclared reference to 'c'", "Write object.spec.template.spec.containers.all(c, c.name != '')"},
	} {
		policies := "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: rule}\nspec:\n  matchConstraints:\n    resourceRules:\n" +
			"    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}\n  validations:\n  - expression: " + expression + "\n" +
			"---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: rule}\nspec: {policyName: rule, validationActions: [Deny]}\n"
		var found []diag.Diagnostic
		for _, d := range evaluated(t, scenario.Scenario{Policies: policies, Request: request}).Diagnostics {
			if d.Severity != diag.Info {
				found = append(found, d)
			}
		}
		if len(found) != 1 || !strings.HasPrefix(found[0].Summary, want.summary) {
			t.Errorf("%s: %v, not one problem", expression, found)
			continue
		}
		d, related := found[0], ""
		for _, r := range d.Related {
			related += r.Summary + "\n"
		}
		if !strings.Contains(related, want.related) {
			t.Errorf("%s: the places are\n%s", expression, related)
		}
		if want.fix == "" && len(d.Fixes) > 0 || want.fix != "" && (len(d.Fixes) != 1 || d.Fixes[0].Title != want.fix) {
			t.Errorf("%s: the repairs are %v", expression, d.Fixes)
		}
	}
}
