package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
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
			"checked: 1 policy, 3 built-in plugins, metadata of Pod; not checked: API validation of the Pod"},
		"an unknown kind": {scenario.Scenario{Request: "apiVersion: example.com/v1\nkind: Key\nmetadata: {name: k}\n"},
			"not checked: schema of Key"},
		"a captured request": {scenario.Scenario{Request: given}, "checked: metadata of ConfigMap; not checked: API validation of the ConfigMap"},
		"a user without roles": {scenario.Scenario{Request: given, Cluster: role, Options: scenario.Options{Defaulting: &on}},
			"checked: authorization"}, // which refuses it
		"a made-up author of a role": {scenario.Scenario{Request: role}, "checked: metadata of Role; not checked: whether the user has the rights that the Role gives, API validation of the Role"},
		"a captured role":            {scenario.Scenario{Request: "operation: CREATE\nuserInfo: {username: jane}\nobject: {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r, namespace: default}, rules: []}\n"}, "checked: metadata of Role; not checked: whether jane has the rights that the Role gives, API validation of the Role"},
		"a captured role of one who has too few": {scenario.Scenario{Cluster: role, Request: "operation: CREATE\nuserInfo: {username: jane}\nobject: " + "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: s, namespace: default}, rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]}"},
			"checked: rights that the Role gives"}, // which refuses it
		"a Pod without containers": {scenario.Scenario{Request: "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: payments}\nspec: {}\n"}, "checked: 3 built-in plugins, metadata of Pod; not checked: API validation of the Pod"},
		"another scope of a definition that may be served": {scenario.Scenario{Request: update(definition("Cluster", "Widget", ""), "")},
			"checked: schema and rules of CustomResourceDefinition; not checked: change of spec.scope"},
		"another kind of one that is not served yet": {scenario.Scenario{Request: update(definition("Namespaced", "Thing", ""), ", status: {conditions: [{type: Established, status: 'False'}]}")},
			"checked: schema and rules of CustomResourceDefinition; not checked: change of spec.names.kind"},
		"another scope of one that is served": {scenario.Scenario{Request: update(definition("Cluster", "Widget", ""), ", status: {conditions: [{type: Established, status: 'True'}]}")},
			"checked: schema and rules of CustomResourceDefinition"}, // which refuse it
		"a custom resource":          {scenario.Scenario{Cluster: custom, Request: widget}, "checked: schema and rules of Widget"},
		"a captured custom resource": {scenario.Scenario{Cluster: custom, Request: "operation: CREATE\nuserInfo: {username: jane}\nobject: " + widget}, "checked: schema and rules of Widget"},
		"a deletion of one":          {scenario.Scenario{Cluster: custom, Request: "operation: DELETE\nuserInfo: {username: jane}\noldObject: " + widget}, ""},
		"a Pod in a Namespace with a level": {scenario.Scenario{Cluster: shop, Request: pod},
			"checked: Pod Security, 3 built-in plugins, metadata of Pod; not checked: API validation of the Pod"},
		"a webhook that nothing answers for": {scenario.Scenario{Policies: hook, Cluster: custom, Request: widget},
			"checked: schema and rules of Widget; not checked: webhook h.example.com"},
		"a built-in kind": {scenario.Scenario{Request: "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n"},
			"checked: metadata of Service; not checked: API validation of the Service"},
		"a deletion": {scenario.Scenario{Request: "operation: DELETE\nobject: null\noldObject: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := engine.Evaluate(context.Background(), test.scenario, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := lists(r); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			for _, c := range r.NotChecked {
				if c.Detail == "" || strings.HasSuffix(c.Detail, ".") {
					t.Errorf("%s is not checked because %q", c.What, c.Detail)
				}
			}
		})
	}
}

// lists are the names of what was checked and what was not.
func lists(r *report.Report) string {
	var parts []string
	for _, list := range []struct {
		name   string
		checks []report.Check
	}{{"checked", r.Checked}, {"not checked", r.NotChecked}} {
		var names []string
		for _, c := range list.checks {
			names = append(names, c.What)
		}
		if len(names) > 0 {
			parts = append(parts, list.name+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

func TestUnchecked(t *testing.T) {
	var r report.Report
	if got := r.Unchecked(); got != "" {
		t.Errorf("nothing is %q", got)
	}
	r.NotChecked = []report.Check{{What: "whether jane may create deployments", Detail: "the cluster has no roles"}}
	if got, want := r.Unchecked(), "Not checked: whether jane may create deployments (the cluster has no roles)."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r.NotChecked = append(r.NotChecked, report.Check{What: "webhook h.example.com", Detail: "the cluster has no WebhookResponse for it"})
	if got, want := r.Unchecked(), "Not checked: whether jane may create deployments, webhook h.example.com."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
