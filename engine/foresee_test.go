package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// foreseen compiles a policy with one validation and returns the warnings that are foreseen.
func foreseen(t *testing.T, rule, spec, binding string) []string {
	t.Helper()
	policies := fmt.Sprintf(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [%s]}
%s
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, %s}
`, rule, spec, binding)
	c, problems := engine.Compile(scenario.Scenario{Policies: policies})
	if problems.HasErrors() {
		t.Fatalf("%v in\n%s", problems, policies)
	}
	var out []string
	for _, d := range c.Foresee(context.Background(), engine.Options{}) {
		known := slices.ContainsFunc(problems, func(p diag.Diagnostic) bool { return p.Code == d.Code && p.Summary == d.Summary })
		if d.Severity == diag.Warning && !known { // a known problem is there for its example
			out = append(out, d.Code+": "+d.Summary)
		}
		var review any
		if err := json.Unmarshal([]byte(d.Example), &review); err != nil {
			t.Errorf("%s has no request to open: %v", d.Summary, err)
		}
		for _, fix := range d.Fixes {
			if _, err := fix.Apply(diag.Policies, policies); err != nil {
				t.Errorf("%s: %v", fix.Title, err)
			}
		}
	}
	return out
}

func validation(expression string) string {
	return "  validations: [{expression: " + scenario.Scalar(expression) + ", message: refused}]"
}

const denies = "validationActions: [Deny]"

// rules are rules of the tests.
func rules(group, operations, resources string) string {
	return fmt.Sprintf("{apiGroups: ['%s'], apiVersions: [v1], operations: [%s], resources: [%s]}", group, operations, resources)
}

// TestForesee looks at what is foreseen of expressions, and that nothing is of those that
// test what they read.
func TestForesee(t *testing.T) {
	deployments := func(operations string) string { return rules("apps", operations, "deployments") }
	pods := rules("", "CREATE", "pods")
	for _, c := range []struct {
		rule, expression string
		want             []string // parts of the warnings
	}{
		{deployments("'*'"), "object.spec.replicas <= 5", []string{"fails-when-null: the expression fails when a Deployment is deleted: object is null"}},
		{deployments("CREATE, UPDATE"), "object.spec.replicas <= 5", nil},
		{deployments("'*'"), "request.operation == 'DELETE' || object.spec.replicas <= 5", nil},
		{deployments("CREATE, UPDATE"), "object.spec.replicas >= oldObject.spec.replicas", []string{"fails-when-null: the expression fails when a Deployment is created: oldObject is null"}},
		{rules("networking.k8s.io", "CREATE", "ingresses"), "object.spec.ingressClassName == oldObject.spec.ingressClassName", []string{"an Ingress without spec.ingressClassName", "oldObject is null"}},
		{deployments("CREATE, UPDATE"), "oldObject == null || object.spec.replicas >= oldObject.spec.replicas", nil},
		{deployments("CREATE"), "object.metadata.labels['team'] == 'x'", []string{"fails-when-missing: the expression fails for a Deployment without metadata.labels"}},
		{deployments("CREATE"), "has(object.metadata.labels) && object.metadata.labels.team == 'x'", []string{"a Deployment without metadata.labels.team"}},
		{deployments("CREATE"), "object.metadata.?labels.team.orValue('') == 'x'", nil},
		{rules("apps", "UPDATE", "deployments, deployments/scale"), "object.spec.template.spec.containers.size() < 4", []string{"fails-for-kind: the expression fails for UPDATE deployments/scale: a Scale has no field spec.template"}},
		{rules("", "CONNECT", "pods/exec"), "object.spec.containers.size() < 2", []string{"a PodExecOptions has no field spec"}},
		{pods, "object.spec.containers.all(c, !has(c.securityContext) || !c.securityContext.privileged)", []string{"a Pod without spec.containers[0].securityContext.privileged"}},
		{pods, "object.spec.containers.all(c, c.livenessProbe != null)", []string{"a Pod without spec.containers[0].livenessProbe"}},
		{pods, "object.spec.securityContext.runAsUser > 0", []string{"a Pod without spec.securityContext.runAsUser"}},
		{pods, "object.spec.containers.all(c, has(c.resources.limits) && c.resources.limits['memory'] != '0')", []string{"resources.limits.memory"}},
		{pods, "namespaceObject.metadata.labels['env'] != 'prod'", []string{"a Pod in a namespace without metadata.labels['env']"}},
		{pods, "request.userInfo.extra['x'][0] == 'y'", []string{"the request has no userInfo.extra"}},
		{rules("", "CREATE", "namespaces"), "namespaceObject.metadata.name != 'x'", []string{"a Namespace, which is in no namespace"}},
		{rules("", "DELETE", "namespaces"), "oldObject.metadata.annotations['a'] != 'b'", []string{"when a Namespace without metadata.annotations is deleted"}},
		{rules("", "UPDATE", "configmaps"), "!has(object.data) || !('a' in object.data) || oldObject.data['a'] == object.data['a']", []string{"when a ConfigMap is updated that had no data"}},
		{rules("policy", "CREATE", "poddisruptionbudgets"), "!has(object.spec.minAvailable) || object.spec.minAvailable > 0", []string{"no such overload, because object.spec.minAvailable may be a string such as"}},
		{rules("policy", "CREATE", "poddisruptionbudgets"), "!has(object.spec.minAvailable) || quantity(object.spec.minAvailable).isInteger()", []string{"no such overload: quantity(int) for the value 1"}},
		{rules("rbac.authorization.k8s.io", "CREATE", "roles"), "object.rules.all(r, !('*' in r.verbs))", []string{"for CREATE roles: object.rules is null, which has no items"}},
		{pods, "object.spec.volumes.all(v, !has(v.hostPath))", []string{"a Pod without spec.volumes"}}, // the server mounts a token into others
		{rules("networking.k8s.io", "CREATE", "ingresses"), "object.spec.rules.all(r, r.host != '')", []string{"an Ingress without spec.rules", "an Ingress without spec.rules[0].host"}},
		{rules("rbac.authorization.k8s.io", "CREATE", "rolebindings, clusterrolebindings"), "'x' in namespaceObject.metadata.?labels.orValue({}) || object.?subjects.orValue([]).all(s, s.kind != 'ServiceAccount' || s.name != 'default')",
			[]string{"a ClusterRoleBinding, which is in no namespace: namespaceObject is null"}},
		{rules("rbac.authorization.k8s.io", "CREATE", "rolebindings"), "object.?subjects.orValue([]).all(s, s.kind != 'ServiceAccount' || s.namespace != 'x')", nil}, // the server demands it
		{deployments("CREATE"), "object.metadata.namespace != 'prod' || object.metadata.labels['tier'] == 'gold'", []string{"a Deployment without metadata.labels"}},
	} {
		got := foreseen(t, c.rule, validation(c.expression), denies)
		ok := len(got) == len(c.want)
		for i := range min(len(got), len(c.want)) {
			ok = ok && slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, c.want[i]) })
		}
		if !ok {
			t.Errorf("%s\n%s\n%q, want %q", c.rule, c.expression, got, c.want)
		}
	}
}

// TestForeseeMessages finds a message that fails where the validation is false. The server evaluates it for other requests
// as well, and nobody sees that.
func TestForeseeMessages(t *testing.T) {
	const noEmptyDir = `  validations: [{expression: "!has(object.spec.volumes) || object.spec.volumes.all(v, !has(v.emptyDir))", messageExpression: "%s"}]`
	for message, want := range map[string]string{
		"'not ' + object.spec.volumes.filter(v, has(v.emptyDir))[0].name": "",
		"'not in ' + object.metadata.labels['app']":                       "fails-when-missing: the messageExpression fails for a Pod without metadata.labels",
	} {
		got := strings.Join(foreseen(t, rules("", "CREATE", "pods"), fmt.Sprintf(noEmptyDir, message), denies), "\n")
		if got != want {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}

// TestForeseeRules says when a rule of a definition fails: one that reads oldSelf does not run for creations.
func TestForeseeRules(t *testing.T) {
	for rule, want := range map[string]string{
		"has(self.min) || self.max.size() > 3": "the rule fails for a Widget without spec.max",
		"self.max == oldSelf.max":              "the rule fails when a Widget is updated that had no spec.max",
		"dyn(self).max == dyn(oldSelf).max":    "the rule fails when a Widget is updated: no such key: max",
		"has(self.max) && self.max.size() > 3": "",
		"self.low <= self.high":                "this rule is false for the defaults of low and high",
		"self.high <= self.low":                "",
	} {
		c, problems := engine.Compile(scenario.Scenario{Cluster: `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {min: {type: string, maxLength: 9}, max: {type: string, maxLength: 9}, low: {type: integer, default: 2}, high: {type: integer, default: 1}}
            x-kubernetes-validations: [{rule: ` + scenario.Scalar(rule) + `, message: wrong}]
