package lint_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/policy/lint"
	"github.com/preadmit/preadmit/engine/scenario"
)

// found are the codes of the problems of policies that are more than notes of ours on the server's warnings.
func found(t *testing.T, policies string) []string {
	t.Helper()
	configuration, problems := engine.Compile(scenario.Scenario{Policies: policies})
	if configuration == nil {
		t.Fatal(problems)
	}
	var out []string
	for _, p := range problems {
		if p.Severity != diag.Info || slices.Contains([]string{"useless-message", "validation-never-false"}, p.Code) {
			out = append(out, p.Code)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(out)))
}

func files(t *testing.T, name string) []txtar.File {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return txtar.Parse(text).Files
}

// TestDefects looks for planted defects: the first line of each file names what is to be found.
func TestDefects(t *testing.T) {
	for _, f := range files(t, "bad.txtar") {
		head, _, _ := strings.Cut(string(f.Data), "\n")
		want := strings.TrimPrefix(head, "# want: ")
		if got := strings.Join(found(t, string(f.Data)), ","); got != want {
			t.Errorf("%s: found %q, want %q", f.Name, got, want)
		}
	}
}

// TestGoodPolicies finds nothing in policies that are right.
func TestGoodPolicies(t *testing.T) {
	for _, f := range files(t, "good.txtar") {
		if got := found(t, string(f.Data)); len(got) > 0 {
			t.Errorf("%s: found %q", f.Name, got)
		}
	}
}

// TestIgnored leaves out what an annotation names.
func TestIgnored(t *testing.T) {
	for _, f := range files(t, "bad.txtar") {
		text := string(f.Data)
		head, _, _ := strings.Cut(text, "\n")
		codes := strings.TrimPrefix(head, "# want: ")
		if slices.Contains([]string{"unlikely-rule", "fixed-result"}, codes) {
			continue // not of this package
		}
		text = strings.ReplaceAll(text, "metadata: {name: ", "metadata: {annotations: {"+lint.Annotation+": 'validation-never-false, validation-never-true, "+codes+"'}, name: ")
		if got := found(t, text); len(got) > 0 {
			t.Errorf("%s: found %q although the annotation names it", f.Name, got)
		}
	}
}

// BenchmarkCheck prints what a hundred policies cost.
func BenchmarkCheck(b *testing.B) {
	text, err := os.ReadFile("testdata/good.txtar")
	if err != nil {
		b.Fatal(err)
	}
	var policies strings.Builder
	for n := range 4 {
		for _, f := range txtar.Parse(text).Files {
			policies.WriteString("---\n" + strings.ReplaceAll(string(f.Data), "ame: ", "ame: "+string(rune('a'+n))))
		}
	}
	for b.Loop() {
		engine.New().Compile(scenario.Scenario{Policies: policies.String()})
	}
}
