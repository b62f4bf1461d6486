package rbac

import "testing"

// BenchmarkLoad is the cost of every evaluation of a scenario: the built-in
// objects and their aggregation.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, _, err := Load("1.37", nil); err != nil {
			b.Fatal(err)
		}
	}
}
