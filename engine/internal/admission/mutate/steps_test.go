package mutate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/admission/mutate"
	"github.com/preadmit/preadmit/engine/scenario"
)

// policy is a MutatingAdmissionPolicy with a binding; more is in its spec.
func policy(name, more string, mutations ...string) string {
	text := "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: " + name + "}\nspec:\n" +
		"  matchConstraints: {resourceRules: [{apiGroups: ['', autoscaling], apiVersions: [v1, v2], operations: ['*'], resources: [configmaps, pods, horizontalpodautoscalers]}]}\n"
	for line := range strings.Lines(more) {
		text += "  " + strings.TrimSpace(line) + "\n"
	}
	if !strings.Contains(more, "reinvocationPolicy") {
		text += "  reinvocationPolicy: Never\n"
	}
	text += "  mutations:\n"
	for _, m := range mutations {
		text += "  - " + m + "\n"
	}
	binding := ""
	if strings.Contains(more, "paramKind") {
		binding = ", paramRef: {name: p, parameterNotFoundAction: Deny}"
	}
	return text + "---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: of-" + name + "}\nspec: {policyName: " + name + binding + "}\n---\n"
}

// patch is a mutation by the operations of an expression.
func patch(expression string) string {
	return fmt.Sprintf("{patchType: JSONPatch, jsonPatch: {expression: %q}}", expression)
}

// apply is a mutation by an object.
func apply(expression string) string {
	return fmt.Sprintf("{patchType: ApplyConfiguration, applyConfiguration: {expression: %q}}", expression)
}

