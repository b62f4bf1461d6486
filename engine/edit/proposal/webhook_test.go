package proposal

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// hooks are two webhooks; the second one patches what the first one made.
const hooks = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: platform}
webhooks:
- name: defaults.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: "https://example.com/"}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
- name: owner.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Ignore
  reinvocationPolicy: IfNeeded
  clientConfig: {url: "https://example.com/"}
  namespaceSelector: {matchLabels: {team: shop}}
  matchConditions: [{name: no-owner, expression: '!has(object.data.owner)'}]
  rules: [{apiGroups: [""], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: [configmaps], scope: Namespaced}]
- name: idle.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: "https://example.com/"}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: owner}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [secrets]}]}
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[]'}}]
`

const hookAnswers = `
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: shop}}
---
apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata: {name: defaults.example.com}
spec: {allowed: true, patchType: JSONPatch, patch: [{op: add, path: /data, value: {mode: slow}}]}
---
apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata: {name: owner.example.com}
spec: {allowed: true, patchType: JSONPatch, patch: [{op: add, path: /data/owner, value: jane}]}
---
apiVersion: preadmit.dev/v1
kind: WebhookResponse
metadata: {name: idle.example.com}
spec: {allowed: true}
`

func hooked(request string) scenario.Scenario {
	return scenario.Scenario{Policies: hooks, Cluster: hookAnswers, Request: request}
}

const emptyMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\n"

const reviewOfMap = `apiVersion: admission.k8s.io/v1
kind: AdmissionReview
request:
  operation: CREATE
  userInfo: {username: eve}
  object: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}
`

// TestFromWebhook proposes a policy for the second of three webhooks.
func TestFromWebhook(t *testing.T) {
	for name, request := range map[string]string{"object": emptyMap, "review": reviewOfMap} {
		t.Run(name, func(t *testing.T) {
			got, err := FromWebhook(context.Background(), hooked(request), "platform", "owner.example.com")
			if err != nil {
				t.Fatal(err)
			}
			if !got.ApplyConfiguration.Verified || !got.JSONPatch.Verified {
				t.Errorf("ApplyConfiguration: %v, JSONPatch: %v", got.ApplyConfiguration.Reasons, got.JSONPatch.Reasons)
			}
			for _, want := range []string{
				"name: owner-2\n", // owner is taken
				"  failurePolicy: Ignore\n", "  reinvocationPolicy: IfNeeded\n",
				"    namespaceSelector:\n      matchLabels:\n        team: shop\n",
				"  - expression: '!has(object.data.owner)'\n    name: no-owner\n",
				"      - CREATE\n      - UPDATE\n", "scope: Namespaced\n",
			} {
				if !strings.Contains(got.ApplyConfiguration.Policy, want) {
					t.Errorf("no %q in\n%s", want, got.ApplyConfiguration.Policy)
				}
			}
			// The policy runs before the first webhook, which writes over its work.
			if notes := strings.Join(got.JSONPatch.Notes, " "); !strings.Contains(notes, "produces a different object") {
				t.Errorf("notes: %s", notes)
			}
			if got.Place != nil {
				t.Error("the configuration has other webhooks, which have to stay")
			}
		})
	}
}

// TestFromWebhookInPlace replaces the only webhook of a configuration.
func TestFromWebhookInPlace(t *testing.T) {
	s := hooked(emptyMap)
	first, _, _ := strings.Cut(s.Policies, "- name: owner.example.com")
	s.Policies = "# hooks\n" + strings.TrimSpace(first) + "\n"
	got, err := FromWebhook(context.Background(), s, "", "defaults.example.com")
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(got.JSONPatch.Notes, " "); !strings.Contains(notes, "it produces the same object") {
		t.Errorf("notes: %s", notes)
	}
	if got.Place == nil || !strings.HasPrefix(s.Policies[got.Place.Start:], "apiVersion") || got.Place.End < len(s.Policies)-1 {
		t.Errorf("place %v", got.Place)
	}
	s.Policies = s.Policies[:got.Place.Start] + got.JSONPatch.Policy
	r, err := engine.Evaluate(context.Background(), s, engine.Everything())
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := r.Object["data"].(map[string]any); data["mode"] != "slow" {
		t.Errorf("the policy gives %v", r.Object)
	}
}

func TestFromWebhookWrongInput(t *testing.T) {
	for _, test := range []struct{ configuration, webhook, want string }{
		{"", "nobody.example.com", "there is no mutating webhook nobody.example.com"},
		{"other", "owner.example.com", "there is no mutating webhook owner.example.com"},
		{"", "idle.example.com", "does not change this object"},
	} {
		_, err := FromWebhook(context.Background(), hooked(emptyMap), test.configuration, test.webhook)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.webhook, err, test.want)
		}
	}
}
