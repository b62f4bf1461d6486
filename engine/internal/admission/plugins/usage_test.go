package plugins

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// TestUsage: what an update adds to a quota, and what no request may take.
func TestUsage(t *testing.T) {
	of := func(amounts map[string]string) used {
		out := used{}
		for name, amount := range amounts {
			out[name] = resource.MustParse(amount)
		}
		return out
	}
	shown := func(u used) string {
		out := map[string]string{}
		for name, amount := range u {
			out[name] = amount.String()
		}
		return fmt.Sprint(out)
	}
	after := of(map[string]string{"cpu": "2", "memory": "1Gi", "pods": "1", "new": "3"})
	before := of(map[string]string{"cpu": "500m", "memory": "2Gi", "pods": "1", "gone": "5"})
	added := after.minus(before)
	if got, want := shown(added), "map[cpu:1500m memory:0 new:3 pods:0]"; got != want {
		t.Errorf("added: %s, want %s", got, want)
	}
	if got, want := shown(added.nonZero()), "map[cpu:1500m new:3]"; got != want {
		t.Errorf("without nothing: %s, want %s", got, want)
	}
	if got, want := of(map[string]string{"b": "-1", "a": "-2m", "c": "0", "d": "1"}).negative(), []string{"a", "b"}; !slices.Equal(got, want) {
		t.Errorf("negative: %q, want %q", got, want)
	}
}
