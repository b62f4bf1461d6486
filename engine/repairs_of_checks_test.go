package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestRepairsOfChecks: which repairs are offered for what is found without a request, in their order. After each of
// them the expression does not fail for the same reason.
func TestRepairsOfChecks(t *testing.T) {
	policy := func(rule, validation string) string {
		return "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n" +
			"  matchConstraints: {resourceRules: [" + rule + "]}\n  validations: [{" + validation + "}]\n---\n" +
			"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p, validationActions: [Deny]}\n"
	}
	rule := func(group, version, operations, resource string) string {
		return "{apiGroups: ['" + group + "'], apiVersions: [" + version + "], operations: [" + operations + "], resources: [" + resource + "]}"
	}
	configmaps := func(operations string) string { return rule("", "v1", operations, "configmaps") }
	for name, c := range map[string]struct{ policies, code, want, written string }{
		"a policy that names DELETE is about deletions": {
			policy(configmaps("UPDATE, DELETE"), `expression: "!has(object.metadata.labels) || object.metadata.labels['a'] != 'b'"`), codes.FailsWhenNull,
			"Read oldObject where the request deletes|Match only UPDATE|Allow when object is null|Deny when object is null", ""},
		"a part beside the guarded one reads the same": {
			policy(configmaps("CREATE"), `expression: "'a' in object.metadata.labels && object.metadata.labels['a'] == 'b'"`), codes.FailsWhenMissing,
			"Deny when object.metadata.labels is absent|Allow when object.metadata.labels is absent|Default to {} when missing",
			`"has(object.metadata.labels) && 'a' in object.metadata.labels && object.metadata.labels['a'] == 'b'"`},
		"a guard is not written twice": {
			policy(rule("", "v1", "CREATE", "pods"), `expression: "object.spec.containers.all(c, has(c.securityContext.privileged) && c.securityContext.privileged == false)"`), codes.FailsWhenMissing,
			"Deny when c.securityContext is absent|Allow when c.securityContext is absent", "has(c.securityContext) && has(c.securityContext.privileged) && c.securityContext.privileged =="},
		"a field that the kind has is no misspelling": {
			policy(rule("policy", "v1", "CREATE", "poddisruptionbudgets"), `expression: "object.spec.maxUnavailable >= 1"`), codes.FailsWhenMissing,
			"Deny when object.spec.maxUnavailable is absent|Allow when object.spec.maxUnavailable is absent|Default to 0 when missing", ""},
		"a CronJob has its Pod template elsewhere": {
			strings.Replace(policy(rule("batch", "v1", "CREATE", "jobs, cronjobs"), `expression: "!variables.pod.?hostNetwork.orValue(false)"`), "  validations", "  variables: [{name: pod, expression: object.spec.template.spec}]\n  validations", 1), codes.FailsForKind,
			"Read the Pod template where the object has one|Do not match cronjobs", "(has(object.spec.jobTemplate) ? object.spec.jobTemplate.spec : object.spec).template.spec"},
		"a guard that leaves nothing to decide": {
			policy(rule("", "v1", "CONNECT", "pods/exec, pods/attach"), `expression: "object.spec.x == 'a'"`), codes.FailsForKind, "Do not match pods/exec", ""},
		"a limit that is not set is not 0": {
			policy(rule("", "v1", "CREATE", "pods"), `expression: "object.spec.terminationGracePeriodSeconds <= object.spec.activeDeadlineSeconds"`), codes.FailsWhenMissing,
			"Deny when object.spec.activeDeadlineSeconds is absent|Allow when object.spec.activeDeadlineSeconds is absent", ""},
		"an audit annotation without a value is left out": {
			strings.Replace(policy(configmaps("CREATE"), `expression: "object.metadata.name != 'a'"`), "---", "  auditAnnotations: [{key: t, valueExpression: \"'ticket ' + object.metadata.annotations['t']\"}]\n---", 1), codes.FailsWhenMissing,
			"Leave out the annotation when object.metadata.annotations is absent", "has(object.metadata.annotations) && 't' in object.metadata.annotations ? 'ticket ' + object.metadata.annotations['t'] : ''"},
		"a binding without a param is one problem": {
			strings.Replace(policy(configmaps("CREATE"), `expression: "object.metadata.name != params.data['a']"`), "spec:\n", "spec:\n  paramKind: {apiVersion: v1, kind: ConfigMap}\n", 1), codes.ParamsNotBound,
			"Add a paramRef with a name to fill in", ""},
		"the branch of another kind stays": {
			policy(rule("", "v1", "CREATE", "pods")+", "+rule("apps", "v1", "CREATE", "deployments"), `expression: "object.kind == 'Deployment' ? object.spec.template.spec.hostNetwork : object.spec.template.spec.hostNetwork"`), codes.TypeChecking,
			"Write object.kind == 'Deployment' ? object.spec.template.spec.hostNetwork : object.spec.hostNetwork", ""},
		"the right group has the version": {
			policy(rule("apps", "v2", "CREATE", "horizontalpodautoscalers"), `expression: "true"`), codes.UnlikelyRule, "Change to apiGroups: [autoscaling]", ""},
		"a reason that means nothing": {
			policy(configmaps("CREATE"), `expression: "false", reason: High`), codes.UnsupportedValue, "Change to Forbidden|Change to Invalid", ""},
		"spec is indented too far": {
			strings.ReplaceAll(policy(configmaps("CREATE"), `expression: "true"`), "metadata: {name: p}\nspec:\n", "metadata:\n  name: p\n  spec: # of the policy\n"), codes.RequiredValue, "Unindent spec", "\nspec: # of the policy\n"},
		"a mutation of new objects has no old one": {
			"apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  reinvocationPolicy: Never\n" +
				"  matchConstraints: {resourceRules: [" + configmaps("CREATE") + "]}\n" +
				"  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: \"Object{metadata: Object.metadata{labels: {'a': oldObject.metadata.labels['a']}}}\"}}]\n" +
				"---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: p}\nspec: {policyName: p}\n", codes.FailsWhenNull, "", ""},
		"cluster-scoped requests have no namespace": {
			"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: w}\nwebhooks:\n" +
				"- {name: a.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {name: a, namespace: a}}, rules: [" + rule("*", "'*'", "CREATE, UPDATE", "'*'") + "]}\n",
			codes.WebhookBlocksControlPlane, "Exclude these requests with a match condition|Change to failurePolicy: Ignore", "!(has(request.namespace) && request.namespace in "},
	} {
		check := func(policies string) (found []diag.Diagnostic) {
			r, err := engine.Evaluate(context.Background(), scenario.Scenario{Policies: policies}, engine.Options{Explain: true, Foresee: true, TryRepairs: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range r.Diagnostics {
				if c.code == codes.ParamsNotBound && d.Code == codes.FailsWhenNull {
					t.Errorf("%s: %s", name, d.Summary)
				}
				if d.Code == c.code {
					found = append(found, d)
				}
			}
			return found
		}
		found := check(c.policies)
		if len(found) == 0 {
			t.Errorf("%s: nothing found", name)
			continue
		}
		var titles []string
		for i, fix := range found[0].Fixes {
			titles = append(titles, fix.Title)
			text, err := fix.Apply(diag.Policies, c.policies)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 && !strings.Contains(text, c.written) {
				t.Errorf("%s: %s is not in %s", name, c.written, text)
			}
			for _, after := range check(text) {
				if after.Path == found[0].Path && after.Summary == found[0].Summary && after.Severity != diag.Info {
					t.Errorf("%s: %q leaves %q in %s", name, fix.Title, after.Summary, text)
				}
			}
		}
		if got := strings.Join(titles, "|"); got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}
