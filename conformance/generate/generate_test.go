package generate

import (
	"reflect"
	"testing"
)

// TestDeterministic: a difference must be reproducible from its seed and number.
func TestDeterministic(t *testing.T) {
	for number := range 200 {
		source := Source{Minor: 36, Seed: 1}
		if a, b := source.Scenario(number), source.Scenario(number); !reflect.DeepEqual(a, b) {
			t.Fatalf("scenario %d differs from run to run", number)
		}
	}
	one, other := Source{36, 1}, Source{36, 2}
	if one.Scenario(0).Policies == other.Scenario(0).Policies && one.Scenario(1).Policies == other.Scenario(1).Policies {
		t.Error("the seed does not matter")
	}
}
