package engine

import (
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/report/response"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// fuzzed are small limits: a fuzzer does not wait.
var fuzzed = Limits{Work: 5_000_000, Bytes: 64 << 20}

const fuzzNow = "2026-01-01T00:00:00Z"

// FuzzProperties holds what is true of every scenario: an engine that has seen
// others gives the same report as a new one, and so does a configuration that was
// compiled before; neither explanations nor safety checks change the answer; the
// reported patch makes the object from the input; the answer can be written as a
// review.
func FuzzProperties(f *testing.F) {
	target := variants.Of(f, 8)
	for _, path := range []string{"mutate/m09-sidecar-merge.yaml", "mutate/m46-jp-move-copy.yaml", "validate/replica-limit.yaml",
		"webhooks/policy-then-webhook.yaml", "crd/apply-list-map-composite.yaml", "authorizer/resource-checks.yaml", "params/selector-several.yaml"} {
		v := readVector(f, filepath.Join(vectorsRoot, path))
		s := scenarioOf(f, v, v.Requests[0])
		target.Add(s.Policies, s.Request, s.Cluster, uint8(7))
	}
	warm := New()
	target.Fuzz(func(t *testing.T, policies, request, cluster string, version uint8) {
		minors := scenario.Versions()
		s := scenario.Scenario{Policies: policies, Request: request, Cluster: cluster, Kubernetes: minors[int(version)%len(minors)], Now: fuzzNow}
		everything := Everything()
		everything.Limits = fuzzed
		cold := evaluateFuzzed(t, New(), s, everything)
		if cold == nil {
			return
		}
		checkPatch(t, cold)
		if _, err := response.Review(cold); err != nil {
			t.Fatalf("review: %v", err)
		}
		bare := evaluateFuzzed(t, warm, s, Options{Limits: fuzzed})
		again := evaluateFuzzed(t, warm, s, everything)
		c, _ := warm.Compile(s)
		compiled, err := c.Evaluate(context.Background(), Text(request), everything)
		if err != nil {
			t.Fatalf("compiled: %v", err)
		}
		for name, other := range map[string]*report.Report{"bare": bare, "warm": again, "compiled": compiled} {
			if other == nil {
				continue // it reached a limit
			}
			if a, b := decisionOf(cold), decisionOf(other); !reflect.DeepEqual(a, b) {
				t.Fatalf("%s: %+v\nbut cold: %+v", name, b, a)
			}
			if name == "warm" && !equalAsJSON(t, cold.Diagnostics, other.Diagnostics) {
				t.Fatalf("warm: %s\nbut cold: %s", other.Diagnostics, cold.Diagnostics)
			}
		}
	})
}

// evaluateFuzzed gives no report for a run that reached a limit: how far it came
// depends on what is kept.
func evaluateFuzzed(t *testing.T, e *Engine, s scenario.Scenario, o Options) *report.Report {
	t.Helper()
	r, err := e.Evaluate(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Fatalf("the report cannot be written: %v", err)
	}
	for _, d := range r.Diagnostics {
		if d.Code == codes.Internal {
			t.Fatalf("%s\n%s", d.Summary, d.Detail)
		}
		if d.Code == codes.RunLimit {
			return nil
		}
		if d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Line < 1 && d.Text != diag.Settings {
			t.Fatalf("a problem at %+v, line %d: %s", d.Span, d.Line, d.Summary)
		}
	}
	return r
}

// decisionOf is what neither explanations nor anything kept may change.
func decisionOf(r *report.Report) []any {
	costs := []int64{}
	for i := range r.Steps {
		r.Steps[i].Evaluations(func(e *report.Evaluation) { costs = append(costs, e.Cost) })
	}
	o := r.Outcome
	return []any{o.State, o.Allowed, o.Code, o.Message, o.Warnings, o.AuditAnnotations, o.Patch, r.Object, costs}
}

// checkPatch applies the reported patch to the input.
func checkPatch(t *testing.T, r *report.Report) {
	t.Helper()
	if r.Mutated == nil || r.Input == nil {
		return
	}
	raw, err := json.Marshal(r.Outcome.Patch)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Outcome.Patch) == 0 {
		if !equalAsJSON(t, r.Input, r.Mutated) {
			t.Fatalf("no patch, but %v became %v", r.Input, r.Mutated)
		}
		return
	}
	patch, err := jsonpatch.DecodePatch(raw)
	if err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(r.Input)
	if err != nil {
		t.Fatal(err)
	}
	made, err := patch.Apply(input)
	if err != nil {
		t.Fatalf("the patch %s cannot be applied: %v", raw, err)
	}
	var object map[string]any
	if err := json.Unmarshal(made, &object); err != nil {
		t.Fatal(err)
	}
	if !equalAsJSON(t, object, r.Mutated) {
		t.Fatalf("the patch %s gives %s", raw, made)
	}
}

