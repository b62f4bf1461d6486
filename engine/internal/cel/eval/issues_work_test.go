package eval

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// TestIssuesGrowWithTheLine counts the bytes that an expression with unknown names takes, and one on a line twice as long.
func TestIssuesGrowWithTheLine(t *testing.T) {
	env, err := cel.NewEnv()
	if err != nil {
		t.Fatal(err)
	}
	allocated := func(n int) float64 {
		expression := "'" + strings.Repeat("x", n) + "'" + strings.Repeat(" + a", 20)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c := Parse(env, version.Default(), expression)
		runtime.ReadMemStats(&after)
		if len(c.Issues) != 20 {
			t.Fatalf("%d issues", len(c.Issues))
		}
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	allocated(1000)
	if small, large := allocated(4000), allocated(8000); large > 2.3*small {
		t.Errorf("%.0f bytes, and %.0f for twice the text", small, large)
	}
}
