// Package repairs applies a report's fixes until none with one likely
// answer is left ([diag.Fix.Sure]): "preadmit fix", and the button of the page.
package repairs

import (
	"context"
	"fmt"
	"slices"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Result is a scenario after its repairs.
type Result struct {
	// Scenario has the repaired texts; its options are as they were.
	Scenario scenario.Scenario
	// Applied lists the repairs in the order in which they were applied.
	Applied []Applied
	// Rounds are the edits that were made, those of one round together: each counts in
	// the texts as the rounds before it left them.
	Rounds []diag.Fix
	// Report is that of the repaired scenario, with the answer and the problems
	// that are left.
	Report *report.Report
}

// Applied is a repair that was applied.
type Applied struct {
	Code     string    `json:"code"`               // of the problem
	Title    string    `json:"title"`              // what the repair did
	Text     diag.Text `json:"text"`               // the text with the problem
	Line     int       `json:"line"`               // of the problem, from 1, in the text as it was then
	Document string    `json:"document,omitempty"` // Kind/name
	Summary  string    `json:"summary"`            // the problem
	// Edited are the texts that the repair changed.
	Edited []diag.Text `json:"-"`
	key    string
}

// maxRounds bounds the evaluations: an error that cannot be read hides others, so
// each round may show new ones. A text of five problems takes two or three.
const maxRounds = 24

// maxLimited bounds the evaluations that reach a limit of work. Each takes a second, and what it
// leaves out cannot be compared.
const maxLimited = 3

// tried explains the request, as the answer that the reader saw did: a failure has fixes only then.
var tried = engine.Options{Explain: true, TryRepairs: true}

// All applies all fixes that have one likely answer, those of the problems that
// show only after others are repaired, too. A fix after which its problem is
// still there, or a text can no longer be read, is not kept. The error is that of
// engine.Evaluate, or says that the edits of a fix do not fit its text.
func All(ctx context.Context, s scenario.Scenario) (_ *Result, err error) {
	defer guard.Error(&err)
	f := &fixer{ctx: ctx, options: tried, Result: Result{Scenario: s}, failed: map[string]bool{}}
	if err := f.all(); err != nil {
		return nil, err
	}
	return &f.Result, nil
}

func (f *fixer) all() (err error) {
	if f.Report, err = f.evaluate(f.Scenario); err != nil {
		return err
	}
	f.seen = append(f.seen, f.Scenario)
	for range maxRounds {
		progress, err := f.round()
		if err != nil {
			return err
		}
		switch {
		case f.limited >= maxLimited:
			return nil
		case progress:
		case f.options.Foresee || f.Scenario.Request != "":
			return nil
		default: // without a request, expressions fail only for those that are foreseen
			f.options.Foresee = true
			if f.Report, err = f.evaluate(f.Scenario); err != nil {
				return err
			}
		}
	}
	return nil
}

// evaluate counts the evaluations that reach a limit.
func (f *fixer) evaluate(s scenario.Scenario) (*report.Report, error) {
	r, err := engine.Evaluate(f.ctx, s, f.options)
	if err == nil && slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == codes.RunLimit }) {
		f.limited++
	}
	return r, err
}

type fixer struct {
	Result
	ctx     context.Context
	options engine.Options
	// failed are the problems whose fix was tried in vain.
	failed map[string]bool
	// seen are the scenarios before the rounds: one that comes back is not repaired.
	seen []scenario.Scenario
	// ends are how many fixes were applied after each round.
	ends []int
	// limited is how many evaluations have reached a limit of work.
	limited int
}

// repair is a fix with its problem.
type repair struct {
	problem diag.Diagnostic
	fix     diag.Fix
}

// round applies the fixes of the report, all at once if they get on with each
// other, else those that can be applied one after another.
func (f *fixer) round() (bool, error) {
	list := f.sure()
	if len(list) == 0 {
		return false, nil
	}
	if len(list) > 1 {
		if done, err := f.apply(list); done || err != nil {
			return done, err
		}
	}
	for _, one := range list {
		done, err := f.apply([]repair{one})
		if done || err != nil {
			return done, err
		}
		f.failed[key(one.problem)] = true
		if f.limited >= maxLimited {
			break
		}
	}
	return false, nil
}

// sure are the fixes to apply, of which no two touch.
func (f *fixer) sure() []repair {
	var out []repair
	var taken []diag.Edit
	for _, severity := range []diag.Severity{diag.Error, diag.Warning} {
		for _, d := range f.Report.Diagnostics {
			if d.Severity != severity || f.failed[key(d)] {
				continue
			}
			for _, fix := range d.Fixes {
				if fix.Sure && !slices.ContainsFunc(fix.Edits, func(e diag.Edit) bool { return touches(taken, e) }) {
					taken = append(taken, fix.Edits...)
					out = append(out, repair{d, fix})
				}
			}
		}
	}
	return out
}

