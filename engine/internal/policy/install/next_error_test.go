package install_test

import (
	"strings"
	"testing"
)

// TestNext: what the server would say after the error at which it stops is said with
// it, marked, and is not in its answer.
func TestNext(t *testing.T) {
	for name, c := range map[string]struct {
		text, answer string
		first        []string // what the server says now
		next         []string // what it would say then
	}{
		"a type hides what is missing and what is no CEL": {
			text: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  failurePolicy: deny
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: CREATE, resources: [deployments]}]}
  matchConditions: [{name: c, expression: objct.spec.replicas > 1}]`,
			answer: "cannot unmarshal string",
			first:  []string{"spec.matchConstraints.resourceRules[0].operations"},
			next:   []string{"spec.failurePolicy", "spec.matchConditions[0].expression", "spec.validations"},
		},
		"what a wrong type leaves empty is the same mistake": {
			text: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  validations: yes please`,
			answer: "cannot unmarshal string",
			first:  []string{"spec.validations"},
		},
		"a version that is not served hides all else": {
			text: `
apiVersion: admissionregistration.k8s.io/v3
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [deny]}`,
			answer: "could not find the requested resource",
			first:  []string{"apiVersion"},
			next:   []string{"spec.validationActions[0]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := installText(t, c.text, "1.36")
			if len(got.Answers) != 1 || !strings.Contains(got.Answers[0].Message, c.answer) {
				t.Errorf("%+v", got.Answers)
			}
			var first, next []string
			for _, d := range got.Diagnostics {
				switch {
				case d.Code == "binding-without-policy":
				case d.Next:
					next = append(next, d.Path)
				default:
					first = append(first, d.Path)
				}
			}
			for _, pair := range [][2][]string{{first, c.first}, {next, c.next}} {
				for _, path := range pair[1] {
					if !strings.Contains(strings.Join(pair[0], " "), path) {
						t.Errorf("%s is missing in %q", path, pair[0])
					}
				}
				if len(pair[0]) != len(pair[1]) {
					t.Errorf("got %q, want %q", pair[0], pair[1])
				}
			}
		})
	}
}
