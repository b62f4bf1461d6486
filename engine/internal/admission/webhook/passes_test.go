package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// passed is what became of each webhook in each pass, what it was sent, and the object at the end.
func passed(t *testing.T, s scenario.Scenario) string {
	t.Helper()
	s.Options.Plugins = scenario.Exactly()
	s.Options.CompleteCluster = strings.Contains(s.Cluster, "kind: Namespace")
	r, err := engine.Evaluate(context.Background(), s, engine.Options{AdmissionOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, step := range r.Steps {
		if step.Webhook == "" {
			continue
		}
		line := fmt.Sprintf("%s %d: %s %s, %d changes, %d warnings", strings.TrimSuffix(step.Webhook, ".example.com"), step.Pass, step.Status, step.Verdict, len(step.Diff), len(step.Warnings))
		if step.FailurePolicy != "" {
			line += ", " + step.FailurePolicy
		}
		if step.Error != "" {
			line += " (" + step.Error + ")"
		}
		if step.Sent != nil {
			line += sent(t, step)
		}
		lines = append(lines, line)
	}
	if !r.Outcome.Allowed {
		lines = append(lines, fmt.Sprintf("%d %s: %s", r.Outcome.Code, r.Outcome.Reason, r.Outcome.Message))
	} else if r.Object != nil {
		lines = append(lines, brief(t, r.Object))
	}
	for _, d := range r.Diagnostics.Errors() {
		lines = append(lines, d.Code+": "+d.Summary)
	}
	return strings.Join(lines, "\n")
}

// sent is what of a review depends on the webhook: the kind and the object.
func sent(t *testing.T, step report.Step) string {
	t.Helper()
	raw, err := json.Marshal(step.Sent)
	if err != nil {
		t.Fatal(err)
	}
	var review struct {
		Request struct {
			Kind                         struct{ Version, Kind string }
			RequestKind                  struct{ Version, Kind string }
			Name, SubResource, Operation string
			Object, OldObject, Options   map[string]any
		}
	}
	if err := json.Unmarshal(raw, &review); err != nil {
		t.Fatal(err)
	}
	q := review.Request
	text := fmt.Sprintf("; sent %s %s/%s", q.Operation, q.Kind.Version, q.Kind.Kind)
	if q.RequestKind.Version != q.Kind.Version {
		text += " for " + q.RequestKind.Version
	}
	return text + " " + brief(t, q.Object)
}

// brief is an object without its metadata.
func brief(t *testing.T, object map[string]any) string {
	t.Helper()
	shown := map[string]any{}
	for key, value := range object {
		if key != "metadata" && key != "status" {
			shown[key] = value
		} else if labels, ok := value.(map[string]any)["labels"]; ok {
			shown["labels"] = labels
		}
	}
	raw, err := json.Marshal(shown)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestPasses: one copy of the object goes through all mutating webhooks, in the kind that each
// wants; a change lets those before it that ask for it be called again, and whoever was not
// called in the first pass is not in the second (semantics §8.2, §6.7; mutating/dispatcher.go).
func TestPasses(t *testing.T) {
	const (
		configMap = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}, data: {a: b}}"
		scaler    = "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: shop}, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}}"
		again     = ", reinvocationPolicy: IfNeeded"
		ok        = "{allowed: true}"
		patch     = "{allowed: true, patchType: JSONPatch, patch: [%s]}"
		equal     = ", matchPolicy: Equivalent"
		things    = "---\n{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.example.com}, spec: {group: example.com, scope: Namespaced, names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}, " +
			"versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}\n"
		thing = "{apiVersion: example.com/v1, kind: Thing, metadata: {name: t, namespace: shop}, a: b}"
	)
	change := func(key string) string { return fmt.Sprintf(patch, "{op: add, path: /data/"+key+", value: z}") }
	labelled := fmt.Sprintf(patch, "{op: add, path: /metadata/labels, value: {l: m}}")
	old := func(kind, name, more string) string { // one that wants the first version of autoscaling
		return strings.Replace(hook(kind, name, equal+more), "apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']", "apiGroups: [autoscaling], apiVersions: [v1], operations: ['*'], resources: [horizontalpodautoscalers]", 1)
	}
	for _, c := range []struct {
		name           string
		hooks, answers string
		request        string // the creation of a ConfigMap, if it is empty
		version        string // 1.36 if it is empty
		want           string
	}{
		{name: "a change", hooks: hook("Mutating", "a", ""), answers: answer("a", change("x")), want: `a 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
a 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"v1","data":{"a":"b","x":"z"},"kind":"ConfigMap"}`},
		{name: "its own change does not call it again", hooks: hook("Mutating", "a", again), answers: answer("a", change("x")), want: `a 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
a 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"v1","data":{"a":"b","x":"z"},"kind":"ConfigMap"}`},
		{name: "a change after it does", hooks: hook("Mutating", "a", again) + hook("Mutating", "b", ""), answers: answer("a", ok) + answer("b", change("x")), want: `a 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
b 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
a 1: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b","x":"z"},"kind":"ConfigMap"}
b 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"v1","data":{"a":"b","x":"z"},"kind":"ConfigMap"}`},
		{name: "a change after two, of which one asks", hooks: hook("Mutating", "a", "") + hook("Mutating", "b", again) + hook("Mutating", "c", ""), answers: answer("a", ok) + answer("b", ok) + answer("c", change("x")), want: `a 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
b 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
c 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
a 1: skipped , 0 changes, 0 warnings, Fail
b 1: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b","x":"z"},"kind":"ConfigMap"}
c 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"v1","data":{"a":"b","x":"z"},"kind":"ConfigMap"}`},
		{name: "a change before it does not", hooks: hook("Mutating", "a", "") + hook("Mutating", "b", again), answers: answer("a", change("x")) + answer("b", ok), want: `a 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
b 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b","x":"z"},"kind":"ConfigMap"}
a 1: skipped , 0 changes, 0 warnings, Fail
b 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"v1","data":{"a":"b","x":"z"},"kind":"ConfigMap"}`},
		{name: "a second change in the second pass", hooks: hook("Mutating", "a", again) + hook("Mutating", "b", again), answers: answer("a", "{sequence: [{allowed: true}, "+change("z")+"]}") + answer("b", change("x")), want: `a 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
b 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
a 1: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b","x":"z"},"kind":"ConfigMap"}
b 1: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b","x":"z","z":"z"},"kind":"ConfigMap"}
{"apiVersion":"v1","data":{"a":"b","x":"z","z":"z"},"kind":"ConfigMap"}`},
		{name: "one that did not match", hooks: hook("Mutating", "a", again+", objectSelector: {matchLabels: {l: m}}") + hook("Mutating", "b", ""), answers: answer("a", ok) + answer("b", labelled), want: `a 0: notMatched , 0 changes, 0 warnings, Fail
b 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
a 1: skipped , 0 changes, 0 warnings, Fail
b 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap","labels":{"l":"m"}}`},
		{name: "what selectors see", hooks: hook("Mutating", "a", "") + hook("Mutating", "b", ", objectSelector: {matchLabels: {l: m}}"), answers: answer("a", labelled) + answer("b", ok), want: `a 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
b 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap","labels":{"l":"m"}}
a 1: skipped , 0 changes, 0 warnings, Fail
b 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap","labels":{"l":"m"}}`},
		{name: "what conditions see", hooks: hook("Mutating", "a", "") + hook("Mutating", "b", `, matchConditions: [{name: c, expression: "has(object.data.x)"}]`), answers: answer("a", change("x")) + answer("b", ok), want: `a 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
b 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b","x":"z"},"kind":"ConfigMap"}
a 1: skipped , 0 changes, 0 warnings, Fail
b 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"v1","data":{"a":"b","x":"z"},"kind":"ConfigMap"}`},
		{name: "what validating ones see", hooks: hook("Mutating", "a", "") + hook("Validating", "b", ", objectSelector: {matchLabels: {l: m}}"), answers: answer("a", labelled) + answer("b", "{allowed: true, warnings: [w, w]}"), want: `a 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
a 1: skipped , 0 changes, 0 warnings, Fail
b 0: evaluated admit, 0 changes, 2 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap","labels":{"l":"m"}}
{"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap","labels":{"l":"m"}}`},
		{name: "another version", hooks: old("Mutating", "a", ""), answers: answer("a", labelled), request: scaler, want: `a 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/HorizontalPodAutoscaler for v2 {"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":3,"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},"targetCPUUtilizationPercentage":80}}
a 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","labels":{"l":"m"},"spec":{"maxReplicas":3,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}`},
		{name: "a change in another version", hooks: old("Mutating", "a", "") + hook("Mutating", "b", ""), answers: answer("a", fmt.Sprintf(patch, "{op: replace, path: /spec/maxReplicas, value: 5}")) + answer("b", fmt.Sprintf(patch, "{op: add, path: /spec/minReplicas, value: 2}")), request: scaler, want: `a 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/HorizontalPodAutoscaler for v2 {"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":3,"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},"targetCPUUtilizationPercentage":80}}
b 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v2/HorizontalPodAutoscaler {"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":5,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}
a 1: skipped , 0 changes, 0 warnings, Fail
b 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":5,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}`},
		{name: "and back", hooks: hook("Mutating", "a", "") + old("Mutating", "b", "") + old("Validating", "c", ""), answers: answer("a", fmt.Sprintf(patch, "{op: replace, path: /spec/maxReplicas, value: 5}")) + answer("b", fmt.Sprintf(patch, "{op: add, path: /spec/minReplicas, value: 2}")) + answer("c", ok), request: scaler, want: `a 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v2/HorizontalPodAutoscaler {"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":3,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}
b 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/HorizontalPodAutoscaler for v2 {"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":5,"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},"targetCPUUtilizationPercentage":80}}
a 1: skipped , 0 changes, 0 warnings, Fail
b 1: skipped , 0 changes, 0 warnings, Fail
c 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/HorizontalPodAutoscaler for v2 {"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":5,"minReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},"targetCPUUtilizationPercentage":80}}
{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":5,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}`},
		{name: "no change in another version", hooks: old("Mutating", "a", "") + hook("Mutating", "b", ""), answers: answer("a", ok) + answer("b", ok), request: scaler, want: `a 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/HorizontalPodAutoscaler for v2 {"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":3,"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},"targetCPUUtilizationPercentage":80}}
b 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v2/HorizontalPodAutoscaler {"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":3,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}
{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":3,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}`},
		{name: "a deletion", hooks: hook("Mutating", "a", "") + old("Mutating", "b", ""), answers: answer("a", ok) + answer("b", ok),
			request: "{operation: DELETE, resource: {group: autoscaling, version: v2, resource: horizontalpodautoscalers}, name: h, namespace: shop, oldObject: " + scaler + ", userInfo: {username: jane}}", want: `a 0: evaluated admit, 0 changes, 0 warnings, Fail; sent DELETE v2/HorizontalPodAutoscaler {}
b 0: evaluated admit, 0 changes, 0 warnings, Fail; sent DELETE v1/HorizontalPodAutoscaler for v2 {}`},
		{name: "a kind taken away", hooks: hook("Mutating", "a", "") + hook("Mutating", "b", ""), answers: answer("a", fmt.Sprintf(patch, "{op: remove, path: /kind}")) + answer("b", ok), want: `a 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
b 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"}}
a 1: skipped , 0 changes, 0 warnings, Fail
b 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}`},
		{name: "a version taken away", hooks: hook("Mutating", "a", "") + hook("Mutating", "b", ""), answers: answer("a", fmt.Sprintf(patch, "{op: remove, path: /apiVersion}")) + answer("b", ok), want: `a 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
b 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"data":{"a":"b"},"kind":"ConfigMap"}
a 1: skipped , 0 changes, 0 warnings, Fail
b 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}`},
		{name: "another kind", hooks: hook("Mutating", "a", "") + hook("Mutating", "b", ""), answers: answer("a", fmt.Sprintf(patch, "{op: replace, path: /kind, value: Secret}")) + answer("b", ok), want: `a 0: evaluated deny, 0 changes, 0 warnings, Fail (Internal error occurred: illegal base64 data at input byte 0); sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
500 InternalError: Internal error occurred: illegal base64 data at input byte 0`},
		{name: "a kind that is no text", hooks: hook("Mutating", "a", ", failurePolicy: Ignore"), answers: answer("a", fmt.Sprintf(patch, "{op: replace, path: /kind, value: 5}")), want: `a 0: evaluated deny, 0 changes, 0 warnings, Ignore (Internal error occurred: couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string); sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
500 InternalError: Internal error occurred: couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string`},
		{name: "a custom resource", hooks: hook("Mutating", "a", "") + hook("Validating", "b", ""), answers: things + answer("a", fmt.Sprintf(patch, "{op: add, path: /c, value: d}")) + answer("b", ok), request: thing, want: `a 0: evaluated mutate, 1 changes, 0 warnings, Fail; sent CREATE v1/Thing {"a":"b","apiVersion":"example.com/v1","kind":"Thing"}
a 1: skipped , 0 changes, 0 warnings, Fail
b 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/Thing {"a":"b","apiVersion":"example.com/v1","c":"d","kind":"Thing"}
{"a":"b","apiVersion":"example.com/v1","c":"d","kind":"Thing"}`},
		{name: "a custom resource without its kind", hooks: hook("Mutating", "a", ""), answers: things + answer("a", fmt.Sprintf(patch, "{op: remove, path: /kind}")), request: thing, want: `a 0: evaluated deny, 0 changes, 0 warnings, Fail (Internal error occurred: Object 'Kind' is missing in '{"a":"b","apiVersion":"example.com/v1","metadata":{"name":"t","namespace":"shop"}}'); sent CREATE v1/Thing {"a":"b","apiVersion":"example.com/v1","kind":"Thing"}
500 InternalError: Internal error occurred: Object 'Kind' is missing in '{"a":"b","apiVersion":"example.com/v1","metadata":{"name":"t","namespace":"shop"}}'`},
		{name: "a patch that cannot be read", hooks: hook("Mutating", "a", ", failurePolicy: Ignore"), answers: answer("a", "{allowed: true, patchType: JSONPatch, patch: {op: add}}"), version: "1.30", want: `a 0: evaluated deny, 0 changes, 0 warnings, Ignore (Internal error occurred: json: cannot unmarshal object into Go value of type jsonpatch.Patch); sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
500 InternalError: Internal error occurred: json: cannot unmarshal object into Go value of type jsonpatch.Patch`},
		{name: "a patch that changes nothing", hooks: hook("Mutating", "a", again) + hook("Mutating", "b", ""), answers: answer("a", ok) + answer("b", fmt.Sprintf(patch, "{op: replace, path: /data/a, value: b}")), want: `a 0: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
b 0: evaluated mutate, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
a 1: evaluated admit, 0 changes, 0 warnings, Fail; sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
b 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}`},
		{name: "a default that a patch takes away", hooks: hook("Mutating", "a", ""), answers: answer("a", fmt.Sprintf(patch, "{op: remove, path: /spec/minReplicas}")), request: scaler, want: `a 0: evaluated mutate, 0 changes, 0 warnings, Fail; sent CREATE v2/HorizontalPodAutoscaler {"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":3,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}
a 1: skipped , 0 changes, 0 warnings, Fail
{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":3,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}}`},
		{name: "a dry run that would have effects", hooks: strings.Replace(hook("Validating", "a", ", failurePolicy: Ignore"), "sideEffects: None", "sideEffects: Some", 1), answers: answer("a", ok),
			request: "operation: CREATE\nresource: {version: v1, resource: configmaps}\nname: c\nnamespace: shop\ndryRun: true\nuserInfo: {username: jane}\nobject: " + configMap + "\n", want: `{"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
unsupported-value: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"`},
		{name: "no Service", hooks: strings.Replace(hook("Validating", "a", ""), "clientConfig: {url: 'https://a.example.com'}", "clientConfig: {service: {namespace: shop, name: a}}", 1), answers: answer("a", ok) + "---\n{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n", want: `a 0: errored deny, 0 changes, 0 warnings, Fail (Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://a.shop.svc:443/?timeout=10s": service "a" not found); sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
500 InternalError: Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://a.shop.svc:443/?timeout=10s": service "a" not found`},
		{name: "no Namespace for a selector", hooks: hook("Validating", "a", ", failurePolicy: Ignore, namespaceSelector: {matchLabels: {a: b}}"), answers: "---\n{apiVersion: v1, kind: Namespace, metadata: {name: other}}\n", want: `a 0: errored deny, 0 changes, 0 warnings, Ignore (namespaces "shop" not found)
404 NotFound: namespaces "shop" not found`},
		{name: "both refuse", hooks: hook("Validating", "a", "") + hook("Validating", "b", ""), answers: answer("a", "{status: {message: a, code: 450}}") + answer("b", "{status: {message: b}}"), want: `a 0: evaluated deny, 0 changes, 0 warnings, Fail (admission webhook "a.example.com" denied the request: a); sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
b 0: evaluated deny, 0 changes, 0 warnings, Fail (admission webhook "b.example.com" denied the request: b); sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
450 : admission webhook "a.example.com" denied the request: a`},
		{name: "a code that is none of an error", hooks: hook("Validating", "a", ""), answers: answer("a", "{status: {message: a, code: 399}}"), want: `a 0: evaluated deny, 0 changes, 0 warnings, Fail (admission webhook "a.example.com" denied the request: a); sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
400 : admission webhook "a.example.com" denied the request: a`},
		{name: "the first code of an error", hooks: hook("Validating", "a", ""), answers: answer("a", "{status: {message: a, code: 400, reason: Other}}"), want: `a 0: evaluated deny, 0 changes, 0 warnings, Fail (admission webhook "a.example.com" denied the request: a); sent CREATE v1/ConfigMap {"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap"}
400 Other: admission webhook "a.example.com" denied the request: a`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.request == "" {
				c.request = configMap
			}
			if c.version == "" {
				c.version = "1.36"
			}
			got := passed(t, scenario.Scenario{Kubernetes: c.version, Policies: strings.TrimPrefix(c.hooks, "---\n"), Cluster: strings.TrimPrefix(c.answers, "---\n"), Request: c.request})
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
