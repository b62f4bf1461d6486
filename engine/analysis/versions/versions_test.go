package versions

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

const rules = `{resourceRules: [{apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]}`

// validating is a policy with one validation, and its binding.
func validating(expression string) string {
	return fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: check}
spec:
  matchConstraints: %s
  validations: [{expression: %q, message: wrong}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: check}
spec: {policyName: check, validationActions: [Deny]}
`, rules, expression)
}

// mutating is a policy with one ApplyConfiguration.
func mutating(version, expression string) string {
	return fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/%[1]s
kind: MutatingAdmissionPolicy
metadata: {name: change}
spec:
  matchConstraints: %[2]s
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: %[3]q}}]
---
apiVersion: admissionregistration.k8s.io/%[1]s
kind: MutatingAdmissionPolicyBinding
metadata: {name: change}
spec: {policyName: change}
`, version, rules, expression)
}

const (
	configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata: {a: b}\n"
	pod       = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec: {containers: [{name: app, image: nginx, env: [{name: A, value: '1'}, {name: A, value: '2'}]}]}\n"
)

// rowsText writes what the rows say: a line for each version that differs from
// the one before.
func rowsText(v report.Versions) string {
	var b strings.Builder
	for i, r := range v.Rows {
		if i > 0 && len(r.Differs) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s %s refused %d", r.Version, r.Verdict, len(r.Refused))
		if i > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(r.Differs, ", "))
		}
		for _, reason := range r.Reasons {
			fmt.Fprintf(&b, "\n  %s", reason.Text)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSpace(b.String())
}

