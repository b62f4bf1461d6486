package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// State is the look of a step or the whole request. Its value is also a CSS class suffix and an
// icon name.
type State string

// The states. Each has its own icon shape and a word, so that colour is never the only sign.
const (
	Admitted  State = "admitted"
	Mutated   State = "mutated"
	Excluded  State = "excluded"
	Denied    State = "denied"
	Warned    State = "warned"
	Failed    State = "failed"    // an error that did not deny (failurePolicy Ignore)
	Refused   State = "refused"   // as an outcome: the server would reject a policy
	NotRun    State = "norun"     // as an outcome: admitted, but no policy ran
	Unmatched State = "unmatched" // rules or selectors do not match the request
	Idle      State = "idle"      // skipped or not called; as an outcome: nothing was evaluated
)

// View is a report with its texts. NewView's view counts each text's lines only once.
type View struct {
	Report *report.Report
	// Texts are the scenario's texts. Places in an unknown text have no line.
	Texts map[diag.Text]string
	// Lazy omits the content of folds, except those in Open, by key.
	Lazy bool
	Open []string
	// Loading says that the API server's own code is needed but not loaded: it is loaded "now", or
	// once the reader has "asked" for it.
	Loading string
	// Pending describes the checks that wait for that code.
	Pending string

	lines  map[diag.Text]*diag.Lines // lines of the texts, on demand
	wanted *wanted
}

// NewView returns the view of a report on a scenario with these texts.
func NewView(r *report.Report, texts map[diag.Text]string) View {
	return View{Report: r, Texts: texts, lines: map[diag.Text]*diag.Lines{}}
}

// OutcomeState returns the whole request's look.
func OutcomeState(r *report.Report) State {
	switch r.Outcome.State {
	case report.StatePolicyRefused:
		return Refused
	case report.StateNoPolicyRan, report.StateNoPolicies, report.StateUndecided:
		return NotRun
	case report.StateDenied:
		return Denied
	case report.StateMutated:
		return Mutated
	case report.StateAdmitted:
		return Admitted
	}
	return Idle
}

// asked reports whether there is a request, and so a verdict.
func asked(r *report.Report) bool {
	return r.Request != nil || r.Outcome.Allowed || r.Outcome.Code != 0
}

// StepState returns one step's look.
func StepState(s report.Step) State {
	switch s.State() {
	case report.StepDenied:
		return Denied
	case report.StepMutated:
		return Mutated
	case report.StepExcluded:
		return Excluded
	case report.StepNotMatched:
		return Unmatched
	case report.StepFailed:
		return Failed
	case report.StepWarned, report.StepAudited:
		return Warned
	case report.StepSkipped, report.StepNotCalled:
		return Idle
	}
	return Admitted
}

func word(s report.Step) string { return string(s.State()) }

// verdictWord is the headline of the outcome.
func verdictWord(r *report.Report) string {
	switch r.Outcome.State {
	case report.StatePolicyRefused:
		return refusedKind(r) + " rejected"
	case report.StateUndecided:
		return "Undecided"
	case report.StateNoPolicyRan:
		return "Admitted, no policy ran"
	case report.StateNoPolicies:
		return "Admitted, no policies"
	case report.StateDenied:
		if r.Outcome.Panic {
			return "Crashed"
		}
		return "Denied"
	case report.StateMutated:
		return "Admitted, mutated"
	case report.StateAdmitted:
		return "Admitted"
	}
	return "No request"
}

// refusedKind is what the server rejects: a policy, with all that belongs to one, unless it rejects only definitions.
func refusedKind(r *report.Report) string {
	if list := refused(r); len(list) > 0 && onlyDefinitions(list) {
		return definitionKind
	}
	return "Policy"
}

func onlyDefinitions(list []report.Install) bool {
	return !slices.ContainsFunc(list, func(i report.Install) bool { return i.Kind != definitionKind })
}

// policiesTaken reports whether there are policies and all are valid.
func (v View) policiesTaken() bool {
	wrong := func(d diag.Diagnostic) bool { return d.Text == diag.Policies && d.Wrong() }
	return strings.TrimSpace(v.Texts[diag.Policies]) != "" && !slices.ContainsFunc(v.Report.Diagnostics, wrong)
}

// withoutRefused returns the server's verdict without the rejected documents; empty if not
// applicable.
func withoutRefused(r *report.Report) string {
	o := r.Outcome
	if o.State != report.StatePolicyRefused || !asked(r) {
		return ""
	}
	if r.KindRefused() {
		return "Without this definition the server would answer 404, because the request's kind is unknown."
	}
	answer := "denied"
	if o.Allowed {
		answer = "admitted"
	}
	return fmt.Sprintf("Without it the request would be %s (%s).", answer, statusWords(o))
}

// Headline is the outcome in a few words: its state, the verdict, and the message, reduced to the
// policy's own text if possible.
func Headline(r *report.Report) (state State, verdict, message string) {
	frame, own := ownWords(r)
	if own == "" {
		own = frame
	}
	if r.Outcome.StateReason != "" {
		own = r.Outcome.StateReason
	}
	return OutcomeState(r), verdictWord(r), own
}

