package proposal

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// spared are two webhooks, in block and in flow style; the first one labels what it
// gets.
const spared = `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: labels}
webhooks:
- name: team.example.com # of the platform
  rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']}]
  clientConfig: {url: 'https://hooks.example.com'}
  sideEffects: None
  admissionReviewVersions: [v1]
  matchConditions:
  - name: no-events
    expression: request.resource.resource != 'events'
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: checks}
webhooks: [{name: check.example.com, rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']}], clientConfig: {url: 'https://hooks.example.com'}, sideEffects: None, admissionReviewVersions: [v1]}]
`

const teamAnswer = `
apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata: {name: team.example.com}
spec: {allowed: true, patchType: JSONPatch, patch: [{op: add, path: /metadata/labels, value: {team: blue}}]}
`

func TestSkipWhatIsThere(t *testing.T) {
	s := scenario.Scenario{Policies: spared, Request: emptyMap, Cluster: teamAnswer}
	got, err := ToSkip(context.Background(), s, "", "team.example.com")
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Conditions) != 1 || !got.Conditions[0].Verified {
		t.Fatalf("%+v", got.Conditions)
	}
	c := got.Conditions[0]
	const want = `object == null || !(has(object.metadata.labels) && has(object.metadata.labels.team) && object.metadata.labels.team == "blue")`
	if c.Expression != want || !strings.Contains(c.When, "metadata.labels.team") {
		t.Errorf("%s: %s", c.When, c.Expression)
	}
	policies, err := diag.Fix{Edits: []diag.Edit{*c.Edit}}.Apply(diag.Policies, s.Policies)
	if err != nil || !strings.Contains(policies, "# of the platform") || !strings.Contains(policies, "no-events") {
		t.Fatalf("%v\n%s", err, policies)
	}
	// With the condition a labelled object is left alone, and one that is deleted
	// breaks nothing.
	s.Policies = policies
	for request, want := range map[string]string{
		strings.Replace(emptyMap, "metadata: {", "metadata: {labels: {team: blue}, ", 1): `match condition "not-set-yet" is false`,
		emptyMap: "",
	} {
		s.Request = request
		r, err := engine.Evaluate(context.Background(), s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if step := r.Steps[0]; want != "" && step.Reason != want || want == "" && !step.Called {
			t.Errorf("%s: %s", request, step.Reason)
		}
	}
}

func TestSkipByFacts(t *testing.T) {
	review := func(operation, group, resource, rest string) string {
		return `{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: "1", operation: ` + operation +
			`, namespace: shop, name: x, resource: {group: "` + group + `", version: v1, resource: ` + resource + `}, ` + rest + `}}`
	}
	const node = `userInfo: {username: 'system:node:n', groups: ['system:nodes', 'system:authenticated']}, `
	const controller = `userInfo: {username: 'system:serviceaccount:kube-system:replicaset-controller', groups: ['system:authenticated']}, `
	const someone = `userInfo: {username: jane, groups: ['system:authenticated']}, `
	const deployment = `kind: {group: apps, version: v1, kind: Deployment}, object: {apiVersion: apps/v1, kind: Deployment, metadata: {name: x, namespace: shop, labels: {a: b}}, spec: {replicas: 1}}, oldObject: {apiVersion: apps/v1, kind: Deployment, metadata: {name: x, namespace: shop}, spec: {replicas: 1}}`
	for name, test := range map[string]struct {
		request string
		want    string // names of conditions
	}{
		"a lease of a node": {review("UPDATE", "coordination.k8s.io", "leases", node+`kind: {group: coordination.k8s.io, version: v1, kind: Lease}, object: {apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: x, namespace: shop}, spec: {holderIdentity: b}}, oldObject: {apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: x, namespace: shop}, spec: {holderIdentity: a}}`),
			"not-leases not-nodes"},
		"labels of a Deployment": {review("UPDATE", "apps", "deployments", someone+deployment), "spec-changes"},
		"its status":             {review("UPDATE", "apps", "deployments", "subResource: status, "+controller+deployment), "not-status spec-changes not-kube-system"},
		"nothing particular":     {review("CREATE", "", "configmaps", someone+`kind: {group: "", version: v1, kind: ConfigMap}, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: shop}}`), ""},
		"a deletion":             {review("DELETE", "", "configmaps", controller+`kind: {group: "", version: v1, kind: ConfigMap}, oldObject: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: shop}}`), "not-kube-system"},
	} {
		t.Run(name, func(t *testing.T) {
			s := scenario.Scenario{Policies: spared, Request: test.request}
			got, err := ToSkip(context.Background(), s, "checks", "check.example.com")
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, c := range got.Conditions {
				names = append(names, c.Name)
				if !c.Verified || c.Edit == nil {
					t.Errorf("%s: %v", c.Name, c.Reasons)
				}
			}
			if all := strings.Join(names, " "); all != test.want {
				t.Errorf("got %q, want %q", all, test.want)
			}
			if !strings.Contains(strings.Join(got.Notes, " "), "is assumed") {
				t.Errorf("the answer is assumed: %v", got.Notes)
			}
		})
	}
}

func TestSkipNothing(t *testing.T) {
	refused := "\napiVersion: preadmit.dev/v1\nkind: WebhookResponse\nmetadata: {name: check.example.com}\nspec: {allowed: false}\n"
	for _, test := range []struct{ cluster, webhook, want string }{
		{"", "nobody.example.com", "there is no webhook nobody.example.com"},
		{refused, "check.example.com", "webhook check.example.com decides about this request"},
	} {
		_, err := ToSkip(context.Background(), scenario.Scenario{Policies: spared, Request: emptyMap, Cluster: test.cluster}, "", test.webhook)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.webhook, err, test.want)
		}
	}
}
