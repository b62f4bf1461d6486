package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// policyOf is a policy for pods with a binding. constraint is added to its
// matchConstraints, condition is its match condition.
func policyOf(name, constraint, condition, expression string) string {
	return `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ` + name + `}
spec:
  matchConstraints:
    ` + constraint + `
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  matchConditions: [{name: c, expression: "` + condition + `"}]
  validations: [{expression: "` + expression + `"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ` + name + `}
spec: {policyName: ` + name + `, validationActions: [Deny]}
---
`
}

const statePod = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: payments}
spec: {containers: [{name: web, image: web}]}
`

// stateCRD is answered by the server's own checks of definitions.
const stateCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gauges.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gauges, singular: gauge, kind: Gauge}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`

// TestNoPolicies: a namespace with a Pod Security level, and a kind with a schema, are asked
// without any policy; a namespace alone is not.
func TestNoPolicies(t *testing.T) {
	const gauge = "apiVersion: example.com/v1\nkind: Gauge\nmetadata: {name: g, namespace: payments}\n"
	const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: payments, labels: {LABEL}}\n"
	level := func(label string) string { return strings.Replace(namespace, "LABEL", label, 1) }
	for _, c := range []struct {
		request, cluster string
		want             report.State
	}{
		{statePod, level(""), report.StateNoPolicies},
		{statePod, level("pod-security.kubernetes.io/enforce: baseline"), report.StateAdmitted},
		{statePod, level("pod-security.kubernetes.io/enforce: privileged"), report.StateNoPolicies},
		{statePod, level("pod-security.kubernetes.io/warn: restricted"), report.StateAdmitted},
		{statePod, level("pod-security.kubernetes.io/audit: restricted"), report.StateAdmitted},
		{gauge, stateCRD, report.StateAdmitted},
	} {
		r, err := engine.Evaluate(context.Background(), scenario.Scenario{Request: c.request, Cluster: c.cluster}, engine.Options{})
		if err != nil || r.Outcome.State != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.cluster, r.Outcome.State, c.want, err)
		}
	}
}

// podSecurityExempts is the server's own file that exempts a namespace from Pod Security.
func podSecurityExempts(namespace string) string {
	return "{apiVersion: apiserver.config.k8s.io/v1, kind: AdmissionConfiguration, plugins: [{name: PodSecurity, configuration: " +
		"{apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, exemptions: {namespaces: [" + namespace + "]}}}]}"
}

