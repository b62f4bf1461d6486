package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Policies that had no say are listed whatever the others said, and whatever the
// answer is.
func TestNotRun(t *testing.T) {
	admits := policyOf("a", "", "true", "true")
	denies := policyOf("d", "", "true", "false")
	selects := policyOf("s", "namespaceSelector: {matchLabels: {env: prod}}", "true", "false")
	excluded := policyOf("x", "", "false", "false")
	unbound, _, _ := strings.Cut(policyOf("u", "", "true", "false"), "---\n")
	mutates := strings.NewReplacer("ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy", "MutatingAdmissionPolicy",
		", validationActions: [Deny]", "", "validations: [{expression: \"true\"}]",
		"reinvocationPolicy: Never\n  mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{op: \"remove\", path: \"/spec/nodeName\"}]'}}]").
		Replace(policyOf("m", "", "true", "true"))
	pod := statePod
	deletion := `apiVersion: admission.k8s.io/v1
kind: AdmissionReview
request:
  uid: a
  operation: DELETE
  kind: {group: "", version: v1, kind: Pod}
  resource: {group: "", version: v1, resource: pods}
  name: web
  namespace: payments
  userInfo: {username: jane}
  oldObject:
    ` + strings.TrimSpace(strings.ReplaceAll(pod, "\n", "\n    ")) + "\n"
	for _, test := range []struct{ name, policies, request, want string }{
		{"all ran", admits + denies, pod, ""},
		{"one did not", admits + selects, pod, "1 policy did not run: s: namespaceSelector wants env=prod, but the scenario has no Namespace payments, which is assumed to have no label but kubernetes.io/metadata.name"},
		{"beside a denial", denies + excluded, pod, "1 policy did not run: x: match condition \"c\" is false"},
		{"without a binding", admits + unbound, pod, "1 policy did not run: u: the policy has no binding"},
		{"denied before", mutates + admits, pod, "1 policy did not run: a: the request was denied earlier"},
		{"not for this operation", mutates, deletion, "1 policy did not run: m: mutating policies do not run for a DELETE"},
		{"no request", admits, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := engine.New().Evaluate(context.Background(), scenario.Scenario{Policies: test.policies, Request: test.request}, engine.Everything())
			if err != nil {
				t.Fatal(err)
			}
			got := report.DidNotRun(r.NotRun)
			if !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("got %q, want %q (%s %s; %v)", got, test.want, r.Outcome.State, r.Outcome.Message, r.Diagnostics.Errors())
			}
		})
	}
}
