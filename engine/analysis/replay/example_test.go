package replay_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Captured AdmissionReviews, or events of the audit log, run through policies; the summary counts
// what the policies did.
func ExampleRun() {
	policies := scenario.Scenario{Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replica-limit}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
  - {expression: object.spec.replicas <= 5, message: at most 5 replicas}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: replica-limit}
spec: {policyName: replica-limit, validationActions: [Deny]}
`}
	var capture strings.Builder
	for _, replicas := range []int{1, 3, 9} {
		fmt.Fprintf(&capture, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"1","operation":"CREATE",`+
			`"kind":{"group":"apps","version":"v1","kind":"Deployment"},"resource":{"group":"apps","version":"v1","resource":"deployments"},`+
			`"namespace":"shop","name":"web","userInfo":{"username":"jane"},"object":{"apiVersion":"apps/v1","kind":"Deployment",`+
			`"metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":%d,"selector":{"matchLabels":{"app":"web"}},`+
			`"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"example.com/web:1"}]}}}}}}`+"\n", replicas)
	}
	summary, err := replay.Run(context.Background(), policies, replay.Read(strings.NewReader(capture.String())), replay.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(summary.Replayed, summary.Denied)
	for _, p := range summary.Policies {
		fmt.Println(p.Policy, p.Matched, p.Denied)
	}
	// Output:
	// 3 1
	// replica-limit 3 1
}
