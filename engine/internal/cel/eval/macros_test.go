package eval

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// A macro that copies what it is called on ends the run before the copies fill the memory, and the
// run knows at which of the macros.
func TestCopyingMacrosAreBounded(t *testing.T) {
	for _, test := range []struct {
		expression, macro string // "" for one that compiles
	}{
		{"optional.of(1)" + strings.Repeat(".optMap(x, x + 1)", 8) + ".hasValue()", ""},
		{"optional.of(1)" + strings.Repeat(".optMap(x, x + 1)", 24) + ".hasValue()", "optMap"},
		{"optional.of(1)" + strings.Repeat(".optFlatMap(x, optional.of(x))", 30) + ".hasValue()", "optFlatMap"},
		{"optional.of(1)" + strings.Repeat(" . optMap (x, x + 1)", 24) + ".hasValue()", "optMap"},
		{"[" + strings.Repeat("optional.of(1)"+strings.Repeat(".optMap(x, x + 1)", 9)+", ", 300) + "].size() > 0", "optMap"},
		{"'ä' == 'ä' && optional.of(1)" + strings.Repeat(".optMap(x, x)", 24) + ".hasValue()", "optMap"},
		{"optional.of(1).optMap(x, " + strings.Repeat("optional.of(x).optMap(x, ", 20) + "x" + strings.Repeat(")", 21) + ".hasValue()", ""}, // arguments are not copied
	} {
		b := worklimit.New(context.Background(), worklimit.Limits{})
		var c *Compiled
		ended := b.Run(func() {
			c = environments(t, "1.37").Within(b).NewCompiler(Run, false, false).Compile(test.expression, Condition)
		})
		if (ended == nil) != (test.macro == "") {
			t.Errorf("%.60s: %+v", test.expression, ended)
		}
		if ended == nil {
			if !c.OK() {
				t.Errorf("%.60s: %s", test.expression, c.Err)
			}
			continue
		}
		if at := string([]rune(test.expression)[ended.Start:ended.End]); at != test.macro || ended.Expression != test.expression || ended.Remedy == "" {
			t.Errorf("%.60s: ended at %q of %.60s", test.expression, at, ended.Expression)
		}
	}
}

// Without a budget the message is one of the compiler.
func TestCopyingMacrosWithoutBudget(t *testing.T) {
	c := environments(t, "1.37").NewCompiler(Run, false, false).Compile("optional.of(1)"+strings.Repeat(".optMap(x, x + 1)", 100)+".hasValue()", Condition)
	if c.OK() || !strings.Contains(c.Err, "more than 20,000 parts") {
		t.Errorf("100 macros: %.200s", c.Err)
	}
}
