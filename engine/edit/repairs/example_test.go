package repairs_test

import (
	"context"
	"fmt"
	"log"

	"github.com/preadmit/preadmit/engine/edit/repairs"
	"github.com/preadmit/preadmit/engine/scenario"
)

// All repairs what has one likely answer, and says what it did.
func ExampleAll() {
	r, err := repairs.All(context.Background(), scenario.Scenario{Policies: `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: no-latest}
spec: {policyNames: no-latest, validationActions: [Deny]}
`})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range r.Applied {
		fmt.Println(a.Document, a.Title)
	}
	fmt.Print(r.Scenario.Policies)
	// Output:
	// ValidatingAdmissionPolicyBinding/no-latest Change to policyName
	// apiVersion: admissionregistration.k8s.io/v1
	// kind: ValidatingAdmissionPolicyBinding
	// metadata: {name: no-latest}
	// spec: {policyName: no-latest, validationActions: [Deny]}
}