// touches reports whether an edit changes what another one changes. Two that
// insert at one place touch: which comes first matters.
func touches(list []diag.Edit, e diag.Edit) bool {
	return slices.ContainsFunc(list, func(other diag.Edit) bool {
		return other.Text == e.Text && e.Span.Start <= other.Span.End && other.Span.Start <= e.Span.End
	})
}

// apply applies fixes and keeps the result if it is better.
func (f *fixer) apply(list []repair) (bool, error) {
	all := diag.Fix{}
	for _, one := range list {
		all.Edits = append(all.Edits, one.fix.Edits...)
	}
	s, err := Apply(f.Scenario, all)
	if err != nil && len(list) > 1 {
		return false, nil // edits of two fixes that do not go together: they are applied one by one
	}
	if err != nil {
		return false, err // a fix that cannot be applied is a mistake of ours
	}
	if i := slices.IndexFunc(f.seen, func(before scenario.Scenario) bool { return sameTexts(before, s) }); i >= 0 && len(all.Edits) > 0 {
		for _, one := range list {
			f.failed[key(one.problem)] = true
		}
		return i < len(f.Rounds), f.goBack(i)
	}
	r, err := f.evaluate(s)
	if err != nil {
		return false, err
	}
	for _, one := range list {
		if count(r, one.problem) >= count(f.Report, one.problem) {
			return false, nil
		}
	}
	if unreadable(r) > unreadable(f.Report) {
		return false, nil
	}
	for _, one := range list {
		d := one.problem
		f.Applied = append(f.Applied, Applied{d.Code, one.fix.Title, d.Text, d.Line, d.Document, d.Summary, edited(one.fix), key(d)})
	}
	f.Scenario, f.Report = s, r
	f.Rounds, f.seen, f.ends = append(f.Rounds, all), append(f.seen, s), append(f.ends, len(f.Applied))
	return true, nil
}

func sameTexts(a, b scenario.Scenario) bool {
	return a.Policies == b.Policies && a.Request == b.Request && a.Cluster == b.Cluster && a.Expression == b.Expression
}

// goBack undoes the rounds after an earlier scenario, to which the fixes of the last ones have led back.
func (f *fixer) goBack(to int) error {
	if to == len(f.Rounds) {
		return nil // the fix changes nothing
	}
	applied := 0
	if to > 0 {
		applied = f.ends[to-1]
	}
	for _, a := range f.Applied[applied:] {
		f.failed[a.key] = true
	}
	r, err := f.evaluate(f.seen[to])
	if err != nil {
		return err
	}
	f.Scenario, f.Report = f.seen[to], r
	f.Applied, f.Rounds, f.ends, f.seen = f.Applied[:applied], f.Rounds[:to], f.ends[:to], f.seen[:to+1]
	return nil
}

func edited(fix diag.Fix) (out []diag.Text) {
	for _, e := range fix.Edits {
		if !slices.Contains(out, e.Text) {
			out = append(out, e.Text)
		}
	}
	return out
}

// Apply makes the edits of a fix in the texts of a scenario.
func Apply(s scenario.Scenario, f diag.Fix) (_ scenario.Scenario, err error) {
	defer guard.Error(&err)
	for name, text := range map[diag.Text]*string{
		diag.Policies: &s.Policies, diag.Request: &s.Request, diag.Cluster: &s.Cluster, diag.Expression: &s.Expression,
	} {
		changed, err := f.Apply(name, *text)
		if err != nil {
			return s, fmt.Errorf("%s: %w", f.Title, err)
		}
		*text = changed
	}
	return s, nil
}

// key names a problem, wherever it has moved to.
func key(d diag.Diagnostic) string {
	return fmt.Sprintf("%s %s %s %s %s", d.Code, d.Text, d.Document, d.Path, d.Summary)
}

// count says how often a report has a problem.
func count(r *report.Report, d diag.Diagnostic) int {
	n := 0
	for _, other := range r.Diagnostics {
		if key(other) == key(d) {
			n++
		}
	}
	return n
}

// unreadable is the number of places at which texts cannot be read.
func unreadable(r *report.Report) int {
	n := 0
	for _, d := range r.Diagnostics {
		if d.Code == codes.YAMLSyntax || d.Code == codes.JSONSyntax {
			n++
		}
	}
	return n
}
