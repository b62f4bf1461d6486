package expect_test

import (
	"context"
	"fmt"
	"log"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/scenario"
)

// A test of policies in Go compares the report with what is expected, as preadmit test does.
func ExampleCompare() {
	expected, err := expect.Parse([]byte("outcome: {allowed: true}\n"))
	if err != nil {
		log.Fatal(err) // a field that reports do not have
	}
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{
		Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: owned}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}
  validations:
  - expression: has(object.metadata.labels) && 'owner' in object.metadata.labels
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: owned}
spec: {policyName: owned, validationActions: [Deny]}
`,
		Request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}}",
	}, engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	differences, err := expect.Compare(expected, r)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range differences {
		fmt.Printf("%s is %s, not %s\n", d.Path, expect.Shown(d.Got), expect.Shown(d.Want))
	}
	// Output: outcome.allowed is false, not true
}
