// Package trial evaluates the texts once more for each repair of a report, drops those
// that lead to another problem, and ranks the others.
package trial

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/repair/failures"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// maxTried bounds how many repairs of one report are tried. A text with more problems than
// that is a half-written one, whose problems are repaired one after the other.
const maxTried = 24

// UnreadableCodes are those of a part of a text that cannot be read.
var UnreadableCodes = []string{codes.YAMLSyntax, codes.JSONSyntax, codes.ForeignOutput}

// Repairable reports whether a report has repairs that can be tried.
func Repairable(r *report.Report) bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Severity != diag.Info && slices.ContainsFunc(d.Fixes, triable)
	})
}

// triable reports whether a repair is tried: one that is about the request as a whole is not.
func triable(f diag.Fix) bool { return f.Request == nil && len(f.Edits) > 0 }

// Withhold applies each repair of the report to the texts, evaluates them again, and takes
// away those that lead from one problem to another one: those that lead nowhere, and of
// several repairs of a problem those after which there is more to repair, or fewer policies
// run, than after others.
func (t *Trial) Withhold() {
	t.near = map[string][]neighbour{}
	tries := make([][]attempt, len(t.Report.Diagnostics))
	telling := map[string]bool{} // the expressions with a repair after which they tell requests apart
	for i, d := range t.Report.Diagnostics {
		if d.Severity == diag.Info || t.Skip != nil && t.Skip(d) {
			continue // advice, of which each piece is the reader's choice; a policy may have much of it
		}
		for _, f := range d.Fixes {
			a := t.try(d, f)
			tries[i] = append(tries[i], a)
			telling[d.Document+" "+d.Path] = telling[d.Document+" "+d.Path] || a.end == done && a.asks == apart
		}
	}
	for i := range t.Report.Diagnostics {
		if d := &t.Report.Diagnostics[i]; len(tries[i]) > 0 {
			offered := len(d.Fixes)
			d.Fixes = preferred(d.Fixes, tries[i], telling[d.Document+" "+d.Path])
			if d.Severity == diag.Error && len(d.Fixes) < offered && !slices.ContainsFunc(tries[i], attempt.fails) {
				MarkSure(t.Report.Diagnostics[i : i+1]) // what is left may be the one that does not lead to worse
			}
			if provable[d.Code] && offered == 1 && len(d.Fixes) == 1 && !d.Fixes[0].Choice && tries[i][0].admits {
				d.Fixes[0].Sure = true
			}
		}
	}
}

// end is where a repair leads.
type end int

const (
	done    end = iota // there is no new error
	further            // to an error that may have been behind the one that is repaired
	astray             // to worse texts
	untried
)

// attempt is what became of a repair.
type attempt struct {
	end    end
	asks   asks
	strain strain
	// admits says that the expression was false for the request, is true after the repair, and still
	// tells requests apart.
	admits bool
}

// Trial tries the repairs of one report.
type Trial struct {
	// Scenario has the texts before the repairs. Documents are theirs, as compiled.
	Scenario  scenario.Scenario
	Documents map[diag.Text][]*scenario.Document
	Report    *report.Report
	Catalog   *catalog.Catalog
	Budget    *worklimit.Budget          // of all trials
	Skip      func(diag.Diagnostic) bool // leaves problems out; nil for none
	// Compile compiles a repaired scenario. A mistake of this library on it is an error.
	Compile func(scenario.Scenario) (Run, error)

	tried int
	ended bool                   // the budget has
	near  map[string][]neighbour // by the document that a repair is for
}

// Run evaluates the request of a scenario whose other texts are compiled. It fails if the evaluation
// does not end.
type Run func(s scenario.Scenario, traces eval.Options) (*report.Report, error)

// try applies a repair and says where it leads, and what is asked after it.
func (t *Trial) try(of diag.Diagnostic, f diag.Fix) attempt {
	if !triable(f) || t.tried == maxTried || t.ended {
		return attempt{end: untried}
	}
	t.tried++
	s := t.Scenario
	for name, text := range map[diag.Text]*string{diag.Policies: &s.Policies, diag.Request: &s.Request, diag.Cluster: &s.Cluster, diag.Expression: &s.Expression} {
		changed, err := f.Apply(name, *text)
		if err != nil {
			return attempt{end: untried} // a mistake of ours, which the tests are to find
		}
		*text = changed
	}
	run, err := t.Compile(s)
	if err != nil {
		return attempt{end: untried}
	}
	// The values of the parts of expressions are for the requests that tell what they ask.
	after, err := t.run(run, s, eval.Options{Trace: of.Path != "", Budget: t.Budget})
	if err != nil {
		return attempt{end: untried}
	}
	out := attempt{end: t.leads(of, f, after)}
	if out.end == done && !f.Draft {
		out.asks = t.asked(run, of, s, after)
		out.strain = t.strain(run, of, s, after)
		was, is := expressionOf(t.Report, of), expressionOf(after, of)
		out.admits = out.asks == apart && was != nil && is != nil && was.Result == false && is.Result == true
	}
	return out
}

