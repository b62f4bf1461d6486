package ask_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/ask"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestSelectors finds a request that selectors of the policy and of its binding select: in a Namespace of the cluster, or in
// one that it adds.
func TestSelectors(t *testing.T) {
	const prod = "{namespaceSelector: {matchLabels: {env: prod}}}"
	const shop = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {env: prod}}\n"
	byName := func(operator, values string) string {
		return "{namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: " + operator + ", values: [" + values + "]}]}}"
	}
	within := func(object string) string { return object[1 : len(object)-1] }
	deployments := "{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}"
	for name, one := range map[string]struct{ rule, constraints, binding, cluster, want, added string }{
		"none":                    {want: "namespace: default"},
		"in the cluster":          {binding: prod, cluster: shop, want: "namespace: shop"},
		"not in the cluster":      {binding: prod, want: "namespace: example", added: "env: prod"},
		"of the policy":           {constraints: within(prod), cluster: shop, want: "namespace: shop"},
		"other labels":            {binding: prod, cluster: strings.Replace(shop, "prod", "dev", 1), want: "namespace: example", added: "env: prod"},
		"both":                    {constraints: within(prod), binding: "{namespaceSelector: {matchExpressions: [{key: team, operator: Exists}]}}", cluster: shop, want: "namespace: example", added: "team: "},
		"a name":                  {binding: byName("In", "shop, other"), want: "namespace: "},
		"not a name":              {binding: byName("NotIn", "default, example"), want: "namespace: other"},
		"an object":               {binding: "{objectSelector: {matchLabels: {tier: web}}}", want: "tier: web"},
		"an object not of values": {constraints: "objectSelector: {matchExpressions: [{key: tier, operator: Exists}, {key: tier, operator: NotIn, values: [example]}]}", want: "tier: other"},
		"an update":               {rule: strings.Replace(deployments, "CREATE", "UPDATE", 1), binding: "{objectSelector: {matchLabels: {tier: web}}}", want: "tier: web"},
		"exec":                    {rule: "{apiGroups: [''], apiVersions: [v1], operations: [CONNECT], resources: [pods/exec]}", binding: prod, cluster: shop, want: "namespace: shop"},
		"a Namespace":             {rule: "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [namespaces]}", constraints: within(byName("NotIn", "example")), binding: prod, want: "env: prod"},
	} {
		expression := "'true' == 'false'"
		if one.rule == "" {
			one.rule, expression = deployments, "object.spec.replicas <= 5"
		}
		if one.binding == "" {
			one.binding = "{}"
		}
		policy := "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: limit}\nspec:\n  matchConstraints:\n    resourceRules: [" +
			one.rule + "]\n    " + one.constraints + "\n  validations:\n  - expression: \"" + expression + "\"\n---\n" +
			"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {name: limit}\nspec: {policyName: limit, validationActions: [Deny], matchResources: " + one.binding + "}\n"
		c, problems := engine.Compile(scenario.Scenario{Policies: policy, Cluster: one.cluster})
		if problems.HasErrors() {
			t.Fatalf("%s: %v\n%s", name, problems, policy)
		}
		answer, err := ask.Denied(context.Background(), c, "", 0)
		if err != nil || !answer.Found || !strings.Contains(answer.Request, one.want) || (answer.Cluster != "") != (one.added != "") || !strings.Contains(answer.Cluster, one.added) {
			t.Errorf("%s: %v, found %v in %d\n%s%s", name, err, answer.Found, answer.Tried, answer.Cluster, answer.Request)
		}
	}
}

// TestOwnRequests tries the caller's requests, and others like them.
func TestOwnRequests(t *testing.T) {
	c := compile(t, strings.Replace(limit, "{expression: object.spec.replicas <= 5}", `{expression: "object.metadata.annotations['a'].substring(3) != 'other' || object.spec.replicas < 5"}`, 1))
	if answer, err := ask.Denied(context.Background(), c, "", 500); err != nil || answer.Found && !strings.Contains(answer.Report.Outcome.Message, "resulted in error") {
		t.Fatalf("the search finds it alone: %v\n%s", err, answer.Request)
	}
	const object = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop, annotations: {a: another}}\nspec: {replicas: REPLICAS, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}}\n"
	for _, replicas := range []string{"7", "1"} {
		request := strings.Replace(object, "REPLICAS", replicas, 1)
		answer, err := ask.Denied(context.Background(), c, "", 500, "no request: {", request)
		if err != nil || !answer.Found || !strings.Contains(answer.Request, "name: web\n  namespace: shop") {
			t.Errorf("%v, found %v in %d\n%s", err, answer.Found, answer.Tried, answer.Request)
		}
	}
}

// TestUnknownPolicy says which policies there are.
func TestUnknownPolicy(t *testing.T) {
	_, err := ask.Denied(context.Background(), compile(t, limit), "nope", 0)
	var unknown ask.UnknownPolicy
	if !errors.As(err, &unknown) || !slices.Equal(unknown.Policies, []string{"limit"}) {
		t.Error(err)
	}
}