func TestOutcomeState(t *testing.T) {
	const takes, refuses = "true", "false"
	admits := policyOf("a", "", takes, "true")
	denies := policyOf("d", "", takes, "false")
	broken := policyOf("b", "", takes, "objct.spec == 1")
	unbound, _, _ := strings.Cut(policyOf("u", "", takes, "false"), "---\n")
	selects := policyOf("s", "namespaceSelector: {matchLabels: {env: prod}}", takes, "false")
	excluded := policyOf("x", "", refuses, "false")
	mutates := `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: m}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: m}
spec: {policyName: m}
---
`
	deletion := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},"name":"web","namespace":"payments","operation":"DELETE","userInfo":{"username":"ada"},"object":null,"oldObject":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"payments"},"spec":{"containers":[{"name":"web","image":"web"}]}}}}`
	const goingPod = "operation: DELETE\noptions: {}\noldObject: {apiVersion: v1, kind: Pod, metadata: {name: web, namespace: payments, deletionTimestamp: '2126-01-01T00:00:00Z', deletionGracePeriodSeconds: 30}, spec: {nodeName: n1, containers: [{name: web, image: web}]}}\n"
	for _, c := range []struct {
		name, policies, request string
		want                    report.State
		reason                  string // a part of StateReason or of the reasons of Unmatched
		code                    int
	}{
		{"nothing", "", "", report.StateNoRequest, "there is no request", 2},
		{"nothing but a request", "", statePod, report.StateNoPolicies, "no policies or webhooks", 0},
		{"an exemption of others", podSecurityExempts("kube-system"), statePod, report.StateNoPolicies, "the server itself changed the object (ServiceAccount, Priority, DefaultTolerationSeconds)", 0},
		{"nothing but a definition", "", stateCRD, report.StateAdmitted, "", 0},
		{"an exemption", podSecurityExempts("payments"), statePod, report.StateAdmitted, "", 0},
		{"policies alone", admits, "", report.StateNoRequest, "there is no request", 2},
		{"a request that cannot be read", admits, "kind: [", report.StateNoRequest, "the request cannot be read: ", 2},
		{"admitted", admits, statePod, report.StateAdmitted, "", 0},
		{"denied", admits + denies, statePod, report.StateDenied, "", 1},
		{"mutated", mutates, statePod, report.StateMutated, "", 0},
		{"refused", broken, statePod, report.StatePolicyRefused, "ValidatingAdmissionPolicy b: undeclared reference to 'objct'", 2},
		{"refused counts more than denied", denies + broken, statePod, report.StatePolicyRefused, "ValidatingAdmissionPolicy b: ", 2},
		{"refused without a request", broken, "", report.StatePolicyRefused, "ValidatingAdmissionPolicy b: ", 2},
		{"the first refused", broken + policyOf("c", "", takes, "1"), "", report.StatePolicyRefused, "ValidatingAdmissionPolicy b: ", 2},
		{"no binding", unbound, statePod, report.StateNoPolicyRan, "no binding", 0},
		{"a selector", selects, statePod, report.StateNoPolicyRan, "namespaceSelector wants env=prod", 0},
		{"a condition", excluded, statePod, report.StateNoPolicyRan, `match condition "c" is false`, 0},
		{"one of two ran", excluded + admits, statePod, report.StateAdmitted, "", 0},
		{"none of two ran", excluded + selects, statePod, report.StateNoPolicyRan, "namespaceSelector", 0},
		{"mutating policies and a deletion", mutates, deletion, report.StateNoPolicyRan, "DELETE", 0},
		{"a deletion of what is being deleted", admits, goingPod, report.StateNoPolicyRan, "the object is being deleted already", 0},
		{"a faster deletion of it", admits, strings.Replace(goingPod, "options: {}", "options: {gracePeriodSeconds: 5}", 1), report.StateNoPolicyRan, "wants operations CREATE", 0},
		{"a part of the policies cannot be read", admits + "kind: [\n", statePod, report.StateUndecided, "cannot be read", 2},
		{"denied, whatever cannot be read", denies + "kind: [\n", statePod, report.StateDenied, "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario.Scenario{Policies: c.policies, Request: c.request}
			if strings.HasPrefix(c.request, "operation:") {
				s.Options.Defaulting = new(true)
			}
			r, err := engine.Evaluate(context.Background(), s, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := r.Outcome.StateReason
			for _, u := range r.Outcome.Unmatched {
				got += "\n" + u.Name + ": " + u.Reason
			}
			if r.Outcome.State != c.want || !strings.Contains(got, c.reason) || c.reason == "" && got != "" {
				t.Errorf("got %s, %s, want %s, %s", r.Outcome.State, got, c.want, c.reason)
			}
			if got := r.ExitCode(); got != c.code {
				t.Errorf("exit code %d, want %d; errors: %v", got, c.code, diag.Diagnostics(r.Diagnostics).Errors())
			}
		})
	}
}

// TestUnreadPolicies: whatever the scenario itself has, the answer is not known while files with
// policies are unread, unless something denies.
func TestUnreadPolicies(t *testing.T) {
	admits := policyOf("a", "", "true", "true")
	denies := policyOf("d", "", "true", "false")
	for policies, want := range map[string]report.State{"": report.StateUndecided, admits: report.StateUndecided, denies: report.StateDenied} {
		s, problems := scenario.FromTxtar([]byte("-- scenario.yaml --\npolicies: ../policies\n-- request.yaml --\n" + statePod))
		if s.Policies = policies; len(problems) > 0 {
			t.Fatal(problems)
		}
		r, err := engine.Evaluate(context.Background(), s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome.State != want || r.ExitCode() != report.ExitWrong || !strings.Contains(diag.Diagnostics(r.Diagnostics).Error(), "the policies in ../policies are not read") {
			t.Errorf("%q: got %s, exit code %d, %v", policies, r.Outcome.State, r.ExitCode(), r.Diagnostics)
		}
	}
}
