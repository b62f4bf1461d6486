package customresource_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// sent sends an object of a definition whose spec has a schema; old is empty for a
// creation.
func sent(t *testing.T, kubernetes, spec, object, old string) *report.Report {
	t.Helper()
	request := object
	if old != "" {
		raw, err := json.Marshal(map[string]any{"operation": "UPDATE", "object": parsed(t, object), "oldObject": parsed(t, old), "userInfo": map[string]any{"username": "jane"}})
		if err != nil {
			t.Fatal(err)
		}
		request = string(raw)
	}
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{Kubernetes: kubernetes, Request: request, Cluster: `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {status: {type: object, x-kubernetes-preserve-unknown-fields: true}, spec: ` + spec + `}}}}
`}, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Diagnostics.HasErrors() && r.Outcome.Code != 400 {
		t.Fatal(r.Diagnostics.Errors())
	}
	return r
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	var out any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// widget is an object with a spec, and more metadata.
func widget(spec, metadata string) string {
	return "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: default, uid: u, resourceVersion: '1', generation: 4" + metadata + "}, spec: " + spec + "}"
}

func TestUpdates(t *testing.T) {
	const (
		open    = `{type: object, properties: {a: {x-kubernetes-preserve-unknown-fields: true}}, x-kubernetes-validations: [{rule: "!oldSelf.hasValue() || oldSelf.value() == self", optionalOldSelf: true, message: fixed}]}`
		closed  = `{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: "!oldSelf.hasValue() || oldSelf.value() == self", optionalOldSelf: true, message: fixed}]}`
		objects = `{type: object, properties: {l: {type: array, x-kubernetes-list-type: set, maxItems: 3, items: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string, maxLength: 3}}}, x-kubernetes-validations: [{rule: self == oldSelf}]}}}`
		list    = `{l: [{a: x}]}`
	)
	for name, test := range map[string]struct {
		kubernetes, schema, object, old string
		want                            string // of the message; empty when it is admitted
	}{
		"plain data in an optional is not equal": {"1.36", open, widget("{a: {b: 1}}", ""), widget("{a: {b: 1}}", ""), "spec: Invalid value: fixed"},
		"typed data in an optional is equal":     {"1.37", open, widget("{a: {b: 1}}", ""), widget("{a: {b: 1}}", ""), ""},
		"declared fields are equal":              {"1.36", closed, widget("{a: b}", ""), widget("{a: b}", ""), ""},
		"declared fields differ":                 {"1.36", closed, widget("{a: b}", ""), widget("{a: c}", ""), "spec: Invalid value: fixed"},
		"sets of objects crashed":                {"1.36", objects, widget(list, ""), widget(list, ""), "hash of unhashable type map[string]interface {}"},
		"sets of objects have no operators":      {"1.37", objects, widget(list, ""), widget(list, ""), "listSet operations are only supported on lists of scalar values"},
	} {
		t.Run(name, func(t *testing.T) {
			o := sent(t, test.kubernetes, test.schema, test.object, test.old).Outcome
			if o.Allowed != (test.want == "") || !strings.Contains(o.Message, test.want) {
				t.Errorf("got %t %s, want %s", o.Allowed, o.Message, test.want)
			}
		})
	}
}

func TestFinalizers(t *testing.T) {
	const anything = `{type: object, x-kubernetes-preserve-unknown-fields: true}`
	const without, withPath = "prefer a domain-qualified finalizer name to avoid", "prefer a domain-qualified finalizer name including a path (/) to avoid"
	for name, test := range map[string]struct {
		kubernetes, finalizers, before string
		want                           []string // parts of the warnings
	}{
		"with a path":      {"1.36", "[example.com/a]", "", nil},
		"one word":         {"1.36", "[mine]", "", []string{`metadata.finalizers: "mine": ` + without}},
		"two, by name":     {"1.36", "[z, a]", "", []string{`"a"`, `"z"`}},
		"a domain":         {"1.36", "[example.com]", "", []string{withPath}},
		"a domain in 1.31": {"1.31", "[example.com]", "", []string{without}},
		"a standard one":   {"1.36", "[foregroundDeletion]", "", nil},
		"there before":     {"1.36", "[mine]", "[mine]", nil},
	} {
		t.Run(name, func(t *testing.T) {
			old := ""
			if test.before != "" {
				old = widget("{}", ", finalizers: "+test.before)
			}
			got := sent(t, test.kubernetes, anything, widget("{}", ", finalizers: "+test.finalizers), old).Outcome.Warnings
			if !slices.EqualFunc(got, test.want, strings.Contains) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestUnreadable: metadata that does not fit its type is rejected before anything
// else is asked.
func TestUnreadable(t *testing.T) {
	const embedded = `{type: object, properties: {inner: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}`
	for name, test := range map[string]struct{ object, want string }{
		"of an embedded object": {widget("{inner: {apiVersion: v1, kind: ConfigMap, metadata: {name: 5}}}", ""), `Widget in version "v1" cannot be handled as a Widget: spec.inner.metadata: Invalid value: `},
		"one that fits":         {widget("{inner: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}", ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := sent(t, "1.36", embedded, test.object, "").Outcome
			if test.want == "" {
				if !o.Allowed {
					t.Error(o.Message)
				}
			} else if o.Code != 400 || !strings.HasPrefix(o.Message, test.want) {
				t.Errorf("got %d %s", o.Code, o.Message)
			}
		})
	}
}

// TestGeneration: it counts every change but those of the metadata.
func TestGeneration(t *testing.T) {
	const anything = `{type: object, x-kubernetes-preserve-unknown-fields: true}`
	old := strings.TrimSuffix(widget("{a: 1}", ""), "}") + ", status: {b: 1}}"
	for name, test := range map[string]struct {
		object string
		want   int64
	}{
		"the same":     {old, 4},
		"a label":      {strings.Replace(old, "generation: 4", "generation: 4, labels: {a: b}", 1), 4},
		"the spec":     {strings.Replace(old, "a: 1", "a: 2", 1), 5},
		"the status":   {strings.Replace(old, "b: 1", "b: 2", 1), 5}, // which is no subresource
		"given by one": {strings.Replace(old, "generation: 4", "generation: 9", 1), 4},
	} {
		t.Run(name, func(t *testing.T) {
			r := sent(t, "1.36", anything, test.object, old)
			metadata, _ := r.Object["metadata"].(map[string]any)
			if got := metadata["generation"]; got != test.want {
				t.Errorf("%s: got %v, want %d", r.Outcome.Message, got, test.want)
			}
		})
	}
}
