package engine

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {a: {FIELD}}}}}]
status: {storedVersions: [v7]}
`

// storedPolicy admits definitions whose stored versions are known to it.
const storedPolicy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: stored}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apiextensions.k8s.io], apiVersions: [v1], operations: [CREATE], resources: [customresourcedefinitions]}]}
  validations: [{expression: "object.?status.?storedVersions.orValue([]) == ['v1']"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: stored}
spec: {policyName: stored, validationActions: [Deny]}
`

// TestDefinitionCreated: a definition in the request is checked before the
// validating policies, which see the stored versions.
func TestDefinitionCreated(t *testing.T) {
	for _, test := range []struct {
		name, field string
		code        int
		message     string
		causeFields []string
		warnings    []string
	}{
		{"valid", "type: string", 201, "", nil, nil},
		{"warned about", "type: string, format: ip", 201, "", nil, []string{`unrecognized format "ip"`}},
		{"not structural", "maxLength: 5", 422,
			`CustomResourceDefinition.apiextensions.k8s.io "widgets.example.com" is invalid: spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields`,
			[]string{"spec.validation.openAPIV3Schema.properties[a].type"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			request := strings.Replace(widgets, "FIELD", test.field, 1)
			r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.36", Policies: storedPolicy, Request: request}, Everything())
			if err != nil {
				t.Fatal(err)
			}
			o := r.Outcome
			if o.Code != test.code || o.Message != test.message || !reflect.DeepEqual(o.Warnings, test.warnings) {
				t.Errorf("got %d %q %q", o.Code, o.Message, o.Warnings)
			}
			if got := fields(o.CauseFields); !reflect.DeepEqual(sorted(got), sorted(test.causeFields)) {
				t.Errorf("fields of causes: %q", got)
			}
			if step := r.Steps[len(r.Steps)-1]; test.code != 201 && (step.Kind != crd.Kind || step.Verdict != report.Deny) {
				t.Errorf("the last step is %s, %s", step.Kind, step.Verdict)
			}
		})
	}
}

// TestInvalidInCluster: what the server refuses to create does not exist.
func TestInvalidInCluster(t *testing.T) {
	const binding = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: a}
spec:
  paramKind: {apiVersion: example.com/v1, kind: Widget}
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [secrets]}]}
  validations: [{expression: "params.a == 'x'"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: a}
spec: {policyName: a, validationActions: [Deny], paramRef: {name: w, namespace: default, parameterNotFoundAction: Deny}}
`
	definition := strings.Replace(widgets, "FIELD", "type: string, maxLength: 1", 1)
	for value, allowed := range map[string]bool{"x": true, "long": false} {
		r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.36", Policies: binding,
			Cluster: definition + "---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: default}\na: " + value + "\n",
			Request: "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}}"}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome.Allowed != allowed {
			t.Errorf("%s: %+v", value, r.Outcome)
		}
		if found := len(r.Diagnostics) > 0; found == allowed {
			t.Errorf("%s: diagnostics %v", value, r.Diagnostics)
		}
	}
}

// TestDefinitionUpdated: a definition that replaces another is checked, and what
// older servers accepted may stay.
func TestDefinitionUpdated(t *testing.T) {
	const head = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.com", "resourceVersion": "1", "uid": "a"}, "spec": {"group": "example.com", "scope": "SCOPE",
 "names": {"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget"}, "versions": [{"name": "NAME", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "description": "D",
 "properties": {"a": {"type": "array", "items": {"type": "string", "maxLength": 5}, "maxItems": 2000, "x-kubernetes-validations": [{"rule": "self.all(x, self.exists(y, y == x))"}]}}}}}]},
 "status": {"acceptedNames": {"kind": "Widget", "plural": "widgets"}, "storedVersions": ["v1"], "conditions": [{"type": "Established", "status": "True", "reason": "r", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}`
	made := func(changes ...string) string {
		return strings.NewReplacer(append(changes, "SCOPE", "Namespaced", "NAME", "v1", "D\",", "d\",")...).Replace(head)
	}
	const schema = "spec.validation.openAPIV3Schema"
	for name, test := range map[string]struct {
		object string
		fields []string
	}{
		"the same, with a rule that costs too much":      {made(), nil},
		"that rule in a schema with another description": {made("D\",", "other\","), []string{schema + ".properties[a].x-kubernetes-validations[0].rule"}},
		"scope":          {made("SCOPE", "Cluster"), []string{"spec.scope"}},
		"stored version": {made("NAME", "v2"), []string{"status.storedVersions[0]"}},
	} {
		t.Run(name, func(t *testing.T) {
			request := `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1", "operation": "UPDATE", "name": "widgets.example.com",
 "kind": {"group": "apiextensions.k8s.io", "version": "v1", "kind": "CustomResourceDefinition"}, "resource": {"group": "apiextensions.k8s.io", "version": "v1", "resource": "customresourcedefinitions"},
 "userInfo": {"username": "jane"}, "object": ` + test.object + `, "oldObject": ` + made() + `}}`
			r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.36", Request: request}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var fields []string
			for _, field := range r.Outcome.CauseFields {
				fields = append(fields, *field)
			}
			if !reflect.DeepEqual(fields, test.fields) || r.Outcome.Allowed != (test.fields == nil) {
				t.Errorf("allowed %t, %q: %s", r.Outcome.Allowed, fields, r.Outcome.Message)
			}
		})
	}
}

