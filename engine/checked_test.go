package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestRestsOn: the report says what was asked about a request and what was not.
func TestRestsOn(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: payments}\nspec: {containers: [{name: a, image: b}]}"
	const given = "operation: CREATE\nuserInfo: {username: jane}\nobject: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n"
	const role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r, namespace: default}\nrules: [{apiGroups: [\"\"], resources: [configmaps], verbs: [create]}]\n"
	// Scope and kind of a definition change, without and with the condition of one that is served.
	definition := func(scope, kind, status string) string {
		return "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, spec: {group: example.com, scope: " + scope + ", names: {kind: " + kind + ", plural: widgets}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}" + status + "}\n"
	}
	update := func(object, status string) string {
		return "operation: UPDATE\nuserInfo: {username: jane}\nobject: " + object + "oldObject: " + definition("Namespaced", "Widget", status)
	}
	custom := definition("Namespaced", "Widget", "")
	const widget = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}}\n"
	const shop = "{apiVersion: v1, kind: Namespace, metadata: {name: payments, labels: {pod-security.kubernetes.io/enforce: baseline}}}\n"
	const hook = "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: h}, webhooks: [{name: h.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: https://h.example.com}, rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']}]}]}"
	on := true
	for name, test := range map[string]struct {
		scenario scenario.Scenario
		want     string
	}{
		"a bare object": {scenario.Scenario{Policies: policyOf("s", "", "true", "false"), Request: pod},
			"asked: 1 policy, 3 built-in plugins, metadata of Pod; not asked: authorization, hand-written checks of Pod"},
		"an unknown kind": {scenario.Scenario{Request: "apiVersion: example.com/v1\nkind: Key\nmetadata: {name: k}\n"},
			"not asked: authorization, schema of Key"},
		"a captured request": {scenario.Scenario{Request: given}, "asked: metadata of ConfigMap; not asked: hand-written checks of ConfigMap"},
		"a user without roles": {scenario.Scenario{Request: given, Cluster: role, Options: scenario.Options{Defaulting: &on}},
			"asked: authorization"}, // which refuses it
		"a made-up author of a role": {scenario.Scenario{Request: role}, "asked: metadata of Role; not asked: authorization, rights that the Role gives, hand-written checks of Role"},
		"a captured role":            {scenario.Scenario{Request: "operation: CREATE\nuserInfo: {username: jane}\nobject: {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r, namespace: default}, rules: []}\n"}, "asked: metadata of Role; not asked: rights that the Role gives, hand-written checks of Role"},
		"a Pod without containers":   {scenario.Scenario{Request: "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: payments}\nspec: {}\n"}, "asked: 3 built-in plugins, metadata of Pod; not asked: authorization, spec.containers of Pod, hand-written checks of Pod"},
		"another scope of a definition that may be served": {scenario.Scenario{Request: update(definition("Cluster", "Widget", ""), "")},
			"asked: schema and rules of CustomResourceDefinition; not asked: change of spec.scope"},
		"another kind of one that is not served yet": {scenario.Scenario{Request: update(definition("Namespaced", "Thing", ""), ", status: {conditions: [{type: Established, status: 'False'}]}")},
			"asked: schema and rules of CustomResourceDefinition; not asked: change of spec.names.kind"},
		"another scope of one that is served": {scenario.Scenario{Request: update(definition("Cluster", "Widget", ""), ", status: {conditions: [{type: Established, status: 'True'}]}")},
			"asked: schema and rules of CustomResourceDefinition"}, // which refuse it
		"a custom resource":          {scenario.Scenario{Cluster: custom, Request: widget}, "asked: schema and rules of Widget; not asked: authorization"},
		"a captured custom resource": {scenario.Scenario{Cluster: custom, Request: "operation: CREATE\nuserInfo: {username: jane}\nobject: " + widget}, "asked: schema and rules of Widget"},
		"a deletion of one":          {scenario.Scenario{Cluster: custom, Request: "operation: DELETE\nuserInfo: {username: jane}\noldObject: " + widget}, "asked: nothing, since no policy, webhook, plugin or schema is about such a request"},
		"a Pod in a Namespace with a level": {scenario.Scenario{Cluster: shop, Request: pod},
			"asked: Pod Security, 3 built-in plugins, metadata of Pod; not asked: authorization, hand-written checks of Pod"},
		"a webhook that nothing answers for": {scenario.Scenario{Policies: hook, Cluster: custom, Request: widget},
			"asked: schema and rules of Widget; not asked: authorization, webhook h.example.com"},
		"a kind with checks of its fields": {scenario.Scenario{Request: "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n"},
			"asked: metadata of Service; not asked: authorization, hand-written checks of Service"},
		"a deletion": {scenario.Scenario{Request: "operation: DELETE\nobject: null\noldObject: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n"}, "asked: nothing, since no policy, webhook, plugin or schema is about such a request"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := engine.Evaluate(context.Background(), test.scenario, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.RestsOn(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			for _, c := range r.NotChecked {
				if c.Detail == "" || strings.HasSuffix(c.Detail, ".") {
					t.Errorf("%s is not asked because %q", c.What, c.Detail)
				}
			}
		})
	}
}
