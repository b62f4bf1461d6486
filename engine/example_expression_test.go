package engine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// One CEL expression is evaluated for a request, as if it were in a policy: its context says
// where, which decides what it may read.
func ExampleEvaluate_expression() {
	r, err := engine.Evaluate(context.Background(), scenario.Scenario{
		Request:           "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: web, image: 'example.com/web:1'}]}}",
		Expression:        "object.spec.containers.map(c, c.image)",
		ExpressionContext: scenario.ValidationContext,
	}, engine.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Expression.Result, r.Expression.Type, r.Expression.Cost)
	// Output: [example.com/web:1] list 18
}

// Policies are checked without a request, as the server does when they are created.
func ExampleCompile_check() {
	_, problems := engine.Compile(scenario.Scenario{Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-latest}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  validations:
  - expression: object.spec.containers.all(c, !c.images.endsWith(':latest'))
`}, engine.Kubernetes("1.36"))
	for _, d := range problems {
		fmt.Println(d.Line, d.Severity, d.Code, d.Summary)
	}
	// Output:
	// 4 warning policy-without-binding no binding names this policy, so it is never evaluated
	// 10 warning type-checking undefined field 'images'
}
