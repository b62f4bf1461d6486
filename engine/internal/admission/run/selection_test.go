package run_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// policy is a ValidatingAdmissionPolicy that admits and warns of nothing; more is in its spec, and
// constraints are beside its rules.
func policy(name, constraints, more string) string {
	return "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: " + name + "}, spec: {matchConstraints: {resourceRules: [{apiGroups: ['', apps, autoscaling], apiVersions: [v1], operations: ['*'], resources: [configmaps, namespaces, horizontalpodautoscalers]}]" +
		constraints + "}, validations: [{expression: 'true'}]" + more + "}}\n---\n"
}

// binding is one of a policy; more is in its spec.
func binding(name, policy, more string) string {
	return "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: " + name + "}, spec: {policyName: " + policy + ", validationActions: [Deny]" + more + "}}\n---\n"
}

// selected is what became of each policy with each binding and param, and the answer.
func selected(t *testing.T, s scenario.Scenario) string {
	t.Helper()
	s.Options.Plugins = scenario.Exactly()
	r, err := engine.Evaluate(context.Background(), s, engine.Options{AdmissionOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, step := range r.Steps {
		line := strings.TrimSpace(fmt.Sprintf("%s %s %s", step.Policy, step.Binding, step.Param))
		line += fmt.Sprintf(": %s %s, %s", step.Status, step.Verdict, step.FailurePolicy)
		if step.MatchedKind != "" {
			line += " as " + step.MatchedKind + ", " + step.MatchedResource
		}
		if step.Error != "" {
			line += " (" + step.Error + ")"
		} else if step.Status != report.Evaluated {
			line += " (" + step.Reason + ")"
		}
		lines = append(lines, line)
	}
	if !r.Outcome.Allowed {
		lines = append(lines, fmt.Sprintf("%d %s", r.Outcome.Code, r.Outcome.Message))
	}
	for _, d := range r.Diagnostics.Errors() {
		lines = append(lines, d.Code+": "+d.Summary)
	}
	return strings.Join(lines, "\n")
}

// TestSelection: which policies, bindings and params a request is evaluated with, in which order,
// and which errors of the configuration the failure policy decides about (semantics §5.2;
// plugin/policy/generic/policy_dispatcher.go of apiserver/pkg/admission).
func TestSelection(t *testing.T) {
	const (
		ignore   = ", failurePolicy: Ignore"
		selector = ", namespaceSelector: {matchLabels: {a: b}}"
		other    = "{apiVersion: v1, kind: Namespace, metadata: {name: other}}\n---\n"
		shop     = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n---\n"
		params   = ", paramKind: {apiVersion: v1, kind: ConfigMap}"
		nodes    = ", paramKind: {apiVersion: v1, kind: Node}"
		scaler   = "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: shop}, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}}"
	)
	param := func(namespace, name string) string {
		return "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + ", namespace: " + namespace + ", labels: {l: m}}}\n---\n"
	}
	named := func(name, action string) string {
		return ", paramRef: {name: " + name + ", parameterNotFoundAction: " + action + "}"
	}
	for _, c := range []struct {
		name, policies   string
		request, cluster string // the creation of a ConfigMap, if the request is empty
		want             string
	}{
		{name: "no binding", policies: policy("p", "", ""), want: "p: skipped , Fail (the policy has no binding, so the server never evaluates it)"},
		{name: "two bindings, by name", policies: policy("p", "", "") + binding("b", "p", "") + binding("a", "p", ""), want: `p a: evaluated admit, Fail
p b: evaluated admit, Fail`},
		{name: "two policies, by name", policies: policy("q", "", "") + policy("p", "", "") + binding("a", "q", "") + binding("b", "p", ""), want: `p b: evaluated admit, Fail
q a: evaluated admit, Fail`},
		{name: "other resources", policies: policy("p", "", "") + binding("a", "p", ""), request: "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: shop}}", want: "p: notMatched , Fail (no rule matches: resourceRules[0] wants resources configmaps, namespaces, horizontalpodautoscalers, but the request is for secrets)"},
		{name: "policies are not asked about policies", policies: policy("p", "", "") + binding("a", "p", ""), request: strings.TrimSuffix(policy("x", "", ""), "\n---\n"), want: "p: notMatched , Fail (admission policies do not apply to admission policies and their bindings)"},
		{name: "another version", policies: policy("p", "", "") + binding("a", "p", ""), request: scaler, want: "p a: evaluated admit, Fail as autoscaling/v1, Kind=HorizontalPodAutoscaler, autoscaling/v1, Resource=horizontalpodautoscalers"},
		{name: "another version, not asked for", policies: policy("p", ", matchPolicy: Exact", "") + binding("a", "p", ""), request: scaler, want: "p: notMatched , Fail (no rule matches: resourceRules[0] wants apiVersions v1, but the request has version v2)"},
		{name: "a Namespace that a selector needs", policies: policy("p", selector, "") + binding("a", "p", ""), cluster: other, want: `p: errored deny, Fail (failed to configure policy: namespaces "shop" not found)
422 configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: namespaces "shop" not found`},
		{name: "and its error is ignored", policies: policy("p", selector, ignore) + binding("a", "p", ""), cluster: other, want: `p: errored , Ignore (failed to configure policy: namespaces "shop" not found)`},
		{name: "a binding for other labels", policies: policy("p", "", "") + binding("a", "p", ", matchResources: {objectSelector: {matchLabels: {a: b}}}") + binding("b", "p", ""), want: `p a: notMatched , Fail (the binding does not match, because objectSelector wants a=b, but the object has no label a)
p b: evaluated admit, Fail`},
		{name: "a Namespace that the selector of a binding needs", policies: policy("p", "", "") + binding("a", "p", ", matchResources: {namespaceSelector: {matchLabels: {a: b}}}") + binding("b", "p", ""), cluster: other, want: `p a: errored deny, Fail (failed to configure binding: namespaces "shop" not found)
p b: errored deny, Fail (namespaces "shop" not found)
404 namespaces "shop" not found`},
		{name: "a kind of params that is not served", policies: policy("p", "", ", paramKind: {apiVersion: example.com/v1, kind: Thing}") + binding("a", "p", named("x", "Deny")), want: `p: errored deny, Fail (failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Thing')
422 configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Thing'`},
		{name: "and is ignored", policies: policy("p", "", ignore+", paramKind: {apiVersion: example.com/v1, kind: Thing}") + binding("a", "p", named("x", "Deny")), want: "p: errored , Ignore (failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Thing')"},
		{name: "but is not looked for where nothing matches", policies: policy("p", "", ", paramKind: {apiVersion: example.com/v1, kind: Thing}") + binding("a", "p", named("x", "Deny")), request: "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: shop}}", want: "p: notMatched , Fail (no rule matches: resourceRules[0] wants resources configmaps, namespaces, horizontalpodautoscalers, but the request is for secrets)"},
		{name: "one param", policies: policy("p", "", params) + binding("a", "p", named("x", "Deny")), cluster: shop + param("shop", "x"), want: "p a shop/x: evaluated admit, Fail"},
		{name: "one of another Namespace", policies: policy("p", "", params) + binding("a", "p", ", paramRef: {name: x, namespace: other, parameterNotFoundAction: Deny}"), cluster: shop + other + param("other", "x"), want: "p a other/x: evaluated admit, Fail"},
		{name: "several params", policies: policy("p", "", params) + binding("a", "p", ", paramRef: {selector: {matchLabels: {l: m}}, parameterNotFoundAction: Deny}"), cluster: shop + param("shop", "x") + param("shop", "m"), want: `p a shop/m: evaluated admit, Fail
p a shop/x: evaluated admit, Fail`},
		{name: "one param of the cluster", policies: policy("p", "", nodes) + binding("a", "p", named("x", "Deny")), cluster: shop + "{apiVersion: v1, kind: Node, metadata: {name: x}}", want: "p a x: evaluated admit, Fail"},
		{name: "a param that is not there", policies: policy("p", "", params) + binding("a", "p", named("x", "Deny")) + binding("b", "p", named("m", "Deny")), cluster: shop + param("shop", "m"), want: "p a: errored deny, Fail (failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction)\np b shop/m: evaluated admit, Fail\n422 configmaps \"c\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'a' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"},
		{name: "and is allowed not to be", policies: policy("p", "", params) + binding("a", "p", named("x", "Allow")) + binding("b", "p", named("m", "Allow")), cluster: shop + param("shop", "m"), want: `p a: skipped , Fail (no param was found and parameterNotFoundAction is Allow, so the binding does nothing)
p b shop/m: evaluated admit, Fail`},
		{name: "a binding without a param", policies: policy("p", "", params) + binding("a", "p", ""), cluster: shop, want: "p a: evaluated admit, Fail"},
		{name: "a policy without params", policies: policy("p", "", "") + binding("a", "p", named("x", "Deny")), cluster: shop, want: "p a: evaluated admit, Fail"},
		{name: "a Namespace for a param where there is none", policies: policy("p", "", params) + binding("a", "p", named("x", "Deny")), request: "{apiVersion: v1, kind: Namespace, metadata: {name: new}}", want: "p a: errored deny, Fail (failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction)\n422 namespaces \"new\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'a' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.request == "" {
				c.request = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}"
			}
			if got := selected(t, scenario.Scenario{Policies: c.policies, Request: c.request, Cluster: c.cluster,
				Options: scenario.Options{CompleteCluster: strings.Contains(c.cluster, "kind: Namespace")}}); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