// TestServerCrashes: at some expressions the server crashes, and answers 500 to the request
// that would store them, whatever else is wrong with it: also as configuration.
func TestServerCrashes(t *testing.T) {
	const answer = "This request caused apiserver to panic. Look in the logs for details."
	for name, rules := range map[string]string{
		"rule":    `{rule: "[?dyn(self)].size() > 0"}, {rule: nothing}`,
		"message": `{rule: "true", messageExpression: "string([?dyn(self)].size())"}`,
	} {
		object := strings.Replace(widgets, "FIELD", "type: string, maxLength: 5, x-kubernetes-validations: ["+rules+"]", 1)
		for place, s := range map[string]scenario.Scenario{"request": {Request: object}, "cluster": {Cluster: object, Request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}"}} {
			r, err := Evaluate(context.Background(), s, Everything())
			if err != nil {
				t.Fatal(err)
			}
			code, reason, message := r.Outcome.Code, r.Outcome.Reason, r.Outcome.Message
			if place == "cluster" {
				if len(r.Install) != 1 {
					t.Fatalf("%s in the %s: %+v", name, place, r.Install)
				}
				code, reason, message = r.Install[0].Code, r.Install[0].Reason, r.Install[0].Message
			}
			if code != 500 || reason != "InternalError" || message != answer {
				t.Errorf("%s in the %s: %d %s: %s", name, place, code, reason, message)
			}
			if len(r.Diagnostics) == 0 || !strings.HasPrefix(r.Diagnostics[0].Summary, "the API server crashes on this expression") || !strings.Contains(r.Diagnostics[0].Detail, "500: "+answer) {
				t.Errorf("%s in the %s: %q %q", name, place, r.Diagnostics, r.Diagnostics[0].Detail)
			}
		}
	}
	policy := strings.Replace(storedPolicy, "object.?status.?storedVersions.orValue([]) == ['v1']", "[?object.a].size() == 0", 1)
	policy = strings.Replace(policy, "{name: stored}\nspec:\n", "{name: UPPER}\nspec:\n", 1)
	r, err := Evaluate(context.Background(), scenario.Scenario{Policies: policy, Request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Install) == 0 || r.Install[0].Code != 500 || r.Install[0].Message != answer || len(r.Install[0].Warnings) > 0 {
		t.Errorf("policy: %+v", r.Install)
	}
}

// TestRefusedScope: a definition that the server rejects still says which scope its kind has.
func TestRefusedScope(t *testing.T) {
	for scope, want := range map[string]string{"Cluster": "", "Namespaced": "default"} {
		definition := strings.NewReplacer("FIELD", "type: objct", "Namespaced", scope, "plural: widgets", "plural: widgetry", "widgets.example", "widgetry.example").Replace(widgets)
		r, err := Evaluate(context.Background(), scenario.Scenario{Cluster: definition, Request: "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}}"}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Request.Namespace != want || !strings.Contains(r.Request.Resource, "widgetry") || r.Outcome.State != report.StatePolicyRefused {
			t.Errorf("%s: %+v, %s", scope, r.Request, r.Outcome.State)
		}
	}
}

// TestSharedPlaces: what the server names once for all versions is found in the first of them.
func TestSharedPlaces(t *testing.T) {
	text := strings.Replace(strings.Replace(widgets, "FIELD", "type: string", 1), "storage: true,", `storage: true, selectableFields: [{jsonPath: ".b"}], additionalPrinterColumns: [{name: A, type: none, jsonPath: ".a"}],`, 1)
	r, err := Evaluate(context.Background(), scenario.Scenario{Cluster: text}, Everything())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range r.Diagnostics.Errors() {
		got = append(got, text[d.Span.Start:d.Span.End])
	}
	if want := []string{`".b"`, "none"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q: %v", got, want, r.Diagnostics)
	}
}
