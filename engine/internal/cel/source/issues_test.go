package source

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
)

// TestIssues compares the text of issues with cel-go's.
func TestIssues(t *testing.T) {
	env, err := cel.NewEnv()
	if err != nil {
		t.Fatal(err)
	}
	for _, expression := range []string{
		"", "1 +", "a", "a\n +\tb", "'日本語' + b + 'ü' + c", "\t\tx", "'\xff' + y", "日本", "a &&\r\nb", "[1, ?].x", "'日' + ",
		strings.Repeat("a + ", 99) + "a", strings.Repeat("a + ", 100) + "a", strings.Repeat("a + ", 300) + "a",
		"a + '" + strings.Repeat("x", maxSnippet) + "' + b", "a + '" + strings.Repeat("x", maxSnippet-20) + "'",
	} {
		for pass := range 2 { // the issues stay as they are
			_, issues := env.Compile(expression)
			if pass == 1 {
				Issues(expression, issues)
			}
			got, want := Issues(expression, issues), issues.String()
			if got != want || Failed(issues) != (issues.Err() != nil) {
				t.Errorf("%.40q, pass %d:\ngot  %.400q\nwant %.400q", expression, pass, got, want)
			}
		}
	}
}

// TestIssuesGrowWithTheirText counts what is allocated for a line that is twice as long, with as many issues.
func TestIssuesGrowWithTheirText(t *testing.T) {
	env, err := cel.NewEnv()
	if err != nil {
		t.Fatal(err)
	}
	allocated := func(n int) float64 {
		expression := "'" + strings.Repeat("x", n) + "'" + strings.Repeat(" + a", 20)
		_, issues := env.Compile(expression)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = Issues(expression, issues)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	allocated(1000)
	if small, large := allocated(4000), allocated(8000); large > 2.3*small {
		t.Errorf("%.0f bytes, and %.0f for twice the text", small, large)
	}
}
