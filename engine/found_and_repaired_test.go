package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// foos is a definition, with what its spec and the schema of its objects' spec are.
func foos(spec, schema string) string {
	return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: foos.ex.io}\nspec:\n  group: ex.io\n  scope: Namespaced\n  names: {plural: foos, kind: Foo}\n" + spec +
		"  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object, properties: {spec: " + schema + "}}}\n"
}

const hooks = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: left}
webhooks:
- name: left.example.com
  clientConfig: {service: {name: gone, namespace: gone}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  admissionReviewVersions: [v1]
  sideEffects: %s
`

// TestFoundAndRepaired: the answer to a request, and what repairs the mistake behind it.
func TestFoundAndRepaired(t *testing.T) {
	const foo = "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: {b: c}}}"
	none := strings.Replace(hooks, "%s", "None", 1)
	denyAll := strings.Replace(strings.Replace(validatingPods, "%s", "object.kind == 'Other'", 1), "spec:\n", "spec:\n  failurePolicy: Ignore\n", 1)
	for name, c := range map[string]struct {
		policies, cluster, request string
		sub                        string
		complete                   bool
		code                       int
		fix                        string
	}{
		"Service that is missing":    {policies: none, request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", complete: true, code: 500},
		"Service that may be there":  {policies: none, request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", code: 201},
		"removed version":            {request: "{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: a}}", code: 404, fix: "Change to policy/v1"},
		"kind of a definition":       {request: foo, code: 201},
		"subresource that is not on": {cluster: foos("", "{type: object}"), request: foo, sub: "status", code: 404, fix: "Add the subresource status"},
		"fields of a closed object":  {cluster: foos("", "{type: object, properties: {a: {type: object}}}"), request: foo, code: 201, fix: "Add x-kubernetes-preserve-unknown-fields: true to spec.a in the definition"},
		"unreadable certificates":    {cluster: foos("  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {caBundle: aGVsbG8=, url: 'https://a.example'}}}\n", "{type: object}"), request: foo, code: 404, fix: "Remove caBundle"},
		"conversion without a strategy": {cluster: foos("  conversion: {webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://a.example'}}}\n", "{type: object}"),
			fix: "Set strategy: Webhook"},
		"types in branches":                {cluster: foos("", "{anyOf: [{type: string}, {type: object, x-kubernetes-preserve-unknown-fields: true}]}"), fix: "Write x-kubernetes-preserve-unknown-fields: true in place of what the branches say"},
		"one type in branches":             {cluster: foos("", "{oneOf: [{type: string, maxLength: 3}, {type: string, minLength: 9}]}"), fix: "Write type: string in place of what the branches say"},
		"int or string":                    {cluster: foos("", "{anyOf: [{type: string}, {type: integer}]}"), fix: "Write x-kubernetes-int-or-string: true in place of what the branches say"},
		"type beside branches":             {cluster: foos("", "{type: object, anyOf: [{type: object, required: [a]}], properties: {a: {type: string}}}"), fix: "Remove the type from the branches"},
		"limits in allOf":                  {cluster: foos("", "{type: object, properties: {a: {type: array, maxItems: 100, items: {type: string, allOf: [{maxLength: 10}, {maxLength: 20}], x-kubernetes-validations: [{rule: self.contains('x')}]}}}}"), fix: "Add maxLength: 10 to spec.a[]"},
		"oldSelf as an optional":           {cluster: foos("", "{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: '!oldSelf.hasValue() || self == oldSelf.value()'}]}"), fix: "Add optionalOldSelf: true"},
		"default without a required field": {cluster: foos("", "{type: object, properties: {a: {type: object, default: {c: d}, required: [b, c], properties: {b: {type: string, default: x}, c: {type: string}}}}}"), fix: "Add b: x to the default"},
		"default that cannot be complete":  {cluster: foos("", "{type: object, default: {}, required: [b], properties: {b: {type: string}}}"), fix: "Do not require b"},
		"keys of a list's items":           {cluster: foos("", "{type: object, properties: {a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b, c], items: {type: object, required: [d], properties: {b: {type: string}, c: {type: string}, d: {type: string}}}}}}"), fix: "Require b and c"},
		"unknown fields as in v1beta1":     {cluster: foos("  preserveUnknownFields: true\n", "{type: object}"), fix: "Keep unknown fields by each version's schema instead"},
		"some side effects":                {policies: strings.Replace(hooks, "%s", "Some", 1), fix: "Change to None"},
		"advice that denies":               {policies: denyAll, request: labelledPod, code: 422, fix: "Change validationActions to [Warn, Audit]"},
		"map that is replaced":             {policies: strings.Replace(mutatingPods, "%s", "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a/b': 'c'}}]", 1), request: labelledPod, code: 201, fix: "Add its keys one by one where the object has metadata.labels"},
		"escaped key of a map":             {policies: strings.Replace(validatingPods, "%s", "object.metadata.labels.a__dash__b != 'c'", 1), request: labelledPod, code: 422, fix: "Write object.metadata.labels[?'a-b'].orValue('') != 'c'"},
		"deletions have no object": {policies: strings.Replace(strings.Replace(validatingPods, "%s", "object.metadata.name != 'x'", 1), "[CREATE, UPDATE]", "['*']", 1),
			request: "{operation: DELETE, oldObject: {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}}}", code: 422, fix: "Match only CREATE and UPDATE"},
	} {
		s := scenario.Scenario{Policies: c.policies, Cluster: c.cluster, Request: c.request}
		s.Options.CompleteCluster = c.complete
		if c.sub != "" {
			s.Options.Request = &scenario.RequestSettings{SubResource: c.sub}
		}
		r, err := engine.Evaluate(context.Background(), s, engine.Everything())
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, d := range r.Diagnostics {
			for _, f := range d.Fixes {
				titles = append(titles, f.Title)
			}
		}
		if c.code != 0 && r.Outcome.Code != c.code || c.fix != "" && !slices.Contains(titles, c.fix) {
			t.Errorf("%s: %d %s %q", name, r.Outcome.Code, r.Outcome.Message, titles)
		}
	}
}
