package completion_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/completion"
	"github.com/preadmit/preadmit/engine/scenario"
)

// An editor asks what can be written at the cursor, and what is there.
func ExampleCompleter() {
	c, err := completion.New("1.36", nil)
	if err != nil {
		log.Fatal(err)
	}
	s := scenario.Scenario{Policies: `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  validations:
  - expression: object.spec.rep
`}
	cursor := strings.Index(s.Policies, "rep\n") + len("rep")
	result, err := c.Complete(s, diag.Policies, cursor)
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range result.Items {
		if strings.HasPrefix(item.Label, s.Policies[result.From:cursor]) {
			fmt.Println(item.Kind, item.Label, item.Detail)
		}
	}
	// Output: field replicas integer, optional
}