func equalAsJSON(t *testing.T, a, b any) bool {
	t.Helper()
	var plain [2]any
	for i, v := range []any{a, b} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &plain[i]); err != nil {
			t.Fatal(err)
		}
	}
	return reflect.DeepEqual(plain[0], plain[1])
}

// FuzzPatch gives a policy the operations of a patch, written as CEL, and a webhook
// the same in JSON.
func FuzzPatch(f *testing.F) {
	target := variants.Of(f, 20)
	target.Add("/metadata/labels", "{'a': 'b'}", "add", "/metadata/name")
	target.Add("/spec/containers/-", "object.spec.containers[0]", "copy", "/spec/containers/0")
	target.Add("/spec/containers/0/image", "'x'", "replace", "")
	target.Add("", "null", "remove", "/spec~1/x~0")
	target.Add("/spec/containers/9999999999", "[1, [2, {}]]", "test", "/spec")
	engine := New()
	target.Fuzz(func(t *testing.T, path, value, op, from string) {
		raw, err := json.Marshal([]string{"[JSONPatch{op: " + celText(op) + ", path: " + celText(path) + ", from: " + celText(from) + ", value: " + value + "}]"})
		if err != nil {
			t.Fatal(err)
		}
		policy := `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingAdmissionPolicy","metadata":{"name":"m"},"spec":{"reinvocationPolicy":"IfNeeded","matchConstraints":{"resourceRules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*"]}]},"mutations":[{"patchType":"JSONPatch","jsonPatch":{"expression":` +
			string(raw[1:len(raw)-1]) + `}}]}}` + "\n---\n" + `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingAdmissionPolicyBinding","metadata":{"name":"m"},"spec":{"policyName":"m"}}`
		s := scenario.Scenario{Policies: policy, Request: smallPod, Now: fuzzNow}
		everything := Everything()
		everything.Limits = fuzzed
		if r := evaluateFuzzed(t, engine, s, everything); r != nil {
			checkPatch(t, r)
		}
	})
}

func celText(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return "''"
	}
	return string(raw)
}

// FuzzMerge gives a policy an apply configuration.
func FuzzMerge(f *testing.F) {
	target := variants.Of(f, 20)
	target.Add("Object{metadata: Object.metadata{labels: {'a': 'b'}}}")
	target.Add("Object{spec: Object.spec{containers: [Object.spec.containers{name: 'a', image: 'x'}]}}")
	target.Add("Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: 'a'}], hostNetwork: true}}")
	target.Add("Object{spec: object.spec}")
	engine := New()
	target.Fuzz(func(t *testing.T, expression string) {
		policy := `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingAdmissionPolicy","metadata":{"name":"m"},"spec":{"reinvocationPolicy":"IfNeeded","matchConstraints":{"resourceRules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*"]}]},"mutations":[{"patchType":"ApplyConfiguration","applyConfiguration":{"expression":` +
			celText(expression) + `}}]}}` + "\n---\n" + `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingAdmissionPolicyBinding","metadata":{"name":"m"},"spec":{"policyName":"m"}}`
		everything := Everything()
		everything.Limits = fuzzed
		if r := evaluateFuzzed(t, engine, scenario.Scenario{Policies: policy, Request: smallPod, Now: fuzzNow}, everything); r != nil {
			checkPatch(t, r)
		}
	})
}

// FuzzDefinition gives the cluster a definition with any schema, and an object.
func FuzzDefinition(f *testing.F) {
	target := variants.Of(f, 20)
	target.Add("{type: object, properties: {a: {type: string, default: b}}}", "{a: c}")
	target.Add("{type: array, items: {type: object, properties: {n: {type: integer}}}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [n]}", "[{n: 1}]")
	target.Add("{type: object, additionalProperties: {type: string, maxLength: 3}, x-kubernetes-validations: [{rule: 'self.all(k, self[k] != k)'}]}", "{a: b}")
	target.Add("{type: object, x-kubernetes-preserve-unknown-fields: true, nullable: true}", "null")
	engine := New()
	target.Fuzz(func(t *testing.T, schema, value string) {
		s := scenario.Scenario{Now: fuzzNow,
			Cluster: "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: xs.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: xs, singular: x, kind: X, listKind: XList}\n  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: " + schema + "}}}}\n",
			Request: "{apiVersion: example.com/v1, kind: X, metadata: {name: a, namespace: b}, spec: " + value + "}\n"}
		everything := Everything()
		everything.Limits = fuzzed
		if r := evaluateFuzzed(t, engine, s, everything); r != nil {
			checkPatch(t, r)
		}
	})
}
