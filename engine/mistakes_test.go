package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// The corpus of mistakes: scenarios in testdata/mistakes with one real mistake
// each, and what their writers meant. A scenario is a txtar archive; beside the
// files of a scenario it has meant.txt, with lines such as
//
//	allowed: false
//	mutated: true
//	policies-contain: object.spec.replicas
//	accepted: false
//
// The first two are the answer to the request after the repair. policies-contain
// is a part that the repaired policies have. All documents must be accepted
// after the repair, unless the last line says otherwise.

// rates are the shares of a half of the corpus, in per cent, that have a repair
// at all, end as meant by the first one, and by any one.
type rates struct{ repaired, first, any int }

func TestMistakesInCEL(t *testing.T) { testMistakes(t, "cel", 80, rates{85, 75, 80}) }

// testMistakes applies the repairs of every scenario of a half of the corpus and
// measures how many of them end as meant. There must be at least so many
// scenarios, and the rates must be reached.
func testMistakes(t *testing.T, half string, atLeast int, want rates) {
	files, err := filepath.Glob(fmt.Sprintf("testdata/mistakes/%s-*.txtar", half))
	if err != nil || len(files) < atLeast {
		t.Fatalf("%d scenarios, fewer than %d (%v)", len(files), atLeast, err)
	}
	var repaired, first, any int
	for _, file := range files {
		m := readMistake(t, file)
		result := m.try(t)
		if result.repairs > 0 {
			repaired++
		}
		if result.first == "" {
			first++
		}
		if result.any {
			any++
		}
		if result.repairs == 0 || result.first != "" {
			t.Logf("%s: %d repairs, by the first: %s; by any: %v", filepath.Base(file), result.repairs, result.first, result.any)
		}
		if result.worse != "" {
			t.Errorf("%s is made worse: %s", file, result.worse)
		}
	}
	n := len(files)
	t.Logf("of %d mistakes %d have a repair, %d end as meant by the first, %d by any", n, repaired, first, any)
	for _, rate := range []struct {
		what      string
		got, want int
	}{{"have a repair", repaired, want.repaired}, {"end as meant by the first repair", first, want.first}, {"end as meant by any repair", any, want.any}} {
		if 100*rate.got < rate.want*n {
			t.Errorf("%d of %d %s, fewer than %d %%", rate.got, n, rate.what, rate.want)
		}
	}
}

// mistake is a scenario of the corpus.
type mistake struct {
	scenario scenario.Scenario
	meant    []string // lines
}

func readMistake(t *testing.T, file string) mistake {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(data)
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "meant.txt" })
	if i < 0 {
		t.Fatalf("%s does not say what was meant", file)
	}
	m := mistake{meant: strings.Split(strings.TrimSpace(string(archive.Files[i].Data)), "\n")}
	archive.Files = slices.Delete(archive.Files, i, i+1)
	read, problems := scenario.FromTxtar(txtar.Format(archive))
	if len(problems) > 0 {
		t.Fatalf("%s: %v", file, problems)
	}
	m.scenario = read
	return m
}

// tried is what became of a scenario.
type tried struct {
	repairs int
	first   string // why the first repair does not end as meant, empty if it does
	any     bool
	worse   string
}

func (m mistake) try(t *testing.T) tried {
	t.Helper()
	before := evaluated(t, m.scenario)
	fixes := repairs(before)
	out := tried{repairs: len(fixes), first: "there is none"}
	for i, f := range fixes {
		after := applied(t, m.scenario, f)
		r := evaluated(t, after)
		wrong := m.compare(after, r)
		if i == 0 {
			out.first = wrong
			if wrong != "" {
				out.first = fmt.Sprintf("%q: %s", f.Title, wrong)
			}
			if refused(before) == 0 && refused(r) > 0 {
				out.worse = f.Title
			}
		}
		out.any = out.any || wrong == ""
	}
	return out
}

// repairs are the fixes of a report in the order in which they are shown: those
// of errors first.
func repairs(r *report.Report) []diag.Fix {
	var out []diag.Fix
	for _, severity := range []diag.Severity{diag.Error, diag.Warning, diag.Info} {
		for _, d := range r.Diagnostics {
			if d.Severity == severity {
				out = append(out, d.Fixes...)
			}
		}
	}
	return out
}

func evaluated(t *testing.T, s scenario.Scenario) *report.Report {
	t.Helper()
	r, err := engine.Evaluate(context.Background(), s, engine.Everything())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func applied(t *testing.T, s scenario.Scenario, f diag.Fix) scenario.Scenario {
	t.Helper()
	for name, text := range map[diag.Text]*string{diag.Policies: &s.Policies, diag.Request: &s.Request, diag.Cluster: &s.Cluster} {
		changed, err := f.Apply(name, *text)
		if err != nil {
			t.Fatalf("%s: %v", f.Title, err)
		}
		*text = changed
	}
	return s
}

// refused is the number of documents that the server does not take.
func refused(r *report.Report) int {
	n := 0
	for _, in := range r.Install {
		if in.Code != 0 {
			n++
		}
	}
	return n
}

// compare says what is not as it was meant, empty for nothing.
func (m mistake) compare(s scenario.Scenario, r *report.Report) string {
	accepted := "true"
	for _, line := range m.meant {
		key, want, _ := strings.Cut(line, ": ")
		switch key {
		case "allowed":
			if got := fmt.Sprint(r.Outcome.Allowed); got != want {
				return fmt.Sprintf("allowed is %s (%s)", got, r.Outcome.Message)
			}
		case "mutated":
			if got := fmt.Sprint(r.Outcome.Mutated); got != want {
				return "mutated is " + got
			}
		case "policies-contain":
			if !strings.Contains(s.Policies, want) {
				return fmt.Sprintf("the policies do not contain %q", want)
			}
		case "accepted":
			accepted = want
		default:
			return fmt.Sprintf("there is no %q", key)
		}
	}
	if n := refused(r); n > 0 && accepted == "true" {
		return "a document is refused"
	}
	return ""
}

func TestMistakesInYAML(t *testing.T) { testMistakes(t, "yaml", 70, rates{95, 95, 95}) }
