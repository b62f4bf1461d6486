package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/budget"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Limits bound what one evaluation may take, so that a text of a stranger cannot
// take all of a machine. Zero is the default of [DefaultLimits], a negative number
// no limit. A deadline is that of the context. An evaluation that reaches a limit
// gives a report anyway, of what was done by then: see the code "run-limit" in
// docs/diagnostics.md.
type Limits struct {
	// Work is in units of some ten to twenty nanoseconds. It is counted, so the same
	// texts reach it at the same place on every machine.
	Work int64
	// Bytes are those of what is read and made, as far as it is counted; about a
	// third of what the process takes.
	Bytes int64
	// Heap is by how many bytes the heap of the whole process may grow. There is none
	// by default: it is for programs that evaluate one scenario at a time.
	Heap int64
}

// DefaultLimits are those of Limits that are zero: one or two seconds, and 128 MiB.
// That is less than the server's own ten million cost units where loops in loops make
// each unit dear: docs/limits.md has the figures.
func DefaultLimits() Limits { return Limits{Work: 80_000_000, Bytes: 128 << 20} }

// budget begins a run.
func (l Limits) budget(ctx context.Context) *budget.Budget {
	standard := DefaultLimits()
	return budget.New(ctx, budget.Limits{
		Work: limit(l.Work, standard.Work), Bytes: limit(l.Bytes, standard.Bytes), Heap: max(l.Heap, 0),
	})
}

func limit(given, standard int64) int64 {
	if given == 0 {
		return standard
	}
	return max(given, 0)
}

// Shares of the budget, in hundredths, of what the answer does not need.
const (
	typeChecksShare   = 15
	repairsShare      = 10
	plausibleShare    = 10
	neverShare        = 10
	safetyShare       = 20
	expressionShare   = 40
	explanationsShare = 15
	noEffectShare     = 5
)

// optional runs a part that the answer does not need. When it reaches its share, it
// ends and the report says so.
func (e *evaluation) optional(step string, share int64, f func()) {
	if ended := e.budget.Within(step, share, f); ended != nil {
		e.diagnose([]diag.Diagnostic{leftOut(step, ended)})
	}
}

// leftOut says that a part, whose name is a plural, was left out. What was being done
// then may be a step of the part, such as a policy that the safety checks run again.
func leftOut(part string, ended *budget.Ended) diag.Diagnostic {
	at := ""
	if ended.Step != part {
		at = "They ended at " + ended.Step + ". "
	}
	return diag.Diagnostic{Code: codes.RunLimit, Severity: diag.Warning, Text: diag.Settings,
		Summary: part + " are not complete: " + why(ended),
		Detail:  "The answer is still complete. " + at + remedy(ended)}
}

// stopped says that there is no answer, at the expression that was being read then, if any.
func stopped(ended *budget.Ended, documents []*scenario.Document) diag.Diagnostic {
	d := diag.Diagnostic{Code: codes.RunLimit, Severity: diag.Error, Text: diag.Settings,
		Summary: "stopped at " + ended.Step + ": " + why(ended),
		Detail:  "The report has the results so far. " + remedy(ended)}
	if ended.Expression == "" {
		return d
	}
	for _, doc := range documents {
		path, found := textIn(nil, doc.Value, strings.TrimSpace(ended.Expression))
		if !found {
			continue
		}
		d.Text, d.Span, d.Path, d.Document = doc.Text, doc.Locate(path.String()), path.String(), doc.Kind+"/"+doc.Name
		if scalar, mapped := doc.Scalar(path.String()); mapped && ended.End > 0 {
			text, _ := path.Get(doc.Value)
			before, _, _ := strings.Cut(textOf(text), ended.Expression)
			indent := utf8.RuneCountInString(before)
			d.Span = scalar.SpanOfRunes(indent+ended.Start, indent+ended.End)
		}
		break
	}
	return d
}

// textIn is where a value has a text, white space around it apart.
func textIn(at fieldpath.Path, value any, text string) (path fieldpath.Path, found bool) {
	switch value := value.(type) {
	case string:
		return at, strings.TrimSpace(value) == text
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if path, found := textIn(at.Child(name), value[name], text); found {
				return path, true
			}
		}
	case []any:
		for i, item := range value {
			if path, found := textIn(at.Index(i), item, text); found {
				return path, true
			}
		}
	}
	return nil, false
}

// why says which limit was reached.
func why(ended *budget.Ended) string {
	switch {
	case ended.Detail != "":
		return ended.Detail
	case ended.Limit == budget.Time:
		return "the time is up"
	case ended.Limit == budget.Memory:
		return fmt.Sprintf("more than %d MiB would be needed", ended.Max>>20)
	}
	return fmt.Sprintf("more than %s units of work would be needed", report.Number(ended.Max))
}

// remedy says what to change.
func remedy(ended *budget.Ended) string {
	if ended.Remedy != "" {
		return "The limit is Preadmit's and not the server's. " + ended.Remedy
	}
	switch ended.Limit {
	case budget.Time:
		return "Give it more time, or less to do: fewer policies, bindings and params, or a smaller object."
	case budget.Memory:
		return "The limit is Preadmit's and not the server's. Shorten the lists and strings that are copied or repeated there."
	}
	return "The limit is Preadmit's, not the server's. It keeps an unknown scenario from freezing a browser. Use fewer policies, bindings and params, or a smaller object."
}

// cut completes the report of a run that ended early: the steps so far, and no
// verdict.
func (e *evaluation) cut(ended *budget.Ended) {
	e.ended = ended
	e.diagnose([]diag.Diagnostic{stopped(ended, slices.Concat(e.compiled.documents[diag.Policies], e.compiled.documents[diag.Cluster]))})
	if e.chain == nil {
		return
	}
	if s := e.chain.Last(); s != nil && underWay(s, ended) {
		s.Status, s.Verdict, s.Reason = report.Skipped, "", "Preadmit stopped here: "+why(ended)+"."
	}
	e.report.Steps = e.chain.Reported()
	e.report.Object, e.report.Mutated = e.chain.Attributes.Object, e.afterMutation
	e.report.Outcome.DecidedBy = -1
	e.report.Outcome.Warnings, e.report.Outcome.AuditAnnotations = e.chain.Warnings(), e.chain.AuditAnnotations()
}

// underWay reports whether a run ended while the last of its steps was evaluated.
func underWay(last *report.Step, ended *budget.Ended) bool {
	if last.Status != "" && last.Status != report.Evaluated || last.Verdict != "" && last.Verdict != report.Admit {
		return false
	}
	return last.Verdict == "" || last.Policy != "" && strings.HasSuffix(ended.Step, " policy "+last.Policy)
}

// undecided is the reason of a run without a verdict, with what is known of it.
func (e *evaluation) undecided() string {
	for i := range e.report.Steps {
		if s := &e.report.Steps[i]; s.Verdict == report.Deny {
			return fmt.Sprintf("%s; %s denies the request in any case", e.stopReason(), stepName(s))
		}
	}
	return e.stopReason()
}

func (e *evaluation) stopReason() string { return "stopped at " + e.ended.Step + ": " + why(e.ended) }
