package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestWebhookSteps: what the report says of a call, by its answer. The outcome is the
// server's.
func TestWebhookSteps(t *testing.T) {
	const patched = `{allowed: true, patchType: JSONPatch, patch: [{op: add, path: /data, value: {a: b}}]}`
	for _, test := range []struct {
		name, kind, policy, answer string
		want                       string // status, verdict, how many changes, and whether the request is allowed
	}{
		{"allowed", "Validating", "Fail", "{allowed: true}", "evaluated admit 0 true"},
		{"allowed and unchanged", "Mutating", "Fail", "{allowed: true}", "evaluated admit 0 true"},
		{"changed", "Mutating", "Fail", patched, "evaluated mutate 1 true"},
		{"no answer given", "Validating", "Fail", "", "evaluated admit 0 true"},
		{"no answer given", "Mutating", "Fail", "", "evaluated admit 0 true"},
		{"denied", "Validating", "Ignore", "{status: {code: 403}}", "evaluated deny 0 false"},
		{"denied", "Mutating", "Ignore", "{status: {code: 403}}", "evaluated deny 0 false"},
		{"an error that counts", "Validating", "Fail", "{httpStatus: 500}", "errored deny 0 false"},
		{"an error that counts", "Mutating", "Fail", "{httpStatus: 500}", "errored deny 0 false"},
		{"an error that does not", "Validating", "Ignore", "{httpStatus: 500}", "errored admit 0 true"},
		{"an error that does not", "Mutating", "Ignore", "{httpStatus: 500}", "errored admit 0 true"},
		{"too late", "Validating", "Ignore", "{timeout: true}", "errored admit 0 true"},
		{"a patch of a webhook that may not", "Validating", "Fail", patched, "errored deny 0 false"},
		{"a patch that cannot be read", "Mutating", "Fail", `{allowed: true, patchType: JSONPatch, patch: {op: add}}`, "errored deny 0 false"},
		{"which does not matter", "Mutating", "Ignore", `{allowed: true, patchType: JSONPatch, patch: {op: add}}`, "errored admit 0 true"},
		{"a patch that does not apply always matters", "Mutating", "Ignore", `{allowed: true, patchType: JSONPatch, patch: [{op: remove, path: /none}]}`, "evaluated deny 0 false"},
		{"an empty patch", "Mutating", "Fail", `{allowed: true, patchType: JSONPatch, patch: []}`, "evaluated admit 0 true"},
		{"a patch that changes nothing but the time in managedFields", "Mutating", "Fail", `{allowed: true, patchType: JSONPatch, patch: [{op: test, path: /kind, value: ConfigMap}]}`, "evaluated mutate 0 true"},
	} {
		t.Run(test.kind+" "+test.name, func(t *testing.T) {
			s := scenario.Scenario{Kubernetes: "1.36", Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n", Policies: fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: %sWebhookConfiguration
metadata: {name: c}
webhooks:
- name: a.example.com
  clientConfig: {url: "https://a.example.com"}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  sideEffects: None
  failurePolicy: %s
  admissionReviewVersions: [v1]
`, test.kind, test.policy)}
			if test.answer != "" {
				s.Cluster = "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: a.example.com}\nspec: " + test.answer
			}
			r, err := Evaluate(context.Background(), s, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, step := range r.Steps {
				if !strings.HasSuffix(step.Kind, "WebhookConfiguration") {
					continue
				}
				if got := fmt.Sprint(step.Status, " ", step.Verdict, " ", len(step.Diff), " ", r.Outcome.Allowed); got != test.want {
					t.Errorf("got %s, want %s: %s", got, test.want, r.Outcome.Message)
				}
				return
			}
			t.Error("there is no step")
		})
	}
}

// TestUnreadableResponse: what a called webhook answers is not known, if its WebhookResponse cannot be read.
func TestUnreadableResponse(t *testing.T) {
	for spec, want := range map[string]string{
		"{foo: 1}":            `unknown field "foo"`,
		"{allowed: maybe}":    "spec.allowed must be true or false, not string",
		"{warnings: careful}": "spec.warnings must be a list, not string",
	} {
		s := scenario.Scenario{Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n", Policies: `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: c}
webhooks:
- name: a.example.com
  clientConfig: {url: "https://a.example.com"}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  sideEffects: None
  admissionReviewVersions: [v1]
`}
		response := func(of string) {
			s.Cluster = "apiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: " + of + "}\nspec: " + spec
		}
		response("a.example.com")
		r, err := Evaluate(context.Background(), s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome.State != report.StateUndecided || !slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Summary == want }) {
			t.Errorf("%s: %s, %v; want %q", spec, r.Outcome.State, r.Diagnostics, want)
		}
		response("another.example.com") // is not called
		if r, err = Evaluate(context.Background(), s, Options{}); err != nil || r.Outcome.State != report.StateAdmitted {
			t.Errorf("%s: %s, %v", spec, r.Outcome.State, err)
		}
	}
}
