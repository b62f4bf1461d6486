// Package differential runs generated scenarios through the engine and through
// the reference, and reports the differences.
package differential

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/preadmit/preadmit/conformance/generate"
	"github.com/preadmit/preadmit/conformance/wire"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// A Result has the comparisons and differences.
type Result struct {
	Scenarios int
	// Counts are the numbers of comparisons, by subject.
	Counts map[string]int
	// Failures are the scenarios that differ.
	Failures []Failure
	// Excepted counts the scenarios that differ for a reason in Exceptions.
	Excepted map[string]int
}

// A Failure is a scenario for which engine and reference differ.
type Failure struct {
	Case        wire.Case
	Differences []Difference
}

// Describe describes the first n failures, and how to see each: the generator's command followed by
// its number.
func (r *Result) Describe(n int, generator string) []string {
	var out []string
	for i, f := range r.Failures {
		if i == n {
			return append(out, fmt.Sprintf("and %d more", len(r.Failures)-n))
		}
		var b strings.Builder
		_, number, _ := strings.Cut(f.Case.ID, "/")
		fmt.Fprintf(&b, "scenario %s (to see it: %s -first %s -show)\n", f.Case.ID, generator, number)
		for _, d := range f.Differences {
			fmt.Fprintln(&b, d)
		}
		out = append(out, b.String())
	}
	return out
}

// Evaluate evaluates a case with the engine as Kubernetes 1.minor.
func Evaluate(ctx context.Context, minor int, c wire.Case) (*report.Report, error) {
	// The reference is only the server's admission. Compare reads no repairs, and to try them takes
	// half of the time.
	options := engine.Options{Explain: true, Safety: true, AdmissionOnly: true}
	return evaluate(ctx, minor, c, options, "")
}

// NotStored reports whether a server rejects a case's object after the mutating phase, by its
// definition or a built-in kind's API validation, so that the validating phase never sees it. It
// does not check the user's permissions.
func NotStored(ctx context.Context, minor int, c wire.Case) (bool, error) {
	r, err := evaluate(ctx, minor, c, engine.Options{}, "")
	if err == nil && refusedBy(r, "authorization") {
		r, err = evaluate(ctx, minor, c, engine.Options{}, "allow")
	}
	if err != nil {
		return false, err
	}
	return RefusedByDefinition(r) || refusedBy(r, "validation"), nil
}

// refusedBy reports whether one of the server's own checks rejects a request.
func refusedBy(r *report.Report, check string) bool {
	by := r.Outcome.DecidedBy
	return by >= 0 && by < len(r.Steps) && r.Steps[by].Kind == engine.ServerKind && r.Steps[by].Policy == check
}

func evaluate(ctx context.Context, minor int, c wire.Case, options engine.Options, authorizer string) (*report.Report, error) {
	// The reference does not check for unknown fields, and its cluster only has the case's objects.
	return engine.Evaluate(ctx, scenario.Scenario{
		Kubernetes: fmt.Sprintf("1.%d", minor), Policies: c.Policies, Request: c.Request, Cluster: c.Cluster, Now: generate.Now,
		BeforeValidation: scenario.BeforeValidation{Set: c.Set, Remove: c.Remove},
		Options: scenario.Options{
			Defaulting: &c.Defaulting, Plugins: scenario.Exactly(), Authorizer: authorizer,
			FieldValidation: "Ignore", CompleteCluster: true,
		},
	}, options)
}

// brokenShare is the number of sets of invalid documents per scenario. Only their installation is
// compared, which takes hardly any time.
const brokenShare = 0.5

// generated generates a run's cases.
func generated(source generate.Source, first, n int) []generate.Scenario {
	out := make([]generate.Scenario, 0, n+int(brokenShare*float64(n)))
	for i := range n {
		out = append(out, source.Scenario(first+i))
	}
	for i := range int(brokenShare * float64(n)) {
		out = append(out, source.Broken(first+i))
	}
	return out
}

// Run compares n generated scenarios, and documents that a server rejects.
func Run(ctx context.Context, reference *Reference, seed uint64, first, n, workers int) (*Result, error) {
	source := generate.Source{Minor: reference.Minor, Seed: seed}
	return Test{Scenarios: generated(source, first, n), Compare: Compare, Exceptions: Exceptions}.Run(ctx, reference, workers)
}

// A Test compares the engine with the reference on scenarios.
type Test struct {
	Scenarios []generate.Scenario
	// Compare lists the differences between two responses to a scenario and counts comparisons.
	Compare func(a wire.Answer, r *report.Report, counts map[string]int) []Difference
	// Exceptions are the known and accepted differences.
	Exceptions []Exception
}

// Run runs the test with the given number of parallel scenarios on each side.
func (t Test) Run(ctx context.Context, reference *Reference, workers int) (*Result, error) {
	cases := make([]wire.Case, len(t.Scenarios))
	index := map[string]int{}
	result := &Result{Scenarios: len(t.Scenarios), Counts: map[string]int{}, Excepted: map[string]int{}}
	for i, s := range t.Scenarios {
		cases[i] = s.Case
		index[s.ID] = i
		if s.Request == "" {
			result.Counts["sets of broken documents"]++
		} else {
			result.Counts["requests: "+s.Operation+" "+s.Kind]++
		}
	}
	answers := make(chan wire.Answer, len(cases))
	failed := make(chan error, 1)
	go func() {
		failed <- reference.Answers(ctx, workers, cases, func(a wire.Answer) { answers <- a })
		close(answers)
	}()
	var lock sync.Mutex
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for a := range answers {
				counts := map[string]int{}
				c := cases[index[a.ID]]
				differences := t.compareCase(ctx, reference.Minor, c, a, counts)
				lock.Lock()
				result.add(c, differences, counts, t.Exceptions)
				lock.Unlock()
			}
		})
	}
	wg.Wait()
	return result, <-failed
}

func (t Test) compareCase(ctx context.Context, minor int, c wire.Case, a wire.Answer, counts map[string]int) (out []Difference) {
	defer func() {
		if p := recover(); p != nil {
			out = append(out, Difference{"the engine panics", "", fmt.Sprint(p)})
		}
	}()
	if a.Error != "" && !isPanic(a) {
		return []Difference{{"the reference could not run the scenario", a.Error, ""}}
	}
	r, err := Evaluate(ctx, minor, c)
	if err != nil {
		return []Difference{{"the engine failed", "", err.Error()}}
	}
	return t.Compare(a, r, counts)
}

func (r *Result) add(c wire.Case, differences []Difference, counts map[string]int, exceptions []Exception) {
	for k, v := range counts {
		r.Counts[k] += v
	}
	if len(differences) == 0 {
		return
	}
	if reason := excepted(exceptions, c, differences); reason != "" {
		r.Excepted[reason]++
		return
	}
	r.Failures = append(r.Failures, Failure{c, differences})
}
