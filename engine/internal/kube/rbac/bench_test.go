package rbac

import (
	"testing"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// BenchmarkLoad measures a cost of every evaluation: loading and aggregating the built-in objects.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, _, err := Load(version.MustParse("1.37"), nil); err != nil {
			b.Fatal(err)
		}
	}
}