func TestCompare(t *testing.T) {
	tests := []struct {
		name                       string
		policies, request, cluster string
		want                       string
	}{
		{"the same everywhere", validating("object.data.a == 'b'"), configMap, "", `1.30 admitted refused 0`},
		{"a library that came later", validating("isIP(object.data.a)"), configMap, "", `
1.30 admitted refused 1
1.31 denied refused 0 (outcome, refusal, step)
  "isIP" is available from Kubernetes 1.31 on`},
		{"costs of libraries", validating("url('https://example.com/a/very/long/path').getHost() != object.data.a"), configMap, "", `
1.30 admitted refused 0
1.32 admitted refused 0 (cost)
  functions of the Kubernetes CEL libraries have their own costs; before, such a call cost 1`},
		{"a kind that is gone", validating("true"), "apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\nmetadata: {name: f}\nspec: {priorityLevelConfiguration: {name: p}}\n", "", `
1.30 admitted refused 0
1.32 denied refused 0 (outcome, warning, step, object)
  Kubernetes 1.32 does not serve flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema`},
		{"a field that came later", validating("object.spec.?hostUsers.hasValue() && !has(object.spec.hostnameOverride)"), "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec: {hostUsers: true, hostnameOverride: h, containers: [{name: app, image: nginx}]}\n", "", `
1.30 admitted refused 0
1.33 admitted refused 0 (object)
  Pods have a metadata.generation
1.34 denied refused 0 (outcome, warning, step, object)
  on Kubernetes 1.33: unknown field "spec.hostnameOverride"`},
		{"a negative range", validating("lists.range(object.data.size() - 2).size() == 0"), configMap, "", `
1.30 admitted refused 1
1.35 admitted refused 0 (refusal, step)
  "lists" is available from Kubernetes 1.35 on
  "range" is available from Kubernetes 1.35 on
1.37 denied refused 0 (outcome, step, error, cost)
  lists.range of a negative number is an error (cel-go 0.29); before, it returned an empty list`},
		{"a request that crashed", strings.NewReplacer("ApplyConfiguration, applyConfiguration", "JSONPatch, jsonPatch").Replace(mutating("v1beta1", "[JSONPatch{op: 'add', path: '/data', value: [Object.data{}]}]")), configMap, "", `
1.30 admitted refused 2
1.34 denied refused 0 (outcome, refusal, step, error, object)
  Kubernetes serves MutatingAdmissionPolicy in admissionregistration.k8s.io/v1beta1
  Kubernetes serves MutatingAdmissionPolicyBinding in admissionregistration.k8s.io/v1beta1
1.35 denied refused 0 (outcome, error)
  a list or map with Object literals as a JSONPatch value does not crash the request, in 1.35 from 1.35.8 on, in 1.36 from 1.36.5 on
1.36 admitted refused 2 (outcome, refusal, step, error, object)
  Kubernetes 1.36 does not serve MutatingAdmissionPolicy in admissionregistration.k8s.io/v1beta1
  Kubernetes 1.36 does not serve MutatingAdmissionPolicyBinding in admissionregistration.k8s.io/v1beta1`},
		{"reviews are not sent to webhooks", "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: w}\nwebhooks: [{name: w.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: 'https://example.com'}, rules: [{apiGroups: [authentication.k8s.io], apiVersions: [v1], operations: [CREATE], resources: [tokenreviews]}]}]\n",
			"apiVersion: authentication.k8s.io/v1\nkind: TokenReview\nmetadata: {}\nspec: {token: t}\n", "", `
1.30 admitted refused 0
1.34 admitted refused 0 (object)
  an unset creationTimestamp is omitted; before, it was null
1.37 admitted refused 0 (step)
  token and access reviews are not sent to webhooks`},
		{"costs of startsWith", validating("!'a very long text indeed'.startsWith(object.data.a)"), configMap, "", `
1.30 admitted refused 0
1.37 admitted refused 0 (cost)
  startsWith and endsWith are charged by the prefix or suffix, and matches(s, p) costs the same as s.matches(p) (cel-go 0.29)`},
		{"a kind that is not served", mutating("v1", "Object{metadata: Object.metadata{labels: {'a': 'b'}}}"), configMap, "", `
1.30 admitted refused 2
1.36 mutated refused 0 (refusal, step, object)
  Kubernetes serves MutatingAdmissionPolicy in admissionregistration.k8s.io/v1
  Kubernetes serves MutatingAdmissionPolicyBinding in admissionregistration.k8s.io/v1`},
		{"duplicate items in the live object", mutating("v1beta1", "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'app', env: [Object.spec.containers.env{name: 'A', value: '3'}]}]}}"), pod, "", `
1.30 admitted refused 2
1.33 admitted refused 2 (object)
  Pods have a metadata.generation
1.34 denied refused 0 (outcome, refusal, annotation, step, error, object)
  Kubernetes serves MutatingAdmissionPolicy in admissionregistration.k8s.io/v1beta1
  Kubernetes serves MutatingAdmissionPolicyBinding in admissionregistration.k8s.io/v1beta1
1.35 mutated refused 0 (outcome, annotation, step, error, object)
  ApplyConfiguration tolerates duplicate items in the changed object
1.36 admitted refused 2 (refusal, step, object)
  Kubernetes 1.36 does not serve MutatingAdmissionPolicy in admissionregistration.k8s.io/v1beta1
  Kubernetes 1.36 does not serve MutatingAdmissionPolicyBinding in admissionregistration.k8s.io/v1beta1`},
		{"behind the end of a text", validating("''.indexOf(object.data.a) == -1"), configMap, "", `
1.30 denied refused 0
1.32 admitted refused 0 (outcome, step, error, cost)
  indexOf and lastIndexOf find nothing after the end of a string (cel-go 0.22); before, searching there was an error`},
		{"a test for nothing", strings.NewReplacer("ApplyConfiguration, applyConfiguration", "JSONPatch, jsonPatch").Replace(mutating("v1beta1", "[JSONPatch{op: 'test', path: '/data/none'}]")), configMap, "", `
1.30 admitted refused 2
1.34 denied refused 0 (outcome, refusal, step, error, object)
  Kubernetes serves MutatingAdmissionPolicy in admissionregistration.k8s.io/v1beta1
  Kubernetes serves MutatingAdmissionPolicyBinding in admissionregistration.k8s.io/v1beta1
1.35 admitted refused 0 (outcome, step, error, object)
  a JSON patch may test a missing path without a value (json-patch 4.13); before, it crashed the request
1.36 admitted refused 2 (refusal, step)
  Kubernetes 1.36 does not serve MutatingAdmissionPolicy in admissionregistration.k8s.io/v1beta1
  Kubernetes 1.36 does not serve MutatingAdmissionPolicyBinding in admissionregistration.k8s.io/v1beta1`},
		{"a part of an object compared with a text", validating("!(object.metadata == 'x')"), configMap, "", `
1.30 admitted refused 0
1.37 denied refused 0 (outcome, step, error)
  CEL sees built-in objects as the server's Go values: comparing a part of one with a value of another kind is an error; before, it was false`},
		{"a part of an object as the value of a patch", strings.NewReplacer("ApplyConfiguration, applyConfiguration", "JSONPatch, jsonPatch", "  failurePolicy: Fail", "  failurePolicy: Fail\n  matchConditions: [{name: c, expression: 'true'}]").Replace(mutating("v1", "[JSONPatch{op: 'add', path: '/metadata/annotations', value: object.data}]")), configMap, "", `
1.30 admitted refused 2
1.36 mutated refused 0 (refusal, step, object)
  Kubernetes serves MutatingAdmissionPolicy in admissionregistration.k8s.io/v1
  Kubernetes serves MutatingAdmissionPolicyBinding in admissionregistration.k8s.io/v1
1.37 denied refused 0 (outcome, step, error, object)
  CEL sees built-in objects as the server's Go values, which cannot be the value of a JSONPatch operation if the policy has match conditions`},
		{"all failures in one annotation", strings.Replace(strings.Replace(validating("false"), "[Deny]", "[Audit]", 1), "validations: [", "validations: [{expression: 'false', message: neither}, ", 1), configMap, "", `
1.30 admitted refused 0
1.37 admitted refused 0 (annotation)
  all failures of a request are in one audit annotation; before, only the first was`},
		{"no request", validating("true"), "", "", "1.30 no request refused 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reports, err := Run(context.Background(), scenario.Scenario{Policies: test.policies, Request: test.request, Cluster: test.cluster, Now: "2026-01-01T00:00:00Z"})
			if err != nil {
				t.Fatal(err)
			}
			v := Compare(reports)
			if got, want := rowsText(v), strings.TrimSpace(test.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
