package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/preadmit/preadmit/engine/analysis/mutants"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// The result for a mutant.
const (
	mutantFound    = "found"    // a test fails
	mutantSurvived = "survived" // all tests pass
	mutantRefused  = "refused"  // the server would reject it, so it shows nothing
)

type mutantResult struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	mutants.Mutant
	State string `json:"state"`
	// Tests is the number of tests that ran. By names one that fails.
	Tests int    `json:"tests"`
	By    string `json:"by,omitempty"`
}

// runMutants runs every suite's tests against its mutants, in parallel on all processors.
func (a *app) runMutants(s *suites, run testRun) ([]mutantResult, error) {
	var results []mutantResult
	for _, one := range s.sorted() {
		list, err := a.mutantsOf(one, run)
		if err != nil {
			return nil, err
		}
		results = append(results, list...)
	}
	return results, nil
}

func (a *app) mutantsOf(one *suite, run testRun) ([]mutantResult, error) {
	list := mutants.Of(one.reports...)
	if len(list) == 0 {
		return nil, nil
	}
	// Unchanged first: a test that already fails shows nothing.
	passing := a.passing(one, run, one.policies)
	rewritten := sync.OnceValues(func() (map[string]bool, error) {
		plain, err := mutants.Rewritten(one.policies)
		return a.passing(one, run, plain), err
	})
	out := make([]mutantResult, len(list))
	errs := make([]error, len(list))
	inParallel(len(list), func(i int) { out[i], errs[i] = a.tryMutant(one, run, list[i], passing, rewritten) })
	return out, cmp.Or(errs...)
}

// against runs a suite's tests with other policies. seen gets each report.
func (a *app) against(one *suite, run testRun, policies string, seen func(*report.Report)) []testResult {
	run.update = false
	run.kept = func(_ string, _ *input, r *report.Report) { seen(r) }
	run.policies = func(own string) string {
		if own == one.policies {
			return policies
		}
		return own
	}
	var results []testResult
	for _, path := range one.paths {
		results = append(results, (&app{ctx: a.ctx, limits: a.limits}).runScenarioTests(path, run)...)
	}
	return results
}

// passing returns a suite's tests that pass with these policies.
func (a *app) passing(one *suite, run testRun, policies string) map[string]bool {
	passing := map[string]bool{}
	for _, r := range a.against(one, run, policies, func(*report.Report) {}) {
		passing[r.name()] = r.Pass
	}
	return passing
}

// tryMutant runs the tests that pass without the mutant. They use the mutated text or, if it cannot
// be patched in place, a rewritten one.
func (a *app) tryMutant(one *suite, run testRun, m mutants.Mutant, passing map[string]bool, rewritten func() (map[string]bool, error)) (mutantResult, error) {
	at, _ := one.in.sources.Place(diag.Policies, m.Span)
	out := mutantResult{File: at.File, Line: at.Line, Column: at.Column, Mutant: m, State: mutantSurvived}
	policies, inPlace, err := m.Policies(one.policies)
	if err == nil && !inPlace {
		passing, err = rewritten()
	}
	if err != nil {
		return out, err
	}
	refused := false
	results := a.against(one, run, policies, func(r *report.Report) {
		refused = refused || slices.ContainsFunc(r.Install, func(in report.Install) bool { return in.Code != 0 && in.Name == m.Name })
	})
	for _, r := range results {
		if !passing[r.name()] {
			continue
		}
		out.Tests++
		if !r.Pass && out.By == "" {
			out.State, out.By = mutantFound, r.name()
		}
	}
	if refused {
		out.State, out.By = mutantRefused, ""
	}
	return out, nil
}

// survivors returns the mutants that no test found.
func survivors(list []mutantResult) []mutantResult {
	return slices.DeleteFunc(slices.Clone(list), func(m mutantResult) bool { return m.State != mutantSurvived })
}

// mutantsText formats the result for people: a summary and the survivors.
func mutantsText(list []mutantResult) string {
	counts := map[string]int{}
	for _, m := range list {
		counts[m.State]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "mutants: %d tried, %d found by a test, %d survived", len(list)-counts[mutantRefused], counts[mutantFound], counts[mutantSurvived])
	if n := counts[mutantRefused]; n > 0 {
		fmt.Fprintf(&b, "; the server would reject %d more", n)
	}
	b.WriteString("\n")
	for _, m := range survivors(list) {
		fmt.Fprintf(&b, "  %s:%d:%d: %s %s: %s\n", m.File, m.Line, m.Column, m.Name, m.Path, m.Change)
	}
	return cutLines(b.String(), shownGaps+1)
}
