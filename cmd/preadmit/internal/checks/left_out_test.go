package checks_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/checks"
	"github.com/preadmit/preadmit/engine/scenario"
)

// What is too much to compare is said: no finding does not mean that there is nothing to find.
func TestLeftOutIsSaid(t *testing.T) {
	var hooks strings.Builder
	for i := range 151 {
		fmt.Fprintf(&hooks, `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: w%[1]d}
webhooks:
- name: w%[1]d.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {name: s, namespace: n%[1]d}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
`, i)
	}
	r, err := checks.Of(context.Background(), scenario.Scenario{Policies: hooks.String()}, checks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(r.NotSimulated, "\n"), "the 151 webhooks are not checked") {
		t.Errorf("with 151 webhooks, %q is not simulated, and the findings are %v", r.NotSimulated, r.Diagnostics)
	}
}
