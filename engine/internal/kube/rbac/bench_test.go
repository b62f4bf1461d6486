package rbac

import (
	"testing"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// BenchmarkLoad is the cost of every evaluation of a scenario: the built-in
// objects and their aggregation.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, _, err := Load(version.MustParse("1.37"), nil); err != nil {
			b.Fatal(err)
		}
	}
}
