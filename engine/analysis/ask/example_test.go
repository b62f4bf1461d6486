package ask_test

import (
	"context"
	"fmt"
	"log"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/ask"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Denied finds a request that a policy denies, to see whether it does what its author wants.
func ExampleDenied() {
	policies, problems := engine.Compile(scenario.Scenario{Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replica-limit}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
  - expression: object.spec.replicas <= 5
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: replica-limit}
spec: {policyName: replica-limit, validationActions: [Deny]}
`})
	if problems.HasErrors() {
		log.Fatal(problems)
	}
	answer, err := ask.Denied(context.Background(), policies, "replica-limit", 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(answer.Request)
	// Output:
	// apiVersion: apps/v1
	// kind: Deployment
	// metadata:
	//   name: example
	//   namespace: default
	// spec:
	//   replicas: 6
	//   selector:
	//     matchLabels:
	//       app: example
	//   template:
	//     metadata:
	//       labels:
	//         app: example
	//     spec:
	//       containers:
	//       - image: registry.example.com/app:1.0
	//         name: main
}
