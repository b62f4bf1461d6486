package engine_test

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFreshSet(t *testing.T) {
	files, _ := filepath.Glob(os.Getenv("FRESH") + "/*.txtar")
	var errs, errsRep, repaired, first, any, worse int
	for _, file := range files {
		m := readMistake(t, file)
		r := evaluated(t, m.scenario)
		for _, d := range r.Diagnostics {
			if d.Severity == "error" {
				errs++
				if len(d.Fixes) > 0 {
					errsRep++
				} else {
					t.Logf("    %s: no repair: %s %s", filepath.Base(file), d.Code, d.Summary)
				}
			}
		}
		x := m.try(t)
		if x.repairs > 0 {
			repaired++
		}
		if x.first == "" {
			first++
		}
		if x.any {
			any++
		}
		if x.worse != "" {
			worse++
			t.Logf("WORSE %s: %s", filepath.Base(file), x.worse)
		}
		if x.repairs == 0 || x.first != "" || os.Getenv("ALL") != "" {
			t.Logf("%s: %d repairs, by the first: %s; by any: %v", filepath.Base(file), x.repairs, x.first, x.any)
			if os.Getenv("V") != "" {
				for _, d := range r.Diagnostics {
					t.Logf("      %s %s: %s", d.Severity, d.Code, d.Summary)
					for _, f := range d.Fixes {
						t.Logf("          -> %s", f.Title)
						if os.Getenv("V") == "2" {
							after := applied(t, m.scenario, f)
							t.Logf("%s", after.Policies)
							for _, d := range evaluated(t, after).Diagnostics {
								t.Logf("             then %s %s: %s", d.Severity, d.Code, d.Summary)
							}
						}
					}
				}
				t.Logf("      outcome %v %s", r.Outcome.Allowed, r.Outcome.Message)
			}
		}
	}
	t.Logf("%d scenarios, %d/%d errors with repair, repaired %d first %d any %d worse %d", len(files), errsRep, errs, repaired, first, any, worse)
}
