package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestRulesWithoutRequests: some resources exist, and still no policy is evaluated for them.
func TestRulesWithoutRequests(t *testing.T) {
	const policy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [%s]}
  validations: [{expression: "object.metadata.name != 'a'"}]
`
	const webhooks = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: c}
webhooks:
- name: a.example.com
  clientConfig: {url: "https://a.example.com"}
  rules: [%s]
  sideEffects: None
  admissionReviewVersions: [v1]
`
	for _, c := range []struct {
		text, group, resource string
		want                  bool
	}{
		{policy, "admissionregistration.k8s.io", "validatingadmissionpolicies", true},
		{policy, "admissionregistration.k8s.io", "mutatingadmissionpolicybindings", true},
		{policy, "authorization.k8s.io", "subjectaccessreviews", true},
		{strings.Replace(policy, "name: p", "name: p.static.k8s.io", 1), "admissionregistration.k8s.io", "validatingadmissionpolicies", false},
		{policy, "admissionregistration.k8s.io", "validatingwebhookconfigurations", false},
		{webhooks, "authorization.k8s.io", "subjectaccessreviews", false},
	} {
		rule := fmt.Sprintf("{apiGroups: [%s], apiVersions: [v1], operations: [CREATE], resources: [%s]}", c.group, c.resource)
		_, problems := engine.Compile(scenario.Scenario{Policies: fmt.Sprintf(c.text, rule)})
		got := slices.ContainsFunc(problems, func(d diag.Diagnostic) bool {
			return strings.HasPrefix(d.Summary, "the server evaluates no policy for")
		})
		if got != c.want {
			t.Errorf("%s: reported %t: %v", c.resource, got, problems)
		}
	}
}
