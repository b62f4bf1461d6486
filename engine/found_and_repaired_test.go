package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
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
		"Service that is missing":    {policies: none, request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", complete: true, code: 500, fix: "Add Service gone/gone, if it exists"},
		"Service that may be there":  {policies: none, request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", code: 201},
		"removed version":            {request: "{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: a}}", code: 404, fix: "Change to policy/v1"},
		"kind of a definition":       {request: foo, code: 201},
		"subresource that is not on": {cluster: foos("", "{type: object}"), request: foo, sub: "status", code: 404, fix: "Add the subresource status"},
		"fields of a closed object":  {cluster: foos("", "{type: object, properties: {a: {type: object}}}"), request: foo, code: 201, fix: "Add x-kubernetes-preserve-unknown-fields: true to spec.a in the definition"},
		"unreadable certificates":    {cluster: foos("  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {caBundle: aGVsbG8=, url: 'https://a.example'}}}\n", "{type: object}"), request: foo, code: 404, fix: "Remove caBundle"},
		"conversion without a strategy": {cluster: foos("  conversion: {webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://a.example'}}}\n", "{type: object}"),
			fix: "Set strategy: Webhook"},
		"types in branches":                 {cluster: foos("", "{anyOf: [{type: string}, {type: object, x-kubernetes-preserve-unknown-fields: true}]}"), fix: "Write x-kubernetes-preserve-unknown-fields: true in place of what the branches say"},
		"one type in branches":              {cluster: foos("", "{oneOf: [{type: string, maxLength: 3}, {type: string, minLength: 9}]}"), fix: "Write type: string in place of what the branches say"},
		"int or string":                     {cluster: foos("", "{anyOf: [{type: string}, {type: integer}]}"), fix: "Write x-kubernetes-int-or-string: true in place of what the branches say"},
		"type beside branches":              {cluster: foos("", "{type: object, anyOf: [{type: object, required: [a]}], properties: {a: {type: string}}}"), fix: "Remove the type from the branches"},
		"limits in allOf":                   {cluster: foos("", "{type: object, properties: {a: {type: array, maxItems: 100, items: {type: string, allOf: [{maxLength: 10}, {maxLength: 20}], x-kubernetes-validations: [{rule: self.contains('x')}]}}}}"), fix: "Add maxLength: 10 to spec.a[]"},
		"oldSelf as an optional":            {cluster: foos("", "{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: '!oldSelf.hasValue() || self == oldSelf.value()'}]}"), fix: "Add optionalOldSelf: true"},
		"default without a required field":  {cluster: foos("", "{type: object, properties: {a: {type: object, default: {c: d}, required: [b, c], properties: {b: {type: string, default: x}, c: {type: string}}}}}"), fix: "Add b: x to the default"},
		"default that cannot be complete":   {cluster: foos("", "{type: object, default: {}, required: [b], properties: {b: {type: string}}}"), fix: "Do not require b"},
		"keys of a list's items":            {cluster: foos("", "{type: object, properties: {a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b, c], items: {type: object, required: [d], properties: {b: {type: string}, c: {type: string}, d: {type: string}}}}}}"), fix: "Require b and c"},
		"unknown fields as in v1beta1":      {cluster: foos("  preserveUnknownFields: true\n", "{type: object}"), fix: "Keep unknown fields by each version's schema instead"},
		"list that is too long":             {cluster: foos("", "{type: object, properties: {a: {type: array, maxItems: 1, items: {type: string}}}}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: [b, c]}}", code: 422, fix: "Allow 2 items in the definition"},
		"text with a space":                 {cluster: foos("", "{type: object, properties: {a: {type: string, pattern: '^[0-9]+s$'}}}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: 30 s}}", code: 422, fix: "Change to 30s"},
		"list in place of an object":        {cluster: foos("", "{type: object, properties: {a: {type: object, properties: {b: {type: string}}}}}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: [{b: c}]}}", code: 422, fix: "Write an object, not a list"},
		"text in place of a list":           {cluster: foos("", "{type: object, properties: {a: {type: array, items: {type: string}}}}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: b}}", code: 422, fix: "Write a list"},
		"number in place of a text":         {cluster: foos("", "{type: object, properties: {a: {type: string}}}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: 80}}", code: 422, fix: "Put it in quotes"},
		"text in place of a number":         {cluster: foos("", "{type: object, properties: {a: {type: integer}}}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: '80'}}", code: 422, fix: "Write it without quotes"},
		"number above its maximum":          {cluster: foos("", "{type: object, properties: {a: {type: integer, maximum: 9}}}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: 80}}", code: 422, fix: "Change to 9"},
		"text that is too long for a field": {cluster: foos("", "{type: object, properties: {a: {type: string, maxLength: 9}}}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: long-enough}}", code: 422, fix: "Change to long"},
		"required field of few values":      {cluster: foos("", "{type: object, required: [a], properties: {a: {type: string, enum: [p, q]}}}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {}}", code: 422, fix: "Add a: q"},
		"required field":                    {cluster: foos("", "{type: object, required: [a], properties: {a: {type: integer}}}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {}}", code: 422, fix: "Add a"},
		"field of another branch":           {cluster: foos("", "{type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: x, b: y}}", code: 422, fix: "Remove b"},
		"half of a branch":                  {cluster: foos("", "{type: object, properties: {a: {type: string}, b: {type: string}, c: {type: string}}, oneOf: [{required: [a], not: {anyOf: [{required: [b]}, {required: [c]}]}}, {required: [a, b, c]}]}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: x, b: y}}", code: 422, fix: "Add c"},
		"items of one key":                  {cluster: foos("", "{type: object, properties: {a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b], items: {type: object, required: [b, c], properties: {b: {type: string}, c: {type: string}}}}}}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: [{b: x, c: y}, {b: x, c: z}]}}", code: 422, fix: "Identify items also by c in the definition"},
		"description in branches":           {cluster: foos("", "{type: string, oneOf: [{type: string, description: d, enum: [a]}]}"), fix: "Remove the description and type from the branches"},
		"field of a volume's source":        {request: "{apiVersion: v1, kind: PersistentVolume, metadata: {name: a}, spec: {accessModes: [ReadWriteMany], capacity: {storage: 1Gi}, readOnly: true, nfs: {server: a, path: /b}}}", code: 201, fix: "Move readOnly into nfs"},
		"field of an older release":         {request: "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {topologyKeys: ['*'], ports: [{port: 80}]}}", code: 201, fix: "Remove topologyKeys"},
		"sizes behind a reserved word": {cluster: foos("", "{type: array, maxItems: 32, items: {type: object, properties: {namespace: {type: string, maxLength: 63}}}, x-kubernetes-validations: [{rule: 'self.all(a, self.all(b, !has(a.namespace) || !has(b.namespace) || a.namespace != b.namespace || a == b))'}]}"),
			fix: "Write self.all(a, self.all(b, !has(a.__namespace__) || !has(b.__namespace__) || a.__namespace__ != b.__namespace__ || a == b))"},
		"sizes of numbers or texts":      {cluster: foos("", "{type: array, maxItems: 100, items: {type: object, properties: {a: {x-kubernetes-int-or-string: true}}, x-kubernetes-validations: [{rule: \"string(self.a) == '1' || quantity(string(self.a)).isInteger()\"}]}}"), fix: "Add maxLength: 1024 to spec[].a"},
		"schema without anything":        {cluster: foos("", "{type: object, properties: {a: {}}}"), fix: "Add x-kubernetes-preserve-unknown-fields: true"},
		"metadata in a rule":             {cluster: strings.Replace(foos("", "{type: object}"), "openAPIV3Schema: {type: object, ", `openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: "self.metadata.namespace != 'x'"}], `, 1), fix: "Move the rule to a ValidatingAdmissionPolicy for new objects"},
		"set of objects":                 {cluster: foos("", "{type: object, properties: {a: {type: array, x-kubernetes-list-type: set, items: {type: object, properties: {b: {type: string}}}}}}"), fix: "Add x-kubernetes-map-type: atomic to the items"},
		"definition as in v1beta1":       {cluster: strings.Split(foos("", "{}"), "  versions:")[0] + "  version: v1\n  validation: {openAPIV3Schema: {properties: {spec: {type: object}}}}\n", fix: "Write it in spec.versions, as apiextensions.k8s.io/v1 has it"},
		"number of a named port":         {cluster: foos("", "{type: object, properties: {port: {type: string}}}") + "---\napiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: default}\nspec: {ports: [{name: web, port: 80}]}\n", request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f, namespace: default}, spec: {port: 80}}", code: 422, fix: "Change to web"},
		"null that is dropped":           {cluster: foos("", "{type: object, properties: {a: {type: object}}}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: null}}", code: 201, fix: "Add nullable: true to spec.a in the definition"},
		"default below a missing field":  {cluster: foos("", "{type: object, properties: {a: {type: object, required: [b], properties: {b: {type: boolean, default: true}}}}}"), request: "{apiVersion: ex.io/v1, kind: Foo, metadata: {name: f}, spec: {a: null}}", code: 201, fix: `Add default: {"b":true} to spec.a`},
		"field manager that is too long": {request: "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: u, kind: {version: v1, kind: ConfigMap}, resource: {version: v1, resource: configmaps}, name: a, namespace: default, operation: CREATE, options: {apiVersion: meta.k8s.io/v1, kind: CreateOptions, fieldManager: " + strings.Repeat("m", 130) + "}, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}}}", code: 422, fix: "Change to " + strings.Repeat("m", 128)},
		"side effects of long ago":       {policies: strings.Replace(hooks, "%s", "Unknown", 1), fix: "Change to NoneOnDryRun"},
		"group of Kubernetes":            {cluster: strings.ReplaceAll(foos("", "{type: object}"), "ex.io", "ex.k8s.io"), fix: "Say that nobody approved it"},
		"some side effects":              {policies: strings.Replace(hooks, "%s", "Some", 1), fix: "Change to None"},
		"advice that denies":             {policies: denyAll, request: labelledPod, code: 422, fix: "Change validationActions to [Warn, Audit]"},
		"map that is replaced":           {policies: strings.Replace(mutatingPods, "%s", "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a/b': 'c'}}]", 1), request: labelledPod, code: 201, fix: "Add its keys one by one where the object has metadata.labels"},
		"escaped key of a map":           {policies: strings.Replace(validatingPods, "%s", "object.metadata.labels.a__dash__b != 'c'", 1), request: labelledPod, code: 422, fix: "Write object.metadata.labels[?'a-b'].orValue('') != 'c'"},
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
				if titles = append(titles, f.Title); f.Title == c.fix {
					goneAfter(t, name, s, d, f)
				}
			}
		}
		if c.code != 0 && r.Outcome.Code != c.code || c.fix != "" && !slices.Contains(titles, c.fix) {
			t.Errorf("%s: %d %s %q", name, r.Outcome.Code, r.Outcome.Message, titles)
		}
	}
}

// goneAfter requires that a fix can be applied, and that its problem does not come back.
func goneAfter(t *testing.T, name string, s scenario.Scenario, of diag.Diagnostic, fix diag.Fix) {
	t.Helper()
	var err error
	for text, in := range map[diag.Text]*string{diag.Policies: &s.Policies, diag.Request: &s.Request, diag.Cluster: &s.Cluster} {
		if *in, err = fix.Apply(text, *in); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	r, err := engine.Evaluate(context.Background(), s, engine.Everything())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Diagnostics {
		if d.Code == of.Code && d.Summary == of.Summary && d.Path == of.Path || d.Severity == diag.Error && d.Code == codes.CRD && strings.Contains(d.Summary, "cannot be handled") {
			t.Errorf("%s: after %q: %s: %s", name, fix.Title, d.Path, d.Summary)
		}
	}
}
