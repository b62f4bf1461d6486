package growth

import (
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

const bounded = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: bounded}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  variables:
  - {name: replicas, expression: object.spec.replicas}
  - {name: unused, expression: object.spec.paused}
  validations:
  - {expression: variables.replicas <= 5, messageExpression: "'not ' + object.metadata.name"}
  - {expression: "object.spec.template.spec.containers.all(c, object.spec.template.spec.containers.all(d, c.image.contains(d.image)))"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: refused}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  validations:
  - {expression: this is no CEL}
`

// TestWorst needs no request, leaves out what the server rejects, and counts a variable
// once in the budget of those that read it, and not at all when none does.
func TestWorst(t *testing.T) {
	c, _ := engine.Compile(scenario.Scenario{Policies: bounded, Kubernetes: "1.37"})
	list := Worst(c)
	var got []string
	byPath := map[string]Bound{}
	for _, b := range list {
		got = append(got, b.Path)
		byPath[b.Path] = b
		if b.Document != "ValidatingAdmissionPolicy/bounded" || b.Kind != "Deployment" {
			t.Errorf("%+v", b)
		}
	}
	if len(list) != 6 {
		t.Fatalf("%q", got)
	}
	cheap, message := byPath["spec.validations[0].expression"], byPath["spec.validations[0].messageExpression"]
	// variables, .replicas, <=, and the variable: object, .spec, .replicas
	if cheap.Max != 3 || !cheap.Cannot || byPath["spec.variables[0].expression"].Max != 3 {
		t.Errorf("%+v", cheap)
	}
	if message.Max < 1000 || message.Limit != 1_000_000 {
		t.Errorf("%+v", message)
	}
	if b := byPath["spec.validations[1].expression"]; b.Cannot || b.Max >= 0 && b.Max <= b.Limit {
		t.Errorf("%+v", b)
	}
	if b := byPath["spec.validations"]; b.Scope != report.ValidationsScope || b.Limit != 10_000_000 || b.Cannot {
		t.Errorf("%+v", b)
	}
	few := `{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: few}, spec: {
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]},
  variables: [{name: a, expression: object.spec.replicas}, {name: b, expression: variables.a + 1}, {name: unused, expression: object.spec}],
  validations: [{expression: variables.b < 3}, {expression: variables.b < 4 || variables.a == 1}]}}`
	c, _ = engine.Compile(scenario.Scenario{Policies: few, Kubernetes: "1.37"})
	var sum, budget int64
	for _, b := range Worst(c) {
		switch {
		case b.Scope == report.ValidationsScope:
			budget = b.Max
		case b.Name != "unused":
			sum += b.Max
		}
	}
	if sum == 0 || budget != sum {
		t.Errorf("together %d, the parts %d", budget, sum)
	}
}

// TestWorstOfRules is the server's estimate of the rules of a definition: each by itself
// and all of the schema together.
func TestWorstOfRules(t *testing.T) {
	c, problems := engine.Compile(scenario.Scenario{Kubernetes: "1.37", Cluster: `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: limits.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: limits, singular: limit, kind: Limit, listKind: LimitList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-validations: [{rule: "!has(self.max) || self.max > 0"}]
        properties:
          max: {type: integer}
          names:
            type: array
            maxItems: 100
            items: {type: string, maxLength: 50, x-kubernetes-validations: [{rule: "self.matches('^[a-z]+$')"}]}
`})
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	list := Worst(c)
	if len(list) != 3 {
		t.Fatalf("%+v", list)
	}
	sum := int64(0)
	for _, b := range list[:2] {
		sum += b.Max
		if b.Scope != report.CallScope || b.Limit != 10_000_000 || !b.Cannot || b.Expression == "" || b.Kind != "Limit" {
			t.Errorf("%+v", b)
		}
	}
	if all := list[2]; all.Max != sum || all.Scope != report.RulesScope || all.Limit != 100_000_000 {
		t.Errorf("%+v, together %d", all, sum)
	}
}
