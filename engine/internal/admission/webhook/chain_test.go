package webhook_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// hook is a configuration with one webhook of that kind and name; more are its fields.
func hook(kind, name, more string) string {
	return fmt.Sprintf("---\n{apiVersion: admissionregistration.k8s.io/v1, kind: %sWebhookConfiguration, metadata: {name: of-%s}, webhooks: [{name: %[2]s.example.com, clientConfig: {url: 'https://%[2]s.example.com'}, "+
		"rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']}], sideEffects: None, admissionReviewVersions: [v1]%s}]}\n", kind, name, more)
}

// answer is what a webhook answers.
func answer(name, spec string) string {
	return fmt.Sprintf("---\n{apiVersion: preadmit.dev/v1, kind: WebhookResponse, metadata: {name: %s.example.com}, spec: %s}\n", name, spec)
}

// TestCalls: which webhooks are called, and what comes of their answers: warnings, audit
// annotations and rejections (semantics §8). Whether a webhook changed the object is in an
// annotation, also when its patch could not be used.
func TestCalls(t *testing.T) {
	const (
		configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}"
		review    = "operation: CREATE\nresource: {version: v1, resource: configmaps}\nname: c\nnamespace: shop\ndryRun: true\nuserInfo: {username: jane}\nobject: " + configMap + "\n"
		ok        = "{allowed: true}"
		ignore    = ", failurePolicy: Ignore"
		patch     = "{allowed: true, patchType: JSONPatch, patch: [%s]}"
	)
	mutated := func(name string, index int, yes bool) string {
		return fmt.Sprintf(`mutation.webhook.admission.k8s.io/round_0_index_%d: {"configuration":"of-%s","webhook":"%[2]s.example.com","mutated":%t}`, index, name, yes)
	}
	opened := func(kind, name string) string {
		return "failed-open." + kind + ".webhook.admission.k8s.io/round_0_index_0: " + name + ".example.com"
	}
	failed := func(name, why string) string {
		return `500 Internal error occurred: failed calling webhook "` + name + `.example.com": ` + why
	}
	const unreachable = `failed to call webhook: Post "https://a.example.com/?timeout=10s": `
	for _, c := range []struct {
		name, hooks, answers string
		request              string // the creation of a ConfigMap, if it is empty
		steps                string // name, status and verdict of each
		want                 []string
	}{
		{"warnings and annotations", hook("Validating", "a", ""), answer("a", "{allowed: true, warnings: [w, v], auditAnnotations: {k: x}}"), "", "a evaluated admit", []string{"warning: w", "warning: v", "a.example.com/k: x"}},
		{"with a refusal too", hook("Validating", "a", ""), answer("a", "{warnings: [w], auditAnnotations: {k: x}, status: {code: 403, message: never}}"), "", "a evaluated deny",
			[]string{"warning: w", "a.example.com/k: x", `403 admission webhook "a.example.com" denied the request: never`}},
		{"no answer is given", hook("Validating", "a", ""), "", "", "a evaluated admit", nil},
		{"the first of two refusals", hook("Validating", "a", "") + hook("Validating", "b", ""), answer("a", "{status: {message: a}}") + answer("b", "{status: {message: b}}"), "", "a evaluated deny; b evaluated deny",
			[]string{`400 admission webhook "a.example.com" denied the request: a`}},
		{"a second one that cannot be chosen", hook("Validating", "a", "") + hook("Validating", "b", `, matchConditions: [{name: c, expression: "object.none == 1"}]`), answer("a", ok) + answer("b", ok), "", "a notCalled ; b errored deny",
			[]string{`403 configmaps "c" is forbidden: expression 'object.none == 1' resulted in error: no such key: none`}},
		{"a condition that is ignored", hook("Validating", "a", ignore+`, matchConditions: [{name: c, expression: "object.none == 1"}]`), answer("a", "{}"), "", "a excluded ", nil},
		{"a condition that is false", hook("Validating", "a", `, matchConditions: [{name: c, expression: "object.metadata.name == 'x'"}]`), answer("a", "{}"), "", "a excluded ", nil},
		{"other resources", hook("Validating", "a", ", objectSelector: {matchLabels: {a: b}}"), answer("a", "{}"), "", "a notMatched ", nil},
		{"webhooks do not concern webhooks", hook("Validating", "a", ""), answer("a", "{}"), strings.TrimPrefix(hook("Validating", "x", ""), "---\n"), "a notMatched ", nil},
		{"a failed call", hook("Validating", "a", ""), answer("a", "{connectionRefused: true}"), "", "a errored deny", []string{failed("a", unreachable+"dial tcp a.example.com:443: connect: connection refused")}},
		{"a failed call that is ignored", hook("Validating", "a", ignore), answer("a", "{connectionRefused: true}"), "", "a errored admit", []string{opened("validating", "a")}},
		{"which counts as an answer", hook("Validating", "a", ignore) + strings.Replace(hook("Validating", "b", ""), "[{name: b", "[{name: a", 1), answer("a", "{sequence: [{connectionRefused: true}, {allowed: true, warnings: [w]}]}"), "", "a errored admit; a evaluated admit",
			[]string{"warning: w", opened("validating", "a")}},
		{"a dry run", hook("Validating", "a", ""), answer("a", "{}"), review, "a evaluated deny", []string{`400 admission webhook "a.example.com" denied the request without explanation`}},
		{"a dry run that would have effects", strings.Replace(hook("Mutating", "a", ""), "sideEffects: None", "sideEffects: NoneOnDryRun", 1), answer("a", ok), review, "a evaluated admit", []string{mutated("a", 0, false)}},

		{"a change", hook("Mutating", "a", ""), answer("a", fmt.Sprintf(patch, "{op: add, path: /data, value: {a: b}}")), "", "a evaluated mutate", []string{mutated("a", 0, true)}},
		{"no patch", hook("Mutating", "a", ""), answer("a", ok), "", "a evaluated admit", []string{mutated("a", 0, false)}},
		{"an empty patch", hook("Mutating", "a", ""), answer("a", fmt.Sprintf(patch, "")), "", "a evaluated admit", []string{mutated("a", 0, false)}},
		{"a second change that changes nothing", hook("Mutating", "a", "") + hook("Mutating", "b", ""), answer("a", fmt.Sprintf(patch, "{op: add, path: /data, value: {a: b}}")) + answer("b", fmt.Sprintf(patch, "{op: test, path: /data/a, value: b}")), "",
			"a evaluated mutate; b evaluated admit", []string{mutated("a", 0, true), mutated("b", 1, false)}},
		{"a patch that does not apply", hook("Mutating", "a", ignore), answer("a", fmt.Sprintf(patch, "{op: remove, path: /none}")), "", "a evaluated deny",
			[]string{mutated("a", 0, false), "500 Internal error occurred: error in remove for path: '/none': Unable to remove nonexistent key: none: missing value"}},
		{"a patch that makes no ConfigMap of it", hook("Mutating", "a", ignore), answer("a", fmt.Sprintf(patch, "{op: add, path: /data, value: 5}")), "", "a evaluated deny", []string{mutated("a", 0, false), "500 "}},
		{"a patch that is none", hook("Mutating", "a", ignore), answer("a", "{allowed: true, patchType: JSONPatch, patch: {op: add}}"), "", "a errored admit", []string{opened("mutation", "a"), mutated("a", 0, false)}},
		{"of another type", hook("Mutating", "a", ignore), answer("a", "{allowed: true, patchType: Merge, patch: [{op: add, path: /a, value: b}]}"), "", "a errored admit", []string{opened("mutation", "a"), mutated("a", 0, false)}},
		{"a refusal with a patch", hook("Mutating", "a", ""), answer("a", "{patchType: JSONPatch, patch: [{op: add, path: /data, value: {a: b}}]}"), "", "a evaluated deny", []string{mutated("a", 0, false), `400 admission webhook "a.example.com" denied the request without explanation`}},
		{"a patch for a deletion", hook("Mutating", "a", ""), answer("a", fmt.Sprintf(patch, "{op: add, path: /data, value: {a: b}}")),
			"{operation: DELETE, resource: {version: v1, resource: configmaps}, name: c, namespace: shop, oldObject: " + configMap + ", userInfo: {username: jane}}", "a evaluated deny",
			[]string{mutated("a", 0, false), `500 Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.request == "" {
				c.request = configMap
			}
			r, err := engine.Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.36", Policies: strings.TrimPrefix(c.hooks, "---\n"), Cluster: strings.TrimPrefix(c.answers, "---\n"), Request: c.request,
				Options: scenario.Options{Plugins: scenario.Exactly()}}, engine.Options{AdmissionOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			var steps []string
			for _, s := range r.Steps {
				if s.Webhook != "" && s.Pass == 0 {
					steps = append(steps, fmt.Sprint(strings.TrimSuffix(s.Webhook, ".example.com"), " ", s.Status, " ", s.Verdict))
				}
			}
			if got := strings.Join(steps, "; "); got != c.steps {
				t.Errorf("the steps are %q, want %q: %v", got, c.steps, r.Diagnostics)
			}
			var got []string
			for _, w := range r.Outcome.Warnings {
				got = append(got, "warning: "+w)
			}
			for _, key := range slices.Sorted(maps.Keys(r.Outcome.AuditAnnotations)) {
				if !strings.Contains(key, "/round_1_") {
					got = append(got, key+": "+r.Outcome.AuditAnnotations[key])
				}
			}
			if !r.Outcome.Allowed {
				got = append(got, fmt.Sprint(r.Outcome.Code, " ", r.Outcome.Message))
			}
			if !slices.EqualFunc(got, c.want, func(got, want string) bool { return got == want || want == "500 " && strings.HasPrefix(got, want) }) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}