// statusWords is the HTTP status in a client's words: "422 Invalid".
func statusWords(o report.Outcome) string {
	reason := o.Reason
	if reason == "" && o.Allowed {
		reason = map[int]string{200: "OK", 201: "Created"}[o.Code]
	}
	if o.Code == 0 {
		return reason
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", o.Code, reason))
}

// Announcement is a screen reader's sentence when the outcome or its message changes.
func Announcement(r *report.Report) string {
	text := verdictWord(r)
	if reason := r.Outcome.StateReason; reason != "" && asked(r) {
		text += ": " + reason
	} else if by := decider(r); by != nil {
		text += " by " + stepTitle(*by)
	}
	if frame, own := ownWords(r); own != "" {
		text += ": " + own
	} else if frame != "" {
		text += ": " + frame
	}
	return text
}

// decider returns the step that denied the request, or nil.
func decider(r *report.Report) *report.Step {
	i := r.Outcome.DecidedBy
	if r.Outcome.Allowed || i < 0 || i >= len(r.Steps) {
		return nil
	}
	return &r.Steps[i]
}

// stepTitle returns a step's short name: the policy or the webhook.
func stepTitle(s report.Step) string {
	if s.Webhook != "" {
		return "webhook " + s.Webhook
	}
	return "policy " + s.Policy
}

// mostConditions is how many match conditions the verdict shows.
const mostConditions = 3

// reasons are the expressions that the verdict shows: the culprit, or the match conditions of a policy that denies
// all that they let through.
func reasons(s report.Step) []report.Evaluation {
	e := culprit(s)
	switch {
	case e == nil:
		return nil
	case strings.TrimSpace(e.Expression) == "false" && len(s.Conditions) > 0:
		return s.Conditions[:min(len(s.Conditions), mostConditions)]
	}
	return []report.Evaluation{*e}
}

// culprit is the expression that a reader should look at first: the one that
// denied, failed or excluded. Nil when no expression decided.
func culprit(s report.Step) *report.Evaluation {
	for i := range s.Validations {
		if s.Validations[i].Decision == report.Deny {
			return &s.Validations[i].Evaluation
		}
	}
	for i := range s.Mutations {
		if s.Mutations[i].Error != "" {
			return &s.Mutations[i].Evaluation
		}
	}
	if c := decidingCondition(s); c != nil {
		return c
	}
	for _, list := range [][]report.Evaluation{s.Variables, s.AuditAnnotations} {
		for i := range list {
			if list[i].Error != "" {
				return &list[i]
			}
		}
	}
	return nil
}

// decidingCondition returns the match condition that excluded the request or failed. A false one
// wins over an error (semantics §3).
func decidingCondition(s report.Step) *report.Evaluation {
	var failed *report.Evaluation
	for i := range s.Conditions {
		c := &s.Conditions[i]
		if c.Result == false {
			return c
		}
		if c.Error != "" && failed == nil {
			failed = c
		}
	}
	return failed
}

// firstExcluded returns the first step excluded by a match condition, or nil.
func firstExcluded(r *report.Report) *report.Step {
	for i := range r.Steps {
		if r.Steps[i].Status == report.Excluded {
			return &r.Steps[i]
		}
	}
	return nil
}

// fixOf returns the index of the first problem with a fix in an expression; -1 if there is none.
func fixOf(r *report.Report, e report.Evaluation) int {
	return slices.IndexFunc(r.Diagnostics, func(d diag.Diagnostic) bool {
		return len(d.Fixes) > 0 && d.Severity != diag.Info && d.Text == e.Text && d.Span.Start >= e.Span.Start && d.Span.End <= e.Span.End
	})
}

// onlyUnbound returns the index of the problem about the one policy that no binding names, where no
// policy ran; -1 otherwise.
func onlyUnbound(r *report.Report) int {
	found := -1
	for i, d := range r.Diagnostics {
		if d.Code != codes.PolicyWithoutBinding || len(d.Fixes) == 0 {
			continue
		}
		if found >= 0 || OutcomeState(r) != NotRun {
			return -1
		}
		found = i
	}
	return found
}

// DecidingExpression returns the expression to show first for an example: the one that denied or
// excluded, else the first mutation, else the first validation; empty if there is none.
func DecidingExpression(r *report.Report) string {
	if e := deciding(r); e != nil {
		return e.Expression
	}
	return ""
}

// deciding returns DecidingExpression's evaluation, or nil.
func deciding(r *report.Report) *report.Evaluation {
	if by := decider(r); by != nil {
		if e := culprit(*by); e != nil {
			return e
		}
	}
	for _, s := range r.Steps {
		if e := decidingCondition(s); e != nil {
			return e
		}
	}
	for _, s := range r.Steps {
		if len(s.Mutations) > 0 {
			return &s.Mutations[0].Evaluation
		}
		if len(s.Validations) > 0 {
			return &s.Validations[0].Evaluation
		}
	}
	return nil
}
