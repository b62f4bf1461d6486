package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestForeseeStuck finds denials that keep an object from being deleted. Policies that deny the object to every
// user and for every change have none.
func TestForeseeStuck(t *testing.T) {
	const finalizer = "keeps-object: the policy denies updates that only change finalizers of an object being deleted, so the Secret stays"
	const namespace = "keeps-object: the policy denies this deletion in namespace team-a, which is being deleted, so the namespace stays Terminating"
	for _, c := range []struct {
		operations, expression string
		want                   string
	}{
		{"UPDATE", "object.metadata == oldObject.metadata", finalizer},
		{"UPDATE", "!has(oldObject.metadata.deletionTimestamp)", finalizer},
		{"UPDATE", "request.userInfo.username == 'jane'", finalizer},
		{"UPDATE", "request.userInfo.username == 'jane' || 'x' in object.?data.orValue({})", ""},
		{"UPDATE", "object == oldObject || request.userInfo.username.startsWith('system:')", ""},
		{"UPDATE", "has(object.data) == has(oldObject.data)", ""},
		{"UPDATE", "object.metadata.?annotations.ticket.orValue('') != oldObject.metadata.?annotations.ticket.orValue('')", finalizer},
		{"UPDATE", "oldObject.metadata.?annotations.ticket.orValue('') != ''", ""},
		{"DELETE", "request.userInfo.username == 'admin'", namespace},
		{"DELETE", "oldObject.?metadata.labels.keep.orValue('') != 'yes'", ""},
		{"DELETE", "oldObject.?metadata.labels.keep.orValue('') == 'no'", namespace},
		{"DELETE", "!request.?name.orValue('').startsWith('key-') || request.userInfo.username == 'admin'",
			"empty-request-field: a deletion of all secrets passes: request.name is empty for each of them"},
		{"DELETE", "'system:serviceaccounts:kube-system' in request.userInfo.groups || 'admins' in request.userInfo.groups", ""},
	} {
		got := foreseen(t, rules("", c.operations, "secrets"), validation(c.expression), denies)
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s\n%q, want %q", c.expression, got, c.want)
		}
	}
	locked := "  matchConditions: [{name: a, expression: \"oldObject.metadata.?labels[?'locked'].orValue('') == 'yes'\"}]\n" + validation("request.userInfo.username == 'jane'")
	if got := foreseen(t, rules("", "UPDATE", "secrets"), locked, denies); len(got) != 1 || got[0] != finalizer {
		t.Errorf("objects that one user may change: %q", got)
	}
}

// TestForeseeExamples gives the problems that are proved without a request one that shows them.
func TestForeseeExamples(t *testing.T) {
	services := rules("", "CREATE, UPDATE", "services")
	for _, c := range []struct{ rule, spec, code, want string }{
		{services, "  validations: [{expression: \"object.spec.type == 'NodePort' && object.spec.type == 'ClusterIP'\"}]", "fixed-result", `"kind": "Service"`},
		{services, "  validations: [{expression: \"object.?spec.type.orValue('x') == 'ClusterIP'\"}, {expression: \"object.?spec.type.orValue('x') != 'NodePort'\"}]", "validation-implied", `"type": "NodePort"`},
		{rules("", "CREATE", "pods"), "  validations: [{expression: \"object.spec.containers.all(c, !c.?securityContext.privileged.orValue(false))\"}]", "containers-left-out", `"initContainers"`},
		{rules("", "CREATE", "pods"), "  validations: [{expression: \"(object.spec.containers + object.spec.?initContainers.orValue([])).all(c, !c.?securityContext.privileged.orValue(false))\"}]",
			"ephemeral-left-out", `"subResource": "ephemeralcontainers"`},
	} {
		policy := "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n  matchConstraints: {resourceRules: [" + c.rule + "]}\n" + c.spec + "\n"
		configuration, problems := engine.Compile(scenario.Scenario{Policies: policy})
		example := ""
		for _, d := range engine.WithForeseen(problems, configuration.Foresee(context.Background(), engine.Options{})) {
			if d.Code == c.code {
				example += d.Example
			}
		}
		if !strings.Contains(example, c.want) {
			t.Errorf("the example of %s in %s has no %s: %s", c.code, c.spec, c.want, example)
		}
	}
}

