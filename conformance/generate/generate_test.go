package generate

import (
	"reflect"
	"testing"
)

// TestDeterministic: a difference must be reproducible from its seed and number.
func TestDeterministic(t *testing.T) {
	for number := range 200 {
		if a, b := New(1, number), New(1, number); !reflect.DeepEqual(a, b) {
			t.Fatalf("scenario %d differs from run to run", number)
		}
	}
	if New(1, 0).Policies == New(2, 0).Policies && New(1, 1).Policies == New(2, 1).Policies {
		t.Error("the seed does not matter")
	}
}
