package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Evaluate says what the API server answers, and why.
func ExampleEvaluate() {
	s := scenario.Scenario{
		Kubernetes: "1.36",
		Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replica-limit}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
  - expression: object.spec.replicas <= 5
    messageExpression: "'at most 5 replicas, not ' + string(object.spec.replicas)"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: replica-limit}
spec: {policyName: replica-limit, validationActions: [Deny]}
`,
		Request: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 8
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'example.com/web:1'}]}
`,
	}

	r, err := engine.Evaluate(context.Background(), s, engine.Everything())
	if err != nil {
		log.Fatal(err) // a version that is not known, or a context that ended
	}
	for _, d := range r.Diagnostics { // what is wrong with the texts
		fmt.Printf("%s:%d:%d: %s: %s\n", d.Text, d.Line, d.Column, d.Severity, d.Summary)
	}
	fmt.Println(r.Outcome.Allowed, r.Outcome.Code, r.Outcome.Message)
	for _, step := range r.Steps {
		fmt.Println(step.Kind, step.Policy, step.Status)
		for _, v := range step.Validations {
			fmt.Printf("  %v, cost %d: %s\n", v.Result, v.Cost, v.Expression)
		}
	}
	// Output:
	// false 422 deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'replica-limit' with binding 'replica-limit' denied request: at most 5 replicas, not 8
	// ValidatingAdmissionPolicy replica-limit evaluated
	//   false, cost 4: object.spec.replicas <= 5
}
