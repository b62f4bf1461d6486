package hints

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/model"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// TestIssues: an expression is explained alike wherever it stands, once for each mistake.
func TestIssues(t *testing.T) {
	v := version.MustParse("1.30")
	compile := func(v version.Version, mode eval.Mode, text string) *eval.Compiled {
		environments, err := eval.NewSet().ForVersion(v)
		if err != nil {
			t.Fatal(err)
		}
		return environments.NewCompiler(mode, false, false).Compile(text, eval.Validation)
	}
	for text, want := range map[string][]string{
		"isIP('::1')":                     {codes.LaterVersion, `"isIP" is available from Kubernetes 1.31 on`},
		"now() > object.x":                {codes.CELCompile, "undeclared reference to 'now'"},
		"object.x.matches('^\\d+(a|b)?')": {codes.CELCompile, "Syntax error"},
		"'a'.matches('(')":                {codes.CELCompile, "invalid matches argument", "missing closing )"},
		"'a'.matches('(?!b)')":            {codes.CELCompile, "invalid matches argument", "no lookahead"},
	} {
		got := Issues(model.Validation, v, compile(v, eval.Write, text), func(later version.Version, mode eval.Mode) []eval.Issue {
			return compile(later, mode, text).Issues
		})
		if len(got) != 1 || got[0].Code != want[0] || !strings.Contains(got[0].Summary, want[1]) || len(want) > 2 && !strings.Contains(got[0].Detail, want[2]) {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for name, want := range map[string]string{"object": "reads self", "now": "no current time", "request": "ValidatingAdmissionPolicy"} {
		if got := Compile(model.CustomRule, "undeclared reference to '"+name+"'"); !strings.Contains(got, want) {
			t.Errorf("%s in a rule: %s", name, got)
		}
	}
	if got := Compile(model.CustomRule, "undefined field 'namespace'"); !strings.Contains(got, "__namespace__") {
		t.Error(got)
	}
}

// TestTestOrItem: what must be a test is not explained as an item of a list.
func TestTestOrItem(t *testing.T) {
	for text, test := range map[string]bool{
		"!('a' && true)":                true,
		"[true].all(x, 'a')":            true,
		"[true, 'a']":                   false,
		"[true, ('a')]":                 false,
		"[true && false, 'a']":          false,
		"{'k': true, 'l': 'a'}":         false,
		"[true, true && 'a']":           true,
		"[true, 'a' || true].size()":    true,
		"[[true || true][0], ['a'][0]]": false,
		"true && [true, 'a'].all(x, x)": false,
	} {
		if got := isTest(text, strings.Index(text, "'a'")); got != test {
			t.Errorf("%s: %v", text, got)
		}
	}
}
