package variants

import (
	"reflect"
	"testing"
)

// The variants are the same on every run, differ from each other, and have the seeds' types.
func TestVariants(t *testing.T) {
	seeds := [][]any{{"a: b", 3, []byte("{}"), uint8(1), uint64(2)}, {"", -1, []byte("[1]"), uint8(0), uint64(0)}}
	first, again, other := newMaker(seeds, 1), newMaker(seeds, 1), newMaker(seeds, 2)
	different := map[string]bool{}
	elsewhere := 0
	for range 1000 {
		a, b := first.next(), again.next()
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("%v, then %v", a, b)
		}
		if !reflect.DeepEqual(a, other.next()) {
			elsewhere++
		}
		for i, arg := range a {
			if reflect.TypeOf(arg) != reflect.TypeOf(seeds[0][i]) {
				t.Fatalf("%T in place of %T", arg, seeds[0][i])
			}
		}
		different[a[0].(string)] = true
	}
	if len(different) < 300 || elsewhere < 900 {
		t.Errorf("%d different texts; %d differ in another sequence", len(different), elsewhere)
	}
}
