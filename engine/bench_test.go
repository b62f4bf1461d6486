package engine

import (
	"context"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

// BenchmarkEvaluate runs the vectors with a warm cache, as while a text is
// edited.
func BenchmarkEvaluate(b *testing.B) {
	for _, name := range []string{"mutate/m09-sidecar-merge.yaml", "validate/replica-limit.yaml", "webhooks/policy-then-webhook.yaml"} {
		b.Run(name, func(b *testing.B) {
			v := readVector(b, vectorsRoot+"/"+name)
			s := scenarioOf(b, v, v.Requests[0])
			for b.Loop() {
				if _, err := Evaluate(context.Background(), s, Everything()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkConfiguration is one request against a compiled configuration, the
// inner loop of a program that has many: three policies and a small Deployment,
// without built-in plugins. Its figures are in docs/architecture.md.
func BenchmarkConfiguration(b *testing.B) {
	cfg, problems := Compile(scenario.Scenario{Policies: benchPolicies, Options: scenario.Options{Plugins: scenario.Exactly()}})
	if err := problems.Err(); err != nil {
		b.Fatal(err)
	}
	for _, run := range []struct {
		name    string
		options Options
	}{{"answer", Options{}}, {"everything", Everything()}} {
		b.Run(run.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := cfg.Evaluate(context.Background(), Text(benchDeployment), run.options)
				if err != nil {
					b.Fatal(err)
				}
				// The mutating policy has a step in each of two passes.
				if !r.Outcome.Allowed || len(r.Steps) != 4 || len(r.Steps[0].Diff) == 0 {
					b.Fatalf("the benchmark measures something else: %d steps, %+v", len(r.Steps), r.Outcome)
				}
			}
		})
	}
}

const benchPolicies = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: team-label}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: "Object{metadata: Object.metadata{labels: {'team': request.namespace}}}"
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: team-label}
spec: {policyName: team-label}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replica-limit}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}
  validations:
  - expression: object.spec.replicas <= 5
    messageExpression: "'at most 5 replicas, not ' + string(object.spec.replicas)"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: replica-limit}
spec: {policyName: replica-limit, validationActions: [Deny]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: images}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}
  variables:
  - {name: containers, expression: object.spec.template.spec.containers}
  validations:
  - expression: variables.containers.all(c, !c.image.endsWith(':latest'))
  - expression: variables.containers.all(c, has(c.resources) && has(c.resources.limits))
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: images}
spec: {policyName: images, validationActions: [Deny]}
`

const benchDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: example.com/web:1
        resources: {limits: {memory: 64Mi}}
`