`})
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		got := ""
		for _, d := range c.Foresee(context.Background(), engine.Options{}) {
			got += d.Summary
		}
		if got != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}

// TestForeseeCluster looks at policies that deny requests of a healthy cluster, and at those
// that leave them out.
func TestForeseeCluster(t *testing.T) {
	everything := "{apiGroups: ['*'], apiVersions: ['*'], operations: [CREATE, UPDATE], resources: ['*']}"
	labelled := "has(object.metadata.labels) && 'team' in object.metadata.labels"
	const people = "  matchConditions: [{name: people, expression: \"!request.userInfo.username.startsWith('system:') && request.?namespace.orValue('') != 'kube-system'\"}]\n"
	for _, c := range []struct {
		rule, spec, binding, want string
	}{
		{everything, validation(labelled), denies, "the heartbeats of nodes"},
		{everything, validation(labelled), "validationActions: [Audit]", ""},
		{everything, people + validation(labelled), denies, ""},
		{rules("", "UPDATE", "nodes/status"), validation("'admins' in request.userInfo.groups"), denies, "the status of nodes"},
		{rules("", "CREATE", "pods/binding"), validation("request.userInfo.username == 'jane'"), denies, "the binding of Pods to nodes"},
		{rules("", "DELETE", "pods"), validation("request.userInfo.username == 'jane'"), denies, "the deletion of Pods that ended"},
		{rules("certificates.k8s.io", "CREATE", "certificatesigningrequests"), validation("object.spec.signerName != 'kubernetes.io/kube-apiserver-client-kubelet' || request.userInfo.username.startsWith('system:node:')"), denies, "the first certificates of nodes"},
		{rules("", "UPDATE", "configmaps"), validation("'system:masters' in request.userInfo.groups || object.metadata.namespace != 'kube-system'"), denies, "the configuration of kubeadm"},
		{rules("", "UPDATE", "configmaps"), validation("'admins' in request.userInfo.groups || object.metadata.namespace != 'kube-system'"), denies, ""},
		{rules("", "CREATE", "pods"), validation("object.spec.serviceAccountName != 'default'"), denies, "the mirror Pods of the control plane"},
		{rules("", "DELETE", "secrets"), validation("!request.?name.orValue('').startsWith('key-') || 'admins' in request.userInfo.groups"), denies, "a deletion of all secrets passes"},
		{rules("apps", "CREATE", "deployments"), validation(labelled), denies, ""},
		{rules("", "CREATE", "pods"), validation(labelled), denies, ""},
	} {
		got := strings.Join(foreseen(t, c.rule, c.spec, c.binding), "\n")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s\n%s\n%q, want %q", c.rule, c.spec, got, c.want)
		}
	}
}

// TestForeseeAnnotations says that an audit annotation which fails denies the request, whatever the binding does.
func TestForeseeAnnotations(t *testing.T) {
	const annotation = "  auditAnnotations: [{key: a, valueExpression: \"'of ' + object.metadata.labels['team']\"}]"
	c, _ := engine.Compile(scenario.Scenario{Policies: strings.NewReplacer("RULE", rules("", "CREATE", "pods"), "SPEC", annotation).Replace(`apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [RULE]}
