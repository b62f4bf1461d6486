package storage_test

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestRefusals: what the server's own checks refuse is explained, and after each repair the request is admitted.
// A case is a folder of the archive; says.txt has parts of the explanation, and fixes.txt the titles of the repairs.
func TestRefusals(t *testing.T) {
	cases := map[string]map[string]string{}
	for _, archive := range []string{"testdata/refusals.txtar", "testdata/advice.txtar"} {
		raw, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(raw).Files {
			name, file, _ := strings.Cut(f.Name, "/")
			if cases[name] == nil {
				cases[name] = map[string]string{}
			}
			cases[name][file] = string(f.Data)
		}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := scenario.Scenario{Policies: c["policies.yaml"], Request: strings.Replace(c["request.yaml"], "LONG", strings.Repeat("x", 1<<18), 1), Cluster: c["cluster.yaml"]}
			if user := strings.TrimSpace(c["user.txt"]); user != "" {
				s.Options.Request = &scenario.RequestSettings{User: user, Groups: []string{"system:authenticated"}}
			}
			if old := c["old.yaml"]; old != "" {
				s.Options.Request = &scenario.RequestSettings{Operation: "UPDATE", OldObject: old}
			}
			problem, titles := refusedBy(t, s)
			for line := range strings.Lines(c["says.txt"]) {
				if line = strings.TrimSpace(line); !strings.Contains(problem.Summary+"\n"+problem.Detail, line) {
					t.Errorf("not said: %s\n%s\n%s", line, problem.Summary, problem.Detail)
				}
			}
			if titles != strings.TrimSpace(c["fixes.txt"]) {
				t.Errorf("fixes:\n%s", titles)
			}
			for _, f := range problem.Fixes {
				if f.AdmissionOnly {
					continue // it leaves the check out
				}
				after := s
				for text, of := range map[diag.Text]*string{diag.Policies: &after.Policies, diag.Request: &after.Request, diag.Cluster: &after.Cluster} {
					var err error
					if *of, err = f.Apply(text, *of); err != nil {
						t.Fatalf("%s: %v", f.Title, err)
					}
				}
				r, err := engine.Evaluate(t.Context(), after, engine.Everything())
				if err != nil {
					t.Fatal(err)
				}
				if !r.Outcome.Allowed || len(r.Outcome.Warnings) > 0 || r.Workload != nil && !r.Workload.Outcome.Allowed {
					t.Errorf("after %q: %s %v\n%s%s", f.Title, r.Outcome.Message, r.Outcome.Warnings, after.Request, after.Cluster)
				}
			}
		})
	}
}

// refusedBy is the first problem about the refusal, with the titles of its repairs.
func refusedBy(t *testing.T, s scenario.Scenario) (problem diag.Diagnostic, titles string) {
	r, err := engine.Evaluate(t.Context(), s, engine.Everything())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Diagnostics {
		if d.Code == codes.RefusedRequest || d.Code == codes.InvalidObject || d.Code == codes.UnknownField {
			var lines []string
			for _, f := range d.Fixes {
				lines = append(lines, f.Title)
			}
			return d, strings.Join(lines, "\n")
		}
	}
	t.Fatalf("no explanation of %q in %+v", r.Outcome.Message, r.Diagnostics)
	return diag.Diagnostic{}, ""
}
