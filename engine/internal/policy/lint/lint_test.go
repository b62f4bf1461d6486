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

// TestLeftOutLists finds lists of containers that are not looked at, with the fix that adds them.
func TestLeftOutLists(t *testing.T) {
	for _, c := range []struct{ rule, variables, validation, want string }{
		{"pods", "{name: containers, expression: object.spec.containers}", "variables.containers.all(c, c.image.startsWith('r/'))", "containers-left-out: Check initContainers and ephemeralContainers too, with a rule for pods/ephemeralcontainers"},
		{"pods", "", "object.spec.containers.all(c, c.image == 'pause' || has(c.resources.limits))", ""},
		{"pods", "", "(object.spec.containers + object.spec.?initContainers.orValue([])).all(c, c.image != 'x')",
			"ephemeral-left-out: Check ephemeralContainers too, with a rule for pods/ephemeralcontainers"},
		{"pods, pods/ephemeralcontainers", "{name: unread, expression: 'object.spec.?ephemeralContainers.orValue([]).all(c, c.?securityContext.?privileged.orValue(false))'}",
			"object.spec.containers.all(c, c.?securityContext.?privileged.orValue(false) == false)", "containers-left-out: Check initContainers and ephemeralContainers too"},
		{"'pods/*', pods", "", "(object.spec.containers + object.spec.?initContainers.orValue([]) + object.spec.?ephemeralContainers.orValue([])).all(c, c.image != 'x')", ""},
	} {
		text := "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p}\nspec:\n" +
			"  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [" + c.rule + "]}]}\n" +
			"  variables: [" + c.variables + "]\n  validations: [{expression: \"" + c.validation + "\", message: spec.containers}]\n"
		_, problems := engine.Compile(scenario.Scenario{Policies: text})
		got := ""
		for _, p := range problems {
			if strings.HasSuffix(p.Code, "-left-out") {
				got += p.Code
				for _, fix := range p.Fixes {
					got += ": " + fix.Title
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: found %q, want %q", c.validation, got, c.want)
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
