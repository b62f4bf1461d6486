package engine_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/requesttext"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
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
//
// Newer scenarios have the whole text that was meant instead: meant-policies.yaml,
// meant-request.yaml or meant-cluster.yaml takes the place of the text with the
// mistake, and the repaired text must give the same answers as it does: the same
// verdict and the same object, for the request and, where there is one, for the request in
// other.yaml, which the policies should treat the other way round. With the line
// "message: same" the messages must be equal, too.

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
	intended *scenario.Scenario
	other    string // a second request
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
	take := func(name string) (string, bool) {
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
		if i < 0 {
			return "", false
		}
		text := string(archive.Files[i].Data)
		archive.Files = slices.Delete(archive.Files, i, i+1)
		return text, true
	}
	m.other, _ = take("other.yaml")
	texts := map[diag.Text]string{}
	for _, name := range []diag.Text{diag.Policies, diag.Request, diag.Cluster} {
		if text, ok := take("meant-" + string(name) + ".yaml"); ok {
			texts[name] = text
		}
	}
	read, problems := scenario.FromTxtar(txtar.Format(archive))
	if len(problems) > 0 {
		t.Fatalf("%s: %v", file, problems)
	}
	m.scenario = read
	if len(texts) > 0 {
		intended := read
		for name, text := range texts {
			switch name {
			case diag.Policies:
				intended.Policies = text
			case diag.Request:
				intended.Request = text
			case diag.Cluster:
				intended.Cluster = text
			}
		}
		m.intended = &intended
	}
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
		wrong := m.compare(t, after, r)
		if i == 0 {
			out.first = wrong
			if wrong != "" {
				out.first = fmt.Sprintf("%q: %s", f.Title, wrong)
			}
			if refused(before) == 0 && refused(r) > 0 || m.indifferent(t, after) {
				out.worse = f.Title
			}
		}
		out.any = out.any || wrong == ""
	}
	return out
}

