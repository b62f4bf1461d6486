package bridge

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

const lonePolicy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  validations: [{expression: object.spec.replicas <= 5, message: at most 5 replicas}]
`

// A policy alone gets a request that it denies, one that it admits, and a binding, in slices.
// Evaluating the offered scenarios confirms the verdicts.
func TestExamples(t *testing.T) {
	s := scenario.Scenario{Policies: lonePolicy}
	var got Exampled
	calls := 0
	for ; !got.Done; calls++ {
		got = Exampled{}
		if msg := callWith(t, "examples", s, &got); msg != "" {
			t.Fatal(msg)
		}
	}
	if len(got.Scenarios) != 2 || calls < 2 || !strings.Contains(got.HTML, "at most 5 replicas") || !strings.Contains(got.HTML, "add a binding") {
		t.Fatalf("after %d calls: %+v", calls, got)
	}
	for i, allowed := range []bool{false, true} {
		r, err := engine.Evaluate(t.Context(), got.Scenarios[i], engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome.Allowed != allowed || !strings.HasPrefix(got.Scenarios[i].Policies, lonePolicy) {
			t.Errorf("scenario %d: %+v\n%s", i, r.Outcome, got.Scenarios[i].Request)
		}
	}
	// Another scenario starts a new search. One without policies has nothing to search.
	var none Exampled
	if msg := callWith(t, "examples", scenario.Scenario{}, &none); msg != "" || !none.Done || none.HTML != "" {
		t.Errorf("%s: %+v", msg, none)
	}
}