// shown is what became of each policy, with each of its mutations, and of the request.
func shown(t *testing.T, s scenario.Scenario) string {
	t.Helper()
	s.Options.Plugins = scenario.Exactly()
	r, err := engine.Evaluate(context.Background(), s, engine.Options{AdmissionOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, step := range r.Steps {
		if step.Kind != mutate.Kind {
			continue
		}
		line := fmt.Sprintf("%s %d: %s %s, %d changes", step.Policy, step.Pass, step.Status, step.Verdict, len(step.Diff))
		if step.Error != "" {
			line += " (" + step.Error + ")"
		}
		for _, m := range step.Mutations {
			line += fmt.Sprintf("; applied %t, %d of %d", m.Applied, len(m.Diff), len(m.Patch))
			if m.Error != "" {
				line += " (" + m.Error + ")"
			}
		}
		lines = append(lines, line)
	}
	if !r.Outcome.Allowed {
		lines = append(lines, fmt.Sprintf("%d %s: %s", r.Outcome.Code, r.Outcome.Reason, r.Outcome.Message))
		for _, c := range r.Outcome.Causes {
			if c != r.Outcome.Message {
				lines = append(lines, "also: "+c)
			}
		}
	}
	if len(lines) == 0 {
		return fmt.Sprint(r.Diagnostics)
	}
	return strings.Join(lines, "\n")
}

// TestSteps: what one pass or two make of policies, their mutations and errors (semantics
// §6): what changes asks for a second pass, an error does not stop the next mutation, and
// the server's own errors end the request whatever the failure policy is.
func TestSteps(t *testing.T) {
	const (
		configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}, data: {a: b}}"
		hpa       = "{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: shop}, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}}"
		ifNeeded  = "reinvocationPolicy: IfNeeded\n"
		ignore    = "failurePolicy: Ignore\n"
		add       = `[JSONPatch{op: "add", path: "/data/x", value: "y"}]`
		none      = `has(object.none) ? [JSONPatch{op: "remove", path: "/data"}] : []`
		fails     = `[JSONPatch{op: "add", path: "/data/x", value: object.none.none}]`
		missing   = "expression '" + fails + "' resulted in error: no such key: none"
		hook      = "{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: h}, webhooks: [{name: h.example.com, clientConfig: {url: 'https://h.example.com'}, rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}], sideEffects: None, admissionReviewVersions: [v1]}]}"
		unknown   = "expression 'object.none == 1' resulted in error: no such key: none"
	)
	answer := func(patch string) string {
		return "{apiVersion: preadmit.dev/v1, kind: WebhookResponse, metadata: {name: h.example.com}, spec: {allowed: true, patchType: JSONPatch, patch: [" + patch + "]}}"
	}
	for _, c := range []struct {
		name, policies string
		request        string // the creation of a ConfigMap, if it is empty
		cluster        string
		version        string
		want           string
	}{
		{name: "a change", policies: policy("p", "", patch(add)), want: `p 0: evaluated mutate, 1 changes; applied true, 1 of 1
p 1: skipped , 0 changes`},
		{name: "a change that may be made again", policies: policy("p", ifNeeded, patch(add)), want: `p 0: evaluated mutate, 1 changes; applied true, 1 of 1
p 1: evaluated admit, 0 changes; applied true, 0 of 1`},
		{name: "no change", policies: policy("p", "", patch(none)), want: `p 0: evaluated admit, 0 changes; applied true, 0 of 0
p 1: skipped , 0 changes`},
		{name: "no change, twice", policies: policy("p", ifNeeded, patch(none)), want: `p 0: evaluated admit, 0 changes; applied true, 0 of 0
p 1: evaluated admit, 0 changes; applied true, 0 of 0`},
		{name: "a change after one", policies: policy("p", ifNeeded, patch(none)) + policy("q", "", patch(add)), want: `p 0: evaluated admit, 0 changes; applied true, 0 of 0
q 0: evaluated mutate, 1 changes; applied true, 1 of 1
p 1: evaluated admit, 0 changes; applied true, 0 of 0
q 1: skipped , 0 changes`},
		{name: "an error", policies: policy("p", "", patch(fails)), want: `p 0: evaluated deny, 0 changes (` + missing + `); applied false, 0 of 0 (` + missing + `)
403 Invalid: policy 'p' with binding 'of-p' denied request: ` + missing},
		{name: "errors of two", policies: policy("p", "", patch(fails)) + policy("q", "", patch(fails)), want: `p 0: evaluated deny, 0 changes (` + missing + `); applied false, 0 of 0 (` + missing + `)
q 0: evaluated deny, 0 changes (` + missing + `); applied false, 0 of 0 (` + missing + `)
403 Invalid: policy 'p' with binding 'of-p' denied request: ` + missing + `
also: policy 'q' with binding 'of-q' denied request: ` + missing},
		{name: "an error that is ignored", policies: policy("p", ignore, patch(fails)) + policy("q", "", patch(add)), want: `p 0: evaluated admit, 0 changes (` + missing + `); applied false, 0 of 0 (` + missing + `)
q 0: evaluated mutate, 1 changes; applied true, 1 of 1
p 1: skipped , 0 changes
q 1: skipped , 0 changes`},
		{name: "an error before a change", policies: policy("p", ignore, patch(fails), patch(add)), want: `p 0: evaluated mutate, 1 changes (` + missing + `); applied false, 0 of 0 (` + missing + `); applied true, 1 of 1
p 1: skipped , 0 changes`},
		{name: "of two errors one is ignored", policies: policy("p", ignore, patch(fails)) + policy("q", "", patch(fails)), want: `p 0: evaluated admit, 0 changes (` + missing + `); applied false, 0 of 0 (` + missing + `)
q 0: evaluated deny, 0 changes (` + missing + `); applied false, 0 of 0 (` + missing + `)
403 Invalid: policy 'q' with binding 'of-q' denied request: ` + missing},
		{name: "a condition that fails", policies: policy("p", `matchConditions: [{name: c, expression: "object.none == 1"}]`, patch(add)), want: `p 0: errored deny, 0 changes (` + unknown + `)
403 Invalid: policy 'p' with binding 'of-p' denied request: ` + unknown},
		{name: "and is ignored", policies: policy("p", ignore+`matchConditions: [{name: c, expression: "object.none == 1"}]`, patch(add)), want: `p 0: excluded , 0 changes (` + unknown + `)`},
		{name: "a condition that is false", policies: policy("p", `matchConditions: [{name: c, expression: "false"}]`, patch(add)), want: `p 0: excluded , 0 changes`},
		{name: "a condition that a change makes false", policies: policy("p", ifNeeded+`matchConditions: [{name: c, expression: "!has(object.data.x)"}]`, patch(add)), want: `p 0: evaluated mutate, 1 changes; applied true, 1 of 1
p 1: excluded , 0 changes`},
		{name: "a test that fails", policies: policy("p", "", patch(`[JSONPatch{op: "test", path: "/data/a", value: "c"}, JSONPatch{op: "add", path: "/data/x", value: "y"}]`)), want: `p 0: evaluated admit, 0 changes; applied false, 0 of 2
p 1: skipped , 0 changes`},
		{name: "a patch that does not apply", policies: policy("p", "", patch(`[JSONPatch{op: "remove", path: "/data/none"}]`)), want: `p 0: evaluated deny, 0 changes (JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value); applied false, 0 of 1 (JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value)
403 Invalid: policy 'p' with binding 'of-p' denied request: JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value`},
		{name: "a patch that makes no ConfigMap of it", policies: policy("p", ignore, patch(`[JSONPatch{op: "add", path: "/more", value: "y"}]`)), want: `p 0: errored deny, 0 changes (Internal error occurred: strict decoding error: unknown field "more"); applied false, 0 of 1 (Internal error occurred: strict decoding error: unknown field "more")
500 InternalError: Internal error occurred: strict decoding error: unknown field "more"
also: strict decoding error: unknown field "more"`},
		{name: "an object", policies: policy("p", "", apply(`Object{data: {"x": "y"}}`)), want: `p 0: evaluated mutate, 1 changes; applied true, 1 of 0
p 1: skipped , 0 changes`},
		{name: "an object that changes nothing", policies: policy("p", "", apply(`Object{}`)), want: `p 0: evaluated admit, 0 changes; applied true, 0 of 0
p 1: skipped , 0 changes`},
		{name: "an object of an object", policies: policy("p", "", patch(`[JSONPatch{op: "add", path: "/metadata/labels", value: Object.metadata.labels{a: "b"}}]`)), want: `p 0: evaluated mutate, 1 changes; applied true, 1 of 1
p 1: skipped , 0 changes`},
		{name: "an object in a list", policies: strings.ReplaceAll(policy("p", "", patch(`[JSONPatch{op: "add", path: "/data", value: {"a": Object.data{}}}]`)), "k8s.io/v1", "k8s.io/v1beta1"), version: "1.34", want: `p 0: errored deny, 0 changes (reflect.Set: value of type *structpb.Struct is not assignable to type *structpb.Value); applied false, 0 of 0 (reflect.Set: value of type *structpb.Struct is not assignable to type *structpb.Value)
0 : reflect.Set: value of type *structpb.Struct is not assignable to type *structpb.Value`},
		{name: "an object in a list, later", policies: policy("p", "", patch(`[JSONPatch{op: "add", path: "/spec/containers", value: [Object.spec.containers{name: "a", image: "b"}]}]`)),
			request: "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop}, spec: {containers: [{name: a, image: a}]}}", version: "1.37", want: "p 0: evaluated mutate, 1 changes; applied true, 1 of 1\np 1: skipped , 0 changes"},
		{name: "no Namespace", policies: policy("p", ignore, patch(add)), cluster: "{apiVersion: v1, kind: Namespace, metadata: {name: other}}", want: `p 0: errored deny, 0 changes (namespaces "shop" not found)
404 NotFound: namespaces "shop" not found`},
		{name: "an object of two kinds", policies: policy("p", "matchPolicy: Equivalent\n", patch(`[JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}]`)), request: hpa, want: `p 0: evaluated mutate, 1 changes; applied true, 1 of 1
p 1: skipped , 0 changes`},
		{name: "not of the right type", policies: policy("p", "", apply(`Object{metadata: Object.spec{}}`)), want: `p 0: evaluated deny, 0 changes (type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type); applied false, 0 of 0 (type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type)
403 Invalid: policy 'p' with binding 'of-p' denied request: type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type`},
		{name: "a type at a wrong place", policies: policy("p", "", patch(`[JSONPatch{op: "add", path: "/metadata/labels", value: Object.metadata{labels: Object.data{}}}]`)), want: `p 0: evaluated deny, 0 changes (type mismatch: unexpected type name "Object.data", expected "Object.metadata.labels", which matches field name path from root Object type); applied false, 0 of 0 (type mismatch: unexpected type name "Object.data", expected "Object.metadata.labels", which matches field name path from root Object type)
403 Invalid: policy 'p' with binding 'of-p' denied request: type mismatch: unexpected type name "Object.data", expected "Object.metadata.labels", which matches field name path from root Object type`},
		{name: "a param", policies: policy("p", "paramKind: {apiVersion: v1, kind: ConfigMap}\n"+`matchConditions: [{name: c, expression: "params.data.k == 'v'"}]`, patch(`[JSONPatch{op: "add", path: "/data/x", value: params.data.k}]`)),
			cluster: "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: p, namespace: shop}, data: {k: v}}", want: `p 0: evaluated mutate, 1 changes; applied true, 1 of 1
p 1: skipped , 0 changes`},
		{name: "the kind of a param is lost", policies: policy("p", "paramKind: {apiVersion: v1, kind: ConfigMap}", patch(`[JSONPatch{op: "add", path: "/data/x", value: params.kind}]`)),
			cluster: "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: p, namespace: shop}, data: {k: v}}", want: `p 0: evaluated deny, 0 changes (expression '[JSONPatch{op: "add", path: "/data/x", value: params.kind}]' resulted in error: no such key: kind); applied false, 0 of 0 (expression '[JSONPatch{op: "add", path: "/data/x", value: params.kind}]' resulted in error: no such key: kind)
403 Invalid: policy 'p' with binding 'of-p' denied request: expression '[JSONPatch{op: "add", path: "/data/x", value: params.kind}]' resulted in error: no such key: kind`},
		{name: "called again after a webhook", policies: policy("p", ifNeeded+ignore, patch(fails)) + policy("q", ignore, patch(fails)) + hook, cluster: answer("{op: add, path: /data/w, value: z}"), want: `p 0: evaluated admit, 0 changes (expression '[JSONPatch{op: "add", path: "/data/x", value: object.none.none}]' resulted in error: no such key: none); applied false, 0 of 0 (expression '[JSONPatch{op: "add", path: "/data/x", value: object.none.none}]' resulted in error: no such key: none)
q 0: evaluated admit, 0 changes (expression '[JSONPatch{op: "add", path: "/data/x", value: object.none.none}]' resulted in error: no such key: none); applied false, 0 of 0 (expression '[JSONPatch{op: "add", path: "/data/x", value: object.none.none}]' resulted in error: no such key: none)
p 1: evaluated admit, 0 changes (expression '[JSONPatch{op: "add", path: "/data/x", value: object.none.none}]' resulted in error: no such key: none); applied false, 0 of 0 (expression '[JSONPatch{op: "add", path: "/data/x", value: object.none.none}]' resulted in error: no such key: none)
q 1: skipped , 0 changes`},
		{name: "also after one that only takes the fractions of a second from managedFields", policies: policy("p", ifNeeded+ignore, patch(fails)) + hook, cluster: answer("{op: replace, path: /data/a, value: b}"), want: `p 0: evaluated admit, 0 changes (expression '[JSONPatch{op: "add", path: "/data/x", value: object.none.none}]' resulted in error: no such key: none); applied false, 0 of 0 (expression '[JSONPatch{op: "add", path: "/data/x", value: object.none.none}]' resulted in error: no such key: none)
p 1: evaluated admit, 0 changes (expression '[JSONPatch{op: "add", path: "/data/x", value: object.none.none}]' resulted in error: no such key: none); applied false, 0 of 0 (expression '[JSONPatch{op: "add", path: "/data/x", value: object.none.none}]' resulted in error: no such key: none)`},
		{name: "not after one that patches nothing", policies: policy("p", ifNeeded+ignore, patch(fails)) + hook, cluster: answer(""), want: `p 0: evaluated admit, 0 changes (expression '[JSONPatch{op: "add", path: "/data/x", value: object.none.none}]' resulted in error: no such key: none); applied false, 0 of 0 (expression '[JSONPatch{op: "add", path: "/data/x", value: object.none.none}]' resulted in error: no such key: none)`},
		{name: "no body", policies: policy("p", "", "{patchType: JSONPatch}"), want: "policies:8:6: error: jsonPatch: Required value: must be specified when patchType is JSONPatch [required-value]"},
		{name: "no param", policies: policy("p", "paramKind: {apiVersion: v1, kind: ConfigMap}", patch(add)), want: "p 0: errored deny, 0 changes (failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction)\n403 Forbidden: policy 'p' with binding 'of-p' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.request == "" {
				c.request = configMap
			}
			if got := shown(t, scenario.Scenario{Kubernetes: c.version, Policies: c.policies, Request: c.request, Cluster: c.cluster,
				Options: scenario.Options{CompleteCluster: strings.Contains(c.cluster, "kind: Namespace")}}); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