// leads says where a repair led that gave this answer. It led astray where less of the
// texts can be read, where the server refuses a document that it accepts now, and where
// what the repair wrote has a problem of its own for which there is no repair, or, in a
// text that could not be read, the wrong shape; and where an admitted request is not valid
// after a repair of its own text. The problems of a draft, in which something is left to
// write, are not looked at.
func (t *Trial) leads(of diag.Diagnostic, f diag.Fix, after *report.Report) end {
	before := t.Report
	was, is := countUnreadable(before), countUnreadable(after)
	worse := countRefused(after) > countRefused(before)
	if is > was || worse && of.Accepted || t.refusesAccepted(after) || refusesRequest(f, before, after) {
		return astray
	}
	if f.Draft {
		return done // there is something left to write in it, so it may not be valid yet
	}
	known := map[problem]bool{}
	for _, d := range before.Diagnostics {
		known[problemOf(d)] = known[problemOf(d)] || !d.Next // what is behind a mistake was found by its first repair
	}
	unreadable := slices.Contains(UnreadableCodes, of.Code)
	leads := done
	if worse || ran(after) < ran(before) && !strings.HasPrefix(f.Title, failures.MatchOnly) {
		leads = further
	}
	for _, d := range after.Diagnostics {
		if unreadable && d.Code == codes.UnknownField && d.Line == of.Line && len(d.Fixes) == 0 {
			return astray // the line was moved to where the API does not have its field
		}
		if d.Next || known[problemOf(d)] {
			continue
		}
		switch {
		case of.Path != "" && d.Path == of.Path && d.Code == codes.FixedResult:
			return astray
		case of.Accepted && of.Path != "" && d.Path == of.Path && (d.Code == codes.ValidationNeverFalse || d.Code == codes.ValidationNeverTrue):
			leads = further
		case of.Path != "" && d.Path == of.Path && d.Severity != diag.Info && len(d.Fixes) == 0 && (d.Code == codes.CELRuntime || d.Code == codes.TypeChecking || d.Code == codes.UnknownObjectField):
			leads = further // what was meant may fail or be doubted as well
		case of.Path != "" && d.Path == of.Path && d.Code == codes.MissingParent:
			leads = further
		case d.Severity == diag.Error && len(d.Fixes) == 0 && writtenBy(f, d.Text, d.Span):
			return astray
		case unreadable && (d.Code == codes.WrongType || d.Code == codes.Undecodable) && writtenBy(f, d.Text, d.Span):
			return astray
		}
	}
	return leads
}

// run is the answer to the request of a repaired scenario.
func (t *Trial) run(run Run, s scenario.Scenario, traces eval.Options) (*report.Report, error) {
	after, err := run(s, traces)
	t.ended = err != nil
	return after, err
}

// problem is a problem, wherever in its text it is.
type problem struct {
	code          string
	text          diag.Text
	path, summary string
}

func problemOf(d diag.Diagnostic) problem { return problem{d.Code, d.Text, d.Path, d.Summary} }

// writtenBy reports whether a repair wrote all that is at a place of the repaired text.
func writtenBy(f diag.Fix, text diag.Text, place diag.Span) bool {
	var edits []diag.Edit
	for _, e := range f.Edits {
		if e.Text == text {
			edits = append(edits, e)
		}
	}
	slices.SortFunc(edits, func(a, b diag.Edit) int { return a.Span.Start - b.Span.Start })
	return slices.ContainsFunc(Written(edits), func(w diag.Span) bool { return w.Start <= place.Start && place.End <= w.End })
}

// Written are the places of what edits of one text have written, in the text after them. The edits are
// in the order of their places, and none overlap.
func Written(edits []diag.Edit) []diag.Span {
	var out []diag.Span
	longer := 0
	for _, e := range edits {
		start := e.Span.Start + longer
		out = append(out, diag.Span{Start: start, End: start + len(e.New)})
		longer += len(e.New) - (e.Span.End - e.Span.Start)
	}
	return out
}

func countUnreadable(r *report.Report) int {
	n := 0
	for _, d := range r.Diagnostics {
		if !d.Next && slices.Contains(UnreadableCodes, d.Code) {
			n++
		}
	}
	return n
}

// refusesAccepted reports whether a document that the server accepts now is refused after a
// repair, for something that has no repair.
func (t *Trial) refusesAccepted(after *report.Report) bool {
	return slices.ContainsFunc(after.Install, func(in report.Install) bool {
		name := strings.TrimSuffix(in.Kind+"/"+in.Name, "/")
		there := slices.ContainsFunc(t.Documents[in.Text], func(d *scenario.Document) bool { return d.Kind == in.Kind && d.Name == in.Name })
		wrong := func(d diag.Diagnostic) bool { return d.Severity == diag.Error && d.Document == name }
		return in.Code != 0 && there && !slices.ContainsFunc(t.Report.Diagnostics, wrong) &&
			slices.ContainsFunc(after.Diagnostics, func(d diag.Diagnostic) bool { return wrong(d) && len(d.Fixes) == 0 })
	})
}

// refusesRequest reports whether a request that is admitted now is refused after a repair of
// its own text, and by no policy and no webhook: the repaired object is not valid.
func refusesRequest(f diag.Fix, before, after *report.Report) bool {
	inRequest := !slices.ContainsFunc(f.Edits, func(e diag.Edit) bool { return e.Text != diag.Request })
	return inRequest && before.Outcome.Allowed && !after.Outcome.Allowed && after.Outcome.DecidedBy < 0
}

// ran is the number of policies and webhooks that ran.
func ran(r *report.Report) int {
	names := map[string]bool{}
	for _, s := range r.Steps {
		if s.OfPolicy() && (s.Status == report.Evaluated || s.Called) {
			names[s.Kind+"/"+s.Policy+"/"+s.Webhook] = true
		}
	}
	return len(names)
}

func countRefused(r *report.Report) int {
	n := 0
	for _, in := range r.Install {
		if in.Code != 0 {
			n++
		}
	}
	return n
}
