package engine

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// FuzzEvaluate feeds the engine what a hostile link could hold: whatever the
// texts are, it answers with a report that can be written as JSON.
func FuzzEvaluate(f *testing.F) {
	target := variants.Of(f, 15)
	for _, path := range []string{"mutate/m09-sidecar-merge.yaml", "mutate/m46-jp-move-copy.yaml", "validate/replica-limit.yaml", "validate/namespace-labels.yaml",
		"webhooks/policy-then-webhook.yaml", "crd/apply-list-map-composite.yaml", "authorizer/resource-checks.yaml", "params/selector-several.yaml", "matching/k01-equivalent.yaml"} {
		v := readVector(f, filepath.Join(vectorsRoot, path))
		s := scenarioOf(f, v, v.Requests[0])
		target.Add(s.Policies, s.Request, s.Cluster, "object.metadata.name", uint8(7))
	}
	if data, err := os.ReadFile("../examples/first-look/policies.yaml"); err == nil {
		target.Add(string(data), "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", "", "variables.limit", uint8(0))
	}
	target.Fuzz(func(t *testing.T, policies, request, cluster, expression string, version uint8) {
		minors := scenario.Versions()
		s := scenario.Scenario{Policies: policies, Request: request, Cluster: cluster, Expression: expression, Kubernetes: minors[int(version)%len(minors)]}
		// A fuzzer gives up on an input after ten seconds, and its instrumentation makes
		// everything some times slower.
		everything := Everything()
		everything.Limits = fuzzed
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		r, err := Evaluate(ctx, s, everything)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
	})
}
