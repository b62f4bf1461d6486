package source

import (
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
