package serve_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/serve"
)

// A Server is a webhook's handler: it answers AdmissionReviews with policies.
func ExampleServer() {
	s := serve.New(serve.Defaults)
	if problems := s.Load(scenario.Scenario{Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: named-by-team}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}
  validations:
  - {expression: "object.metadata.name.startsWith('shop-')", message: the name begins with shop-}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: named-by-team}
spec: {policyName: named-by-team, validationActions: [Deny]}
`}); problems.HasErrors() {
		log.Fatal(problems)
	}
	webhook := httptest.NewServer(s.Handler()) // a cluster needs TLS: see Server.Answer
	defer webhook.Close()
	reply, err := http.Post(webhook.URL+"/validate", "application/json", strings.NewReader(
		`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"7","operation":"CREATE","kind":{"version":"v1","kind":"ConfigMap"},`+
			`"resource":{"version":"v1","resource":"configmaps"},"name":"a","namespace":"shop","userInfo":{"username":"jane"},`+
			`"object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"shop"}}}}`))
	if err != nil {
		log.Fatal(err)
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(string(body), `"allowed":false`), strings.Contains(string(body), "the name begins with shop-"))
	// Output: true true
}