SPEC
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Audit]}
`)})
	found := c.Foresee(context.Background(), engine.Options{})
	if !slices.ContainsFunc(found, func(d diag.Diagnostic) bool {
		return strings.Contains(d.Detail, "denies the request with this error, although the binding does not deny")
	}) {
		t.Errorf("got %v", found)
	}
}

// TestForeseeOneCause reports that object is null, and not also that the cluster's deletions are denied for it.
func TestForeseeOneCause(t *testing.T) {
	got := foreseen(t, rules("", "'*'", "pods"), validation("object.metadata.name != 'a'"), denies)
	if len(got) != 1 || !strings.HasPrefix(got[0], "fails-when-null") {
		t.Errorf("got %q", got)
	}
}

// TestForeseeParamsOutOfReach finds params that the server looks for where they cannot be.
func TestForeseeParamsOutOfReach(t *testing.T) {
	spec := func(kind string) string {
		return "  paramKind: " + kind + "\n" + validation("params != null")
	}
	const configMap = "{apiVersion: v1, kind: ConfigMap}"
	for _, c := range []struct{ rule, kind, ref, want string }{
		{rules("", "CREATE", "namespaces"), configMap, "name: a, parameterNotFoundAction: Deny", "missing-param: the paramRef finds no ConfigMap for CREATE namespaces: it names no namespace"},
		{rules("", "CREATE", "namespaces"), configMap, "name: a, parameterNotFoundAction: Allow", "missing-param: the paramRef finds no ConfigMap for CREATE namespaces: it names no namespace"},
		{rules("", "UPDATE", "namespaces"), configMap, "name: a, parameterNotFoundAction: Deny", ""},
		{rules("", "CREATE", "namespaces"), configMap, "name: a, namespace: default, parameterNotFoundAction: Deny", ""},
		{rules("", "CREATE, UPDATE", "pods, nodes"), configMap, "selector: {}, parameterNotFoundAction: Deny", "missing-param: the paramRef finds no ConfigMap for CREATE nodes: it names no namespace"},
		{rules("", "CREATE", "nodes"), "{apiVersion: v1, kind: Namespace}", "name: a, parameterNotFoundAction: Deny", ""},
		{rules("", "CREATE", "pods"), "{apiVersion: v1, kind: Namespace}", "name: a, namespace: b, parameterNotFoundAction: Deny", "missing-param: the paramRef finds no Namespace: it names namespace b, and the kind is cluster-scoped"},
		{rules("", "CREATE", "pods"), configMap, "name: a, parameterNotFoundAction: Deny", ""},
	} {
		if got := strings.Join(foreseen(t, c.rule, spec(c.kind), denies+", paramRef: {"+c.ref+"}"), "; "); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.rule, c.ref, got, c.want)
		}
	}
}