// TestForeseeControllers finds what a policy denies controllers and kubelets because of who they are. One that is about
// what is in some new objects has none, and neither has one that lets the controllers pass.
func TestForeseeControllers(t *testing.T) {
	const denies, asks = "validationActions: [Deny]", "'r' in request.userInfo.groups"
	for _, c := range []struct{ group, operations, resources, expression, want string }{
		{"", "CREATE", "pods", asks, "the Pods of Deployments, the Pods of StatefulSets, the Pods of DaemonSets, the Pods of Jobs"},
		{"", "CREATE", "pods", "request.userInfo.groups.exists(g, g.startsWith('team-'))", "the Pods of Deployments"},
		{"", "CREATE", "pods", "!object.spec.?hostNetwork.orValue(false) || " + asks, ""},
		{"", "CREATE", "pods", "has(object.metadata.ownerReferences) || " + asks, ""},
		{"", "CREATE", "pods", "request.userInfo.username.startsWith('system:') || " + asks, ""},
		{"", "CREATE", "pods", "!('interns' in request.userInfo.groups)", ""},
		{"", "CREATE", "pods/exec", asks, ""},
		{"apps", "CREATE", "deployments", asks, ""},
		{"apps", "CREATE, UPDATE", "replicasets", asks, "the ReplicaSets of Deployments, the scaling of ReplicaSets"},
		{"batch", "CREATE", "jobs", "request.userInfo.username == 'jane'", "the Jobs of CronJobs"},
		{"", "DELETE", "pods", "oldObject.?metadata.labels.keep.orValue('') != 'yes' || " + asks, "the deletion of Pods that ended, the deletion of Pods by controllers, the deletion of what owners leave behind, the deletion of Pods of lost nodes"},
		{"", "DELETE", "pods", "'system:nodes' in request.userInfo.groups || 'system:serviceaccounts:kube-system' in request.userInfo.groups || " + asks, ""},
		{"", "DELETE", "pods", "'system:nodes' in request.userInfo.groups || " + asks, "the deletion of Pods by controllers, the deletion of what owners leave behind, the deletion of Pods of lost nodes"},
	} {
		got := strings.Join(foreseen(t, rules(c.group, c.operations, c.resources), validation(c.expression), denies), "; ")
		const head = "policy-blocks-control-plane: the policy denies controllers and nodes what it admits from other users: "
		if c.want == "" && got != "" || c.want != "" && !strings.HasPrefix(got, head+c.want) || strings.Contains(got, "; ") {
			t.Errorf("%s: %s %s: %q, want %q", c.expression, c.operations, c.resources, got, c.want)
		}
	}
}

// TestForeseeNeverFalse finds the error that is all a validation denies by.
func TestForeseeNeverFalse(t *testing.T) {
	got := foreseen(t, rules("rbac.authorization.k8s.io", "CREATE", "clusterroles"), validation("namespaceObject.metadata.labels['env'] != 'prod' || !object.metadata.name.startsWith('dev-')"), denies)
	if want := "fails-when-null: the expression fails for a ClusterRole, which is in no namespace: namespaceObject is null"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q", got)
	}
}

// TestForeseeBrokenValidations finds policies that deny whatever a mutation makes of the object.
func TestForeseeBrokenValidations(t *testing.T) {
	const pods = "resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]"
	for _, c := range []struct{ mutation, validation, want string }{
		{"Object{metadata: Object.metadata{labels: {'env': 'production'}}}", "object.metadata.?labels.?env.orValue('') in ['prod', 'dev']", "this validation denies what policy m makes of the object: it sets metadata.labels.env to production"},
		{"Object{metadata: Object.metadata{labels: {'env': 'prod'}}}", "object.metadata.?labels.?env.orValue('') in ['prod', 'dev']", ""},
		{"Object{metadata: Object.metadata{labels: {'env': 'production'}}}", "object.metadata.?labels.?team.orValue('') != ''", ""},
		{"has(object.metadata.labels) ? Object{} : Object{metadata: Object.metadata{labels: {'env': 'production'}}}", "object.metadata.?labels.?env.orValue('prod') in ['prod', 'dev']", "this validation denies what policy m makes of the object: it sets metadata.labels.env to production"},
	} {
		policies := "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: m}\nspec: {reinvocationPolicy: Never, matchConstraints: {" + pods + "}, mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: " + scenario.Quoted(c.mutation) + "}}]}\n---\n" +
			"apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: m}\nspec: {policyName: m}\n---\n" +
			"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: v}\nspec: {matchConstraints: {" + pods + "}, validations: [{expression: " + scenario.Quoted(c.validation) + "}]}\n---\n" +
			"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: v}\nspec: {policyName: v, validationActions: [Deny]}\n"
		configuration, problems := engine.Compile(scenario.Scenario{Policies: policies})
		got := ""
		for _, d := range engine.WithForeseen(problems, configuration.Foresee(context.Background(), engine.Options{})) {
			if d.Code == "validation-broken-by-mutation" {
				got += d.Summary
			}
		}
		if got != c.want {
			t.Errorf("%s, %s: got %q", c.mutation, c.validation, got)
		}
	}
}
