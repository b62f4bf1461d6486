package customresource_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// gadgets is a definition with two versions that say much about their objects. Of the
// subresources v1 has both, v2 none.
const gadgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: %s
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}}
    schema: &schema
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {x-kubernetes-preserve-unknown-fields: true}
              size: {type: integer, maximum: 9}
              level: {type: string, maxLength: 9, enum: [a, b]}
              set: {type: array, maxItems: 9, x-kubernetes-list-type: set, items: {type: string, maxLength: 9}}
              map: {type: array, maxItems: 9, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: integer}}}}
              inner: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
            x-kubernetes-validations: [{rule: "!has(self.size) || self.size != 5", messageExpression: "has(self.level) ? 'not five, ' + self.level : 'not five'"}]
          status:
            type: object
            properties:
              replicas: {x-kubernetes-preserve-unknown-fields: true}
              selector: {x-kubernetes-preserve-unknown-fields: true}
              phase: {type: string, enum: [Up, Down]}
              set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
            x-kubernetes-validations: [{rule: "!has(self.phase) || self.phase != 'Down'"}]
  - {name: v2, served: true, storage: false, schema: *schema}
---
`

// gadget is an object with parts of its metadata and its fields.
func gadget(metadata, fields string) string {
	return "{apiVersion: example.com/v1, kind: Gadget, metadata: {" + metadata + "}" + fields + "}"
}

// checked is what the server says about an object of that definition: the step, the answer
// and its warnings, and what the rules cost.
func checked(t *testing.T, kubernetes, scope, sub, object, old string) string {
	t.Helper()
	return outcomeOf(t, kubernetes, fmt.Sprintf(gadgets, scope), "gadgets", sub, object, old)
}

// outcomeOf sends an object of a custom resource, or a definition.
func outcomeOf(t *testing.T, kubernetes, cluster, resource, sub, object, old string) string {
	t.Helper()
	group, version, kind := "example.com", "v1", "{group: example.com, version: v1, kind: Gadget}"
	switch {
	case sub == "scale":
		kind = "{group: autoscaling, version: v1, kind: Scale}"
	case strings.Contains(object, "example.com/v2"):
		version, kind = "v2", "{group: example.com, version: v2, kind: Gadget}"
	case resource == "customresourcedefinitions":
		group, kind = "apiextensions.k8s.io", "{group: apiextensions.k8s.io, version: v1, kind: CustomResourceDefinition}"
	}
	request := fmt.Sprintf("operation: CREATE\nkind: %s\nresource: {group: %s, version: %s, resource: %s}\nuserInfo: {username: jane}\nobject: %s\n", kind, group, version, resource, object)
	if old != "" {
		request = strings.Replace(request, "CREATE", "UPDATE", 1) + "oldObject: " + old + "\n"
	}
	if sub != "" {
		request += "subResource: " + sub + "\nname: g\n"
	}
	if strings.Contains(object, "namespace: shop") {
		request += "namespace: shop\n"
	}
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{Kubernetes: kubernetes, Request: request, Cluster: cluster, Options: scenario.Options{Plugins: scenario.Exactly()}}, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range r.Steps {
		line := fmt.Sprintf("%s %s: %s", s.Status, s.Verdict, s.Reason)
		for _, m := range s.Messages {
			line += "\n- " + m
		}
		for _, w := range s.Warnings {
			line += "\n- warning: " + w
		}
		lines = append(lines, line)
	}
	for _, b := range r.Budgets {
		lines = append(lines, fmt.Sprintf("%s: %d of %d", b.Scope, b.Used, b.Limit))
	}
	if !r.Outcome.Allowed {
		lines = append(lines, fmt.Sprintf("%d %s", r.Outcome.Code, r.Outcome.Message))
	}
	if warned := len(r.Outcome.Warnings); warned > 0 {
		lines = append(lines, fmt.Sprintf("%d warnings", warned))
	}
	for _, d := range r.Diagnostics {
		if d.Severity == "error" {
			lines = append(lines, d.Code+": "+d.Summary)
		}
	}
	return strings.Join(lines, "\n")
}

// TestChecks: in a create and an update metadata, schema, numbers of the scale, embedded
// objects and list types are asked, in this order, and then the rules, unless something
// makes them meaningless; an update finds fault with repeated items only where the old
// object has none (apiextensions-apiserver/pkg/registry/customresource: strategy.go, validator.go,
// status_strategy.go).
func TestChecks(t *testing.T) {
	const (
		in    = "name: g, namespace: shop, uid: u, resourceVersion: '7'"
		twice = ", spec: {set: [a, a]}"
		both  = ", spec: {map: [{k: a}, {k: a, v: 1}]}"
		done  = ", status: {set: [a, a]}"
	)
	for _, c := range []struct {
		name        string
		kubernetes  string // the newest if it is empty
		scope       string // Namespaced if it is empty
		sub         string
		object, old string
		want        string
	}{
		{name: "new", object: gadget(in, ", spec: {size: 3}"), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 5 of 10000000
call: 5 of 1000000`},
		{name: "new without anything", object: gadget(in, ""), want: `evaluated admit: The object fits the schema.
rules: 0 of 10000000`},
		{name: "new with another name", object: gadget("name: G_g, namespace: shop", ""), want: `evaluated deny: 1 error of the metadata.
- metadata.name: Invalid value: "G_g": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
rules: 0 of 10000000
422 Gadget.example.com "G_g" is invalid: metadata.name: Invalid value: "G_g": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`},
		{name: "new with a number that is too small", object: gadget(in, ", spec: {replicas: -1}"), want: `evaluated deny: 1 error of the schema, its rules hold.
- .spec.replicas: Invalid value: -1: should be a non-negative integer
rules: 2 of 10000000
call: 2 of 1000000
422 Gadget.example.com "g" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer`},
		{name: "new with a number that is a text", object: gadget(in, ", spec: {replicas: a}, status: {replicas: b}"), want: `evaluated deny: 1 error of the schema, its rules hold.
- .spec.replicas: Invalid value: 0: .spec.replicas accessor error: a is of the type string, expected int64
rules: 2 of 10000000
call: 2 of 1000000
422 Gadget.example.com "g" is invalid: .spec.replicas: Invalid value: 0: .spec.replicas accessor error: a is of the type string, expected int64`},
		{name: "new with a selector that is no text", object: gadget(in, ", status: {selector: 5, replicas: -2}"), want: `evaluated admit: The object fits the schema.
rules: 0 of 10000000`},
		{name: "new with repeated items", object: gadget(in, twice), want: `evaluated deny: 1 error of the schema, its rules hold.
- spec.set[1]: Duplicate value: "a"
rules: 2 of 10000000
call: 2 of 1000000
422 Gadget.example.com "g" is invalid: spec.set[1]: Duplicate value: "a"`},
		{name: "new with repeated keys", object: gadget(in, both), want: `evaluated deny: 1 error of the schema, its rules hold.
- spec.map[1]: Duplicate value: {"k":"a"}
rules: 2 of 10000000
call: 2 of 1000000
422 Gadget.example.com "g" is invalid: spec.map[1]: Duplicate value: {"k":"a"}`},
		{name: "new with an object that has no name", object: gadget(in, ", spec: {inner: {apiVersion: v1, kind: ConfigMap, metadata: {name: A_a}}}"), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 2 of 10000000
call: 2 of 1000000`},
		{name: "new with an object without a kind", object: gadget(in, ", spec: {inner: {metadata: {name: a}}}"), want: `evaluated deny: 2 errors of the schema; the rules were not run.
- spec.inner.apiVersion: Required value
- spec.inner.kind: Required value
- <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
422 Gadget.example.com "g" is invalid: [spec.inner.apiVersion: Required value, spec.inner.kind: Required value, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]`},
		{name: "new and refused by a rule", object: gadget(in, ", spec: {size: 5}"), want: `evaluated deny: The object fits the schema, 1 rule fails.
- spec: Invalid value: not five
rules: 6 of 10000000
call: 5 of 1000000
422 Gadget.example.com "g" is invalid: spec: Invalid value: not five`},
		{name: "new and refused by schema and rule", object: gadget(in, ", spec: {size: 5, replicas: -1}"), want: `evaluated deny: 1 error of the schema, 1 rule fails.
- .spec.replicas: Invalid value: -1: should be a non-negative integer
- spec: Invalid value: not five
rules: 6 of 10000000
call: 5 of 1000000
422 Gadget.example.com "g" is invalid: [.spec.replicas: Invalid value: -1: should be a non-negative integer, spec: Invalid value: not five]`},
		{name: "new and not asked by the rules", object: gadget(in, ", spec: {size: 5, level: c}"), want: `evaluated deny: 1 error of the schema; the rules were not run.
- spec.level: Unsupported value: "c": supported values: "a", "b"
- <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
422 Gadget.example.com "g" is invalid: [spec.level: Unsupported value: "c": supported values: "a", "b", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]`},
		{name: "new and too large", object: gadget(in, ", spec: {size: 10, set: [abcdefghij]}"), want: `evaluated deny: 2 errors of the schema; the rules were not run.
- spec.set[0]: Too long: may not be more than 9 bytes
- spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9
- <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
422 Gadget.example.com "g" is invalid: [spec.set[0]: Too long: may not be more than 9 bytes, spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]`},
		{name: "new with a finalizer", object: gadget(in+", finalizers: [mine]", ""), want: `evaluated admit: The object fits the schema.
- warning: metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers
rules: 0 of 10000000
1 warnings`},
		{name: "new with a finalizer and refused", object: gadget(in+", finalizers: [mine]", ", spec: {size: 5}"), want: `evaluated deny: The object fits the schema, 1 rule fails.
- spec: Invalid value: not five
rules: 6 of 10000000
call: 5 of 1000000
422 Gadget.example.com "g" is invalid: spec: Invalid value: not five`},
		{name: "of a cluster", scope: "Cluster", object: gadget("name: g", ", spec: {size: 5}"), want: `evaluated deny: The object fits the schema, 1 rule fails.
- spec: Invalid value: not five
rules: 6 of 10000000
call: 5 of 1000000
422 Gadget.example.com "g" is invalid: spec: Invalid value: not five`},

		{name: "changed", object: gadget(in, ", spec: {size: 3}"), old: gadget(in, ", spec: {size: 2}"), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 5 of 10000000
call: 5 of 1000000`},
		{name: "changed with another uid", object: gadget("name: g, namespace: shop, uid: w, resourceVersion: '7'", ""), old: gadget(in, ""), want: `evaluated deny: the object has another uid
409 Operation cannot be fulfilled on gadgets.example.com "g": StorageError: invalid object, Code: 4, Key: /example.com/gadgets/shop/g, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: w, UID in object meta: u`},
		{name: "changed with another label", object: gadget(in+", labels: {-a: b}", ""), old: gadget(in, ""), want: `evaluated deny: 1 error of the metadata.
- metadata.labels: Invalid value: "-a": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
- metadata.labels: Invalid value: "-a": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
- metadata.labels: Invalid value: "-a": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')
rules: 0 of 10000000
422 Gadget.example.com "g" is invalid: metadata.labels: Invalid value: "-a": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`},
		{name: "changed numbers", object: gadget(in, ", spec: {replicas: -1}, status: {replicas: -1}"), old: gadget(in, ""), want: `evaluated deny: 1 error of the schema, its rules hold.
- .spec.replicas: Invalid value: -1: should be a non-negative integer
rules: 2 of 10000000
call: 2 of 1000000
422 Gadget.example.com "g" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer`},
		{name: "changed to repeated items", object: gadget(in, twice), old: gadget(in, ""), want: `evaluated deny: 1 error of the schema, its rules hold.
- spec.set[1]: Duplicate value: "a"
rules: 2 of 10000000
call: 2 of 1000000
422 Gadget.example.com "g" is invalid: spec.set[1]: Duplicate value: "a"`},
		{name: "repeated before", object: gadget(in+", labels: {a: b}", twice), old: gadget(in, twice), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 2 of 10000000
call: 2 of 1000000`},
		{name: "other items repeated before", object: gadget(in, both), old: gadget(in, twice), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 2 of 10000000
call: 2 of 1000000`},
		{name: "changed to an object without a kind", object: gadget(in, ", spec: {inner: {metadata: {name: a}}}"), old: gadget(in, ""), want: `evaluated deny: 2 errors of the schema; the rules were not run.
- spec.inner.apiVersion: Required value
- spec.inner.kind: Required value
- <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
422 Gadget.example.com "g" is invalid: [spec.inner.apiVersion: Required value, spec.inner.kind: Required value, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]`},
		{name: "what was wrong before", object: gadget(in+", labels: {a: b}", ", spec: {size: 10, level: c}"), old: gadget(in, ", spec: {size: 10, level: c}"), want: `evaluated admit: The schema rejects only values that stay as they were (spec.level, spec.size), its rules hold.
rules: 5 of 10000000
call: 5 of 1000000`},
		{name: "a rule that was broken before", object: gadget(in+", labels: {a: b}", ", spec: {size: 5}"), old: gadget(in, ", spec: {size: 5}"), want: `evaluated admit: The object fits the schema, 1 rule fails on unchanged parts.
- warning: spec: Invalid value: not five
rules: 6 of 10000000
call: 5 of 1000000
1 warnings`},
		{name: "changed to what a rule refuses", object: gadget(in, ", spec: {size: 5}"), old: gadget(in, ", spec: {size: 6}"), want: `evaluated deny: The object fits the schema, 1 rule fails.
- spec: Invalid value: not five
rules: 6 of 10000000
call: 5 of 1000000
422 Gadget.example.com "g" is invalid: spec: Invalid value: not five`},
		{name: "changed with a finalizer", object: gadget(in+", finalizers: [mine]", ""), old: gadget(in, ""), want: `evaluated admit: The object fits the schema.
- warning: metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers
rules: 0 of 10000000
1 warnings`},

		{name: "status", sub: "status", object: gadget(in, ", status: {phase: Up}"), old: gadget(in, ""), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 5 of 10000000
call: 5 of 1000000`},
		{name: "status with another value", sub: "status", object: gadget(in, ", status: {phase: Left}"), old: gadget(in, ""), want: `evaluated deny: 1 error of the schema; the rules were not run.
- status.phase: Unsupported value: "Left": supported values: "Up", "Down"
- <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
422 Gadget.example.com "g" is invalid: [status.phase: Unsupported value: "Left": supported values: "Up", "Down", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]`},
		{name: "status with a value that was there", sub: "status", object: gadget(in, ", status: {phase: Left, replicas: 1}"), old: gadget(in, ", status: {phase: Left}"), want: `evaluated admit: The schema rejects only values that stay as they were (status.phase), its rules hold.
rules: 5 of 10000000
call: 5 of 1000000`},
		{name: "status with a value that was there, before", kubernetes: "1.32", sub: "status", object: gadget(in, ", status: {phase: Left, replicas: 1}"), old: gadget(in, ", status: {phase: Left}"), want: `evaluated deny: 1 error of the schema; the rules were not run.
- status.phase: Unsupported value: "Left": supported values: "Up", "Down"
- <nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
422 Gadget.example.com "g" is invalid: [status.phase: Unsupported value: "Left": supported values: "Up", "Down", <nil>: Invalid value: "null": some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]`},
		{name: "status that a rule refuses", sub: "status", object: gadget(in, ", status: {phase: Down}"), old: gadget(in, ""), want: `evaluated deny: The object fits the schema, 1 rule fails.
- status: Invalid value: failed rule: !has(self.phase) || self.phase != 'Down'
rules: 5 of 10000000
call: 5 of 1000000
422 Gadget.example.com "g" is invalid: status: Invalid value: failed rule: !has(self.phase) || self.phase != 'Down'`},
		{name: "status that a rule refused before", sub: "status", object: gadget(in, ", status: {phase: Down}"), old: gadget(in, ", status: {phase: Down}"), want: `evaluated admit: The object fits the schema, 1 rule fails on unchanged parts.
- warning: status: Invalid value: failed rule: !has(self.phase) || self.phase != 'Down'
rules: 5 of 10000000
call: 5 of 1000000
1 warnings`},
		{name: "status that a rule refused before, in an older version", kubernetes: "1.32", sub: "status", object: gadget(in, ", status: {phase: Down}"), old: gadget(in, ", status: {phase: Down}"), want: `evaluated deny: The object fits the schema, 1 rule fails.
- status: Invalid value: "object": failed rule: !has(self.phase) || self.phase != 'Down'
rules: 5 of 10000000
call: 5 of 1000000
422 Gadget.example.com "g" is invalid: status: Invalid value: "object": failed rule: !has(self.phase) || self.phase != 'Down'`},
		{name: "status with repeated items", sub: "status", object: gadget(in, done), old: gadget(in, ""), want: `evaluated deny: 1 error of the schema, its rules hold.
- status.set[1]: Duplicate value: "a"
rules: 2 of 10000000
call: 2 of 1000000
422 Gadget.example.com "g" is invalid: status.set[1]: Duplicate value: "a"`},
		{name: "status with items that were repeated", sub: "status", object: gadget(in, done), old: gadget(in, done), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 2 of 10000000
call: 2 of 1000000`},
		{name: "status with numbers", sub: "status", object: gadget(in, ", spec: {replicas: -1}, status: {replicas: -1, selector: 5}"), old: gadget(in, ", spec: {replicas: -1}"), want: `evaluated deny: 2 errors of the schema, its rules hold.
- .status.replicas: Invalid value: -1: should be a non-negative integer
- .status.selector: Invalid value: "": .status.selector accessor error: 5 is of the type int64, expected string
rules: 4 of 10000000
call: 2 of 1000000
422 Gadget.example.com "g" is invalid: [.status.replicas: Invalid value: -1: should be a non-negative integer, .status.selector: Invalid value: "": .status.selector accessor error: 5 is of the type int64, expected string]`},
		{name: "status with another uid", sub: "status", object: gadget("name: g, namespace: shop, uid: w, resourceVersion: '7'", ""), old: gadget(in, ""), want: `evaluated deny: the object has another uid
409 Operation cannot be fulfilled on gadgets.example.com "g": StorageError: invalid object, Code: 4, Key: /example.com/gadgets/shop/g, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: w, UID in object meta: u`},
		{name: "status with a label", sub: "status", object: gadget(in+", labels: {-a: b}", ", status: {phase: Up}"), old: gadget(in, ""), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 5 of 10000000
call: 5 of 1000000`},
		{name: "status taken away", sub: "status", object: gadget(in, ""), old: gadget(in, ", status: {phase: Up}"), want: `evaluated admit: The object fits the schema.
rules: 0 of 10000000`},

		{name: "another version", object: strings.Replace(gadget(in, ", spec: {size: 5}"), "/v1", "/v2", 1), want: `evaluated deny: The object fits the schema, 1 rule fails.
- spec: Invalid value: not five
rules: 6 of 10000000
call: 5 of 1000000
422 Gadget.example.com "g" is invalid: spec: Invalid value: not five`},
		{name: "another version has no scale", object: strings.Replace(gadget(in, ", spec: {replicas: -1}"), "/v1", "/v2", 1), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 2 of 10000000
call: 2 of 1000000`},
	} {
		t.Run(c.name, func(t *testing.T) {
			scope := c.scope
			if scope == "" {
				scope = "Namespaced"
			}
			if got := checked(t, c.kubernetes, scope, c.sub, c.object, c.old); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestScalesOfUnknown: what is known of a custom resource that is in no text are the numbers and the
// selector of its Scale, under the paths of the definition; rules that need more say nothing.
func TestScalesOfUnknown(t *testing.T) {
	scale := func(name, more string) string {
		return "{apiVersion: autoscaling/v1, kind: Scale, metadata: {" + name + "namespace: shop, uid: u, resourceVersion: '7'}" + more + "}"
	}
	const unknown = "{x-kubernetes-preserve-unknown-fields: true}"
	typed := strings.ReplaceAll(strings.ReplaceAll(fmt.Sprintf(gadgets, "Namespaced"), " replicas: "+unknown, " replicas: {type: integer}"), " selector: "+unknown, " selector: {type: string, maxLength: 9}")
	of := func(rule string) string {
		return strings.Replace(typed, `x-kubernetes-validations: [{rule: "!has(self.size)`, `x-kubernetes-validations: [{rule: "`+rule+`", message: first}, {rule: "!has(self.size)`, 1)
	}
	whole := func(rule string) string {
		return strings.Replace(typed, "        type: object\n        properties:\n          spec:", "        type: object\n        x-kubernetes-validations: [{rule: \""+rule+"\", message: whole}]\n        properties:\n          spec:", 1)
	}
	required := strings.Replace(typed, "            type: object\n            properties:\n              replicas", "            type: object\n            required: [size]\n            properties:\n              replicas", 1)
	const two, five = ", spec: {replicas: 2}, status: {replicas: 2, selector: 'a=b'}", ", spec: {replicas: 5}, status: {replicas: 2, selector: 'a=b'}"
	for _, c := range []struct {
		name, cluster string
		object, old   string
		want          string
	}{
		{name: "numbers from before", cluster: of("oldSelf.replicas < self.replicas"), object: scale("name: g, ", five), old: scale("name: g, ", two), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 9 of 10000000
call: 5 of 1000000`},
		{name: "numbers from before that a rule wants", cluster: of("oldSelf.replicas == 3"), object: scale("name: g, ", five), old: scale("name: g, ", two), want: `evaluated deny: The object fits the schema, 1 rule fails.
- spec: Invalid value: first
rules: 7 of 10000000
call: 3 of 1000000
422 Gadget.example.com "g" is invalid: spec: Invalid value: first`},
		{name: "what a Scale does not have", cluster: of("self.size == 4"), object: scale("name: g, ", five), old: scale("name: g, ", two), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 7 of 10000000
call: 2 of 1000000`},
		{name: "a field that is required", cluster: required, object: scale("name: g, ", five), old: scale("name: g, ", two), want: `evaluated admit: The object fits the schema.
rules: 0 of 10000000`},
		{name: "a field that is required, and a number below zero", cluster: required, object: scale("name: g, ", ", spec: {replicas: -5}"), old: scale("name: g, ", two), want: `evaluated deny: 1 error of the schema; the rules were not run.
- .spec.replicas: Invalid value: -5: should be a non-negative integer
- <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
422 Gadget.example.com "g" is invalid: [.spec.replicas: Invalid value: -5: should be a non-negative integer, <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]`},
		{name: "numbers of the status", cluster: whole("has(self.status) && has(self.status.replicas) && self.status.replicas == 2"), object: scale("name: g, ", five), old: scale("name: g, ", two), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 11 of 10000000
call: 7 of 1000000`},
		{name: "the selector", cluster: whole("has(self.status) && has(self.status.selector) && self.status.selector == 'a=b'"), object: scale("name: g, ", five), old: scale("name: g, ", two), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 11 of 10000000
call: 7 of 1000000`},
		{name: "no selector", cluster: whole("!has(self.status) || !has(self.status.selector)"), object: scale("name: g, ", ", spec: {replicas: 5}, status: {replicas: 2}"), old: scale("name: g, ", ", spec: {replicas: 5}, status: {replicas: 2}"), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 9 of 10000000
call: 5 of 1000000`},
		{name: "a name from the request", cluster: whole("self.metadata.name == 'g'"), object: scale("", five), old: scale("", two), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 8 of 10000000
call: 4 of 1000000`},
		{name: "one of the cluster", cluster: of("oldSelf.replicas == 7 && self.size == 3") + gadget("name: g, namespace: shop, uid: u, resourceVersion: '7'", ", spec: {replicas: 7, size: 3}"), object: scale("name: g, ", five), old: scale("name: g, ", two), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 11 of 10000000
call: 6 of 1000000`},
		{name: "one of the cluster in another version", cluster: of("self.size == 3") + strings.Replace(gadget("name: g, namespace: shop, uid: u, resourceVersion: '7'", ", spec: {replicas: 7, size: 3}"), "/v1", "/v2", 1), object: scale("name: g, ", five), old: scale("name: g, ", two), want: `evaluated admit: The object fits the schema, its rules hold.
rules: 8 of 10000000
call: 5 of 1000000`},
		{name: "one of another Namespace", cluster: of("oldSelf.replicas == 7") + gadget("name: g, namespace: other, uid: u, resourceVersion: '7'", ", spec: {replicas: 7, size: 3}"), object: scale("name: g, ", five), old: scale("name: g, ", two), want: `evaluated deny: The object fits the schema, 1 rule fails.
- spec: Invalid value: first
rules: 7 of 10000000
call: 3 of 1000000
422 Gadget.example.com "g" is invalid: spec: Invalid value: first`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outcomeOf(t, "", c.cluster, "gadgets", "scale", c.object, c.old); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestDefinitions: a definition that is created or changed is checked by its rules, those that
// only a change breaks included, and the server warns of what it does not use
// (apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go).
func TestDefinitions(t *testing.T) {
	crd := func(name, more, schema string) string {
		return "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: " + name + ", resourceVersion: '3', uid: u}, spec: {group: example.com, scope: Namespaced, names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}" +
			more + ", versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object" + schema + "}}}]}}"
	}
	const name, open = "gadgets.example.com", ", x-kubernetes-preserve-unknown-fields: true"
	for _, c := range []struct {
		name        string
		object, old string
		want        string
	}{
		{name: "new", object: crd(name, "", open), want: "evaluated admit: The definition is valid."},
		{name: "new with another name", object: crd("other", "", open), want: `evaluated deny: 1 error of the definition.
- metadata.name: Invalid value: "other": must be spec.names.plural+"."+spec.group
422 CustomResourceDefinition.apiextensions.k8s.io "other" is invalid: metadata.name: Invalid value: "other": must be spec.names.plural+"."+spec.group`},
		{name: "new with two mistakes", object: crd("other", "", ", properties: {a: {type: other}}"), want: `evaluated deny: 2 errors of the definition.
- metadata.name: Invalid value: "other": must be spec.names.plural+"."+spec.group
- spec.validation.openAPIV3Schema.properties[a].type: Unsupported value: "other": supported values: "array", "boolean", "integer", "number", "object", "string"
422 CustomResourceDefinition.apiextensions.k8s.io "other" is invalid: [metadata.name: Invalid value: "other": must be spec.names.plural+"."+spec.group, spec.validation.openAPIV3Schema.properties[a].type: Unsupported value: "other": supported values: "array", "boolean", "integer", "number", "object", "string"]`},
		{name: "new with a format that nobody knows", object: crd(name, "", ", properties: {a: {type: string, format: other}}"), want: `evaluated admit: The definition is valid.
- warning: unrecognized format "other"
1 warnings`},
		{name: "new with a spec that cannot be read", object: strings.Replace(crd(name, "", open), "versions: [", "versions: [5, ", 1), want: `400 CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: json: cannot unmarshal number into Go struct field CustomResourceDefinitionSpec.spec.versions of type v1.CustomResourceDefinitionVersion
undecodable: a mapping is expected here, not 5`},
		{name: "the same", object: crd(name, "", open), old: crd(name, "", open), want: "evaluated admit: The definition is valid."},
		{name: "changed to another scope", object: strings.Replace(crd(name, "", open), "Namespaced", "Cluster", 1), old: crd(name, "", open), want: "evaluated admit: The definition is valid."},
		{name: "an established one changed to another scope", object: strings.Replace(crd(name, "", open), "Namespaced", "Cluster", 1), old: strings.TrimSuffix(crd(name, "", open), "}") + ", status: {conditions: [{type: Established, status: 'True'}]}}", want: `evaluated deny: 1 error of the definition.
- spec.scope: Invalid value: "Cluster": field is immutable
422 CustomResourceDefinition.apiextensions.k8s.io "gadgets.example.com" is invalid: spec.scope: Invalid value: "Cluster": field is immutable`},
		{name: "changed to a rule that costs too much", object: crd(name, "", `, properties: {a: {type: array, items: {type: string, x-kubernetes-validations: [{rule: 'self.matches("a*")'}]}}}`), old: crd(name, "", open), want: `evaluated deny: 3 errors of the definition.
- spec.validation.openAPIV3Schema.properties[a].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)
- spec.validation.openAPIV3Schema.properties[a].items.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema
- spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)
422 CustomResourceDefinition.apiextensions.k8s.io "gadgets.example.com" is invalid: [spec.validation.openAPIV3Schema.properties[a].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared), spec.validation.openAPIV3Schema.properties[a].items.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema, spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)]`},
		{name: "a rule that cost too much before", object: crd(name, "", `, properties: {b: {type: string}, a: {type: array, items: {type: string, x-kubernetes-validations: [{rule: 'self.matches("a*")'}]}}}`),
			old: crd(name, "", `, properties: {a: {type: array, items: {type: string, x-kubernetes-validations: [{rule: 'self.matches("a*")'}]}}}`), want: `evaluated deny: 3 errors of the definition.
- spec.validation.openAPIV3Schema.properties[a].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)
- spec.validation.openAPIV3Schema.properties[a].items.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema
- spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)
422 CustomResourceDefinition.apiextensions.k8s.io "gadgets.example.com" is invalid: [spec.validation.openAPIV3Schema.properties[a].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared), spec.validation.openAPIV3Schema.properties[a].items.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema, spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)]`},
		{name: "a format that was there before", object: crd(name, "", ", properties: {a: {type: string, format: other}}"), old: crd(name, "", ", properties: {a: {type: string, format: other}}"), want: "evaluated admit: The definition is valid."},
		{name: "a stored version taken away", object: strings.Replace(crd(name, "", open), "name: v1", "name: v2", 1), old: strings.TrimSuffix(crd(name, "", open), "}") + ", status: {storedVersions: [v1]}}", want: `evaluated deny: 1 error of the definition.
- status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions
422 CustomResourceDefinition.apiextensions.k8s.io "gadgets.example.com" is invalid: status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := outcomeOf(t, "", "", "customresourcedefinitions", "", c.object, c.old); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