// repairs are the fixes of a report in the order in which they are shown: those
// of errors first, and those of expressions that failed after the others.
func repairs(r *report.Report) []diag.Fix {
	var out []diag.Fix
	for _, severity := range []diag.Severity{diag.Error, diag.Warning, diag.Info} {
		for _, later := range []bool{false, true} {
			for _, d := range r.Diagnostics {
				if d.Severity == severity && (d.Next || d.Code == codes.CELRuntime || d.Code == codes.MissingNamespace) == later {
					out = append(out, d.Fixes...)
				}
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
	if c := f.Request; c != nil {
		changed, err := requesttext.Change(s.Request, requesttext.Changes{Operation: given(c.Operation), User: given(c.User), Groups: given(c.Groups)})
		if err != nil {
			t.Fatalf("%s: %v", f.Title, err)
		}
		on := true
		s.Request, s.Options.Defaulting = changed, &on
	}
	return s
}

// given is a value to set, nil for none.
func given[T any](value T) *T {
	if reflect.ValueOf(value).IsZero() {
		return nil
	}
	return &value
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

// indifferent reports whether policies that were meant to tell two requests apart
// are accepted and treat both alike: nothing, or everything, is denied by them.
func (m mistake) indifferent(t *testing.T, s scenario.Scenario) bool {
	if m.intended == nil || m.other == "" {
		return false
	}
	answers := func(s scenario.Scenario) (one, two *report.Report) {
		other := s
		other.Request = m.other
		return evaluated(t, s), evaluated(t, other)
	}
	one, two := answers(*m.intended)
	if one.Outcome.Allowed == two.Outcome.Allowed {
		return false
	}
	one, two = answers(s)
	return refused(one) == 0 && problems(one) == 0 && one.Outcome.Allowed == two.Outcome.Allowed
}

// problems is the number of errors and warnings of a report.
func problems(r *report.Report) int {
	n := 0
	for _, d := range r.Diagnostics {
		if d.Severity != diag.Info {
			n++
		}
	}
	return n
}

// differs says what a text answers otherwise than the one that was meant, empty for
// nothing.
func (m mistake) differs(t *testing.T, s scenario.Scenario, r *report.Report) string {
	intended := evaluated(t, *m.intended)
	if n := refused(intended); n > 0 {
		t.Fatalf("what was meant is refused: %+v", intended.Install)
	}
	if wrong := difference(r, intended); wrong != "" {
		return wrong
	}
	if slices.Contains(m.meant, "message: same") && r.Outcome.Message != intended.Outcome.Message {
		return fmt.Sprintf("the message is %q, not %q", r.Outcome.Message, intended.Outcome.Message)
	}
	if m.other == "" {
		return ""
	}
	other, meant := s, *m.intended
	other.Request, meant.Request = m.other, m.other
	if wrong := difference(evaluated(t, other), evaluated(t, meant)); wrong != "" {
		return "the other request: " + wrong
	}
	return ""
}

// difference compares the verdicts and objects of two reports.
func difference(got, want *report.Report) string {
	switch {
	case got.Outcome.Allowed != want.Outcome.Allowed:
		return fmt.Sprintf("allowed is %v (%s)", got.Outcome.Allowed, got.Outcome.Message)
	case got.Outcome.State != want.Outcome.State:
		return fmt.Sprintf("the state is %v, not %v", got.Outcome.State, want.Outcome.State)
	case !reflect.DeepEqual(untimed(got.Object), untimed(want.Object)):
		return "the object is another one"
	}
	return ""
}

// untimed is an object without the time at which it was created.
func untimed(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	out, inner := maps.Clone(object), maps.Clone(metadata)
	delete(inner, "creationTimestamp")
	if metadata != nil {
		out["metadata"] = inner
	}
	return out
}

// compare says what is not as it was meant, empty for nothing.
func (m mistake) compare(t *testing.T, s scenario.Scenario, r *report.Report) string {
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
		case "as", "message":
			if wrong := m.differs(t, s, r); wrong != "" {
				return wrong
			}
		default:
			return fmt.Sprintf("there is no %q", key)
		}
	}
	if n := refused(r); n > 0 && accepted == "true" {
		return "a document is refused"
	}
	return ""
}

// TestRepairRates counts, by code, the problems of the corpus that have a repair,
// and writes them into the documentation with -update.
func TestRepairRates(t *testing.T) {
	files, err := filepath.Glob("testdata/mistakes/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	type count struct{ all, repaired int }
	counts := map[string]*count{}
	var total count
	for _, file := range files {
		for _, d := range evaluated(t, readMistake(t, file).scenario).Diagnostics {
			if d.Severity == diag.Info {
				continue
			}
			if counts[d.Code] == nil {
				counts[d.Code] = &count{}
			}
			for _, c := range []*count{counts[d.Code], &total} {
				c.all++
				if len(d.Fixes) > 0 {
					c.repaired++
				}
			}
		}
	}
	var b strings.Builder
	b.WriteString(repairsHead)
	fmt.Fprintf(&b, "%d recorded mistakes give %d errors and warnings, of which %d have a repair.\n\n", len(files), total.all, total.repaired)
	b.WriteString("| code | problems | with a repair |\n|---|---:|---:|\n")
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "| [`%s`](diagnostics.md#%s) | %d | %d |\n", code, code, counts[code].all, counts[code].repaired)
	}
	const page = "../docs/repairs.md"
	if *updateRates {
		if err := os.WriteFile(page, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(page); err != nil || string(have) != b.String() {
		t.Errorf("%s is not current (%v): go test ./engine -run TestRepairRates -update-rates", page, err)
	}
	if 100*total.repaired < 75*total.all {
		t.Errorf("%d of %d have a repair, fewer than 75 %%", total.repaired, total.all)
	}
}

var updateRates = flag.Bool("update-rates", false, "write docs/repairs.md")

const repairsHead = `---
title: Repairs
order: 75
group: Reference
summary: Which mistakes get a repair, by their code.
---

# Repairs

A problem has repairs where there is something that its writer most likely meant.
The first is the likeliest. Where there is only one, the report marks it as
` + "`sure`" + `, and ` + "`preadmit fix`" + ` and the page apply it together with others.

The corpus of mistakes, ` + "`engine/testdata/mistakes`" + `, has real mistakes of people, one in each
scenario, in our own words. A test applies the repairs, evaluates the result, and
compares it with what was meant.

How it does with mistakes that no rule was written for was measured five times: new ones were
written without a look at the corpus or at the rules, and tried before anything was changed
for them. Then the rules behind what failed were found and added, and the mistakes with them;
that these end as meant now says nothing about the next ones.

| new mistakes | as meant by the first repair | by any | errors with a repair | made worse by the first |
|---:|---:|---:|---:|---:|
| 63 | 43 (68 %) | 46 (73 %) | 46 of 51 (90 %) | not counted |
| 115 | 84 (73 %) | 84 (73 %) | 88 of 111 (79 %) | 3 |
| 69 | 55 (80 %) | 56 (81 %) | 53 of 63 (84 %) | 2 |
| 229 | 184 (80 %) | 188 (82 %) | 184 of 206 (89 %) | 2 |
| 86 | 62 (72 %) | 64 (74 %) | 59 of 72 (82 %) | 2 |

All but the first are of 23 November 2026, and each set was written after the rules for the
one before it. Eleven of the 115 turned out to be mistakes that the corpus had already, and
more of the 229; the 86 were chosen to be others. Three of the 229 and one of the 86 cannot
be seen with the request that they have, and count as not repaired.
For each the whole text was written down that was meant, and for most a second request
that it treats the other way round: a repair is as meant only if both get the verdict and the
object that the meant text gives them. Made worse means that the first repair leads to a
document that is refused where none was, to a new error, to a policy that no longer runs, or
to policies that no longer tell the two requests apart.

`

func TestMistakesInYAML(t *testing.T) { testMistakes(t, "yaml", 70, rates{95, 95, 95}) }
