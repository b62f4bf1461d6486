package engine

import (
	"context"
	"testing"
)

// BenchmarkEvaluate runs the vectors with a warm cache, as while somebody
// types.
func BenchmarkEvaluate(b *testing.B) {
	for _, name := range []string{"mutate/m09-sidecar-merge.yaml", "validate/replica-limit.yaml", "webhooks/policy-then-webhook.yaml"} {
		b.Run(name, func(b *testing.B) {
			v := readVector(b, vectorsRoot+"/"+name)
			s := scenarioOf(b, v, v.Requests[0])
			for b.Loop() {
				if _, err := Evaluate(context.Background(), s, Everything()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
