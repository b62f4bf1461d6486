package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestRuleAdvice: what is said about the rules of a definition fits the mistake, whose repair is offered.
func TestRuleAdvice(t *testing.T) {
	const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: jobs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Job, plural: jobs, singular: job, listKind: JobList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          limits:
            type: object
            x-kubernetes-validations:
            - {rule: "RULE"}
            properties:
              wait: {type: string, maxLength: 9}
              size: {type: string, maxLength: 9}
              count: {type: integer}
`
	for rule, want := range map[string][2]string{
		"has(self.count) || self.wait":            {"Use has() to check whether a field exists.", "has(self.count) || has(self.wait)"},
		"self.limits.count > 1":                   {"self is limits here, the value that the rule belongs to.", "self.count > 1"},
		"self.cuont > 1":                          {"The field's name is misspelled.", "self.count > 1"},
		"!has(self.wait) || self.wait < '90s'":    {"CEL compares strings character by character", "!has(self.wait) || duration(self.wait) < duration('90s')"},
		"!has(self.wait) || self.wait < 'medium'": {},
	} {
		s := scenario.Scenario{Kubernetes: "1.37", Policies: strings.Replace(definition, "RULE", rule, 1)}
		r, err := engine.Evaluate(context.Background(), s, engine.Options{TryRepairs: true})
		if err != nil {
			t.Fatal(err)
		}
		detail, fix := "", ""
		for _, d := range r.Diagnostics {
			if strings.HasSuffix(d.Path, ".rule") {
				detail = d.Detail
				if len(d.Fixes) > 0 {
					fix = d.Fixes[0].Title
				}
			}
		}
		if !strings.Contains(detail, want[0]) || !strings.HasSuffix(fix, want[1]) || want[0] == "" && detail != "" {
			t.Errorf("%s: %q, %q", rule, detail, fix)
		}
	}
	policy := `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [services]}]}
  validations:
  - expression: "object.metadata.name == 'a' || ip('10.0.0.300').family() == 4 || quantity('3GiB') == quantity('3Gi')"
`
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.37", Policies: policy}, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, d := range r.Diagnostics {
		if d.Code == "failing-constant" {
			found = append(found, d.Summary)
		}
	}
	if got := strings.Join(found, "; "); got != "ip() always fails for '10.0.0.300'; quantity() always fails for '3GiB'" {
		t.Error(got)
	}
}

// TestFieldsAsLabels: check reports a selector whose key is a field of a Namespace, but not one whose
// key may be a label.
func TestFieldsAsLabels(t *testing.T) {
	for key, want := range map[string]bool{"metadata.name": true, "kubernetes.io/name": false, "kubernetes.io/metadata-name": true, "name": false, "team": false} {
		webhook := `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: w}
webhooks:
- name: w.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: "https://example.com/w"}
  namespaceSelector: {matchLabels: {"KEY": payments}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [services]}]
`
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.36", Policies: strings.Replace(webhook, "KEY", key, 1)}, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, d := range r.Diagnostics {
			found = found || d.Code == "unlikely-selector"
		}
		if found != want {
			t.Errorf("%s: reported %v", key, found)
		}
	}
}
