package html

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// State is how a step, or the whole request, looks to the reader. Its value is
// also the suffix of a CSS class and the name of an icon.
type State string

// The states. The first four are those of an outcome; each has an icon of its
// own shape and a word, so that colour is never the only sign.
const (
	Admitted  State = "admitted"
	Mutated   State = "mutated"
	Excluded  State = "excluded"
	Denied    State = "denied"
	Warned    State = "warned"
	Failed    State = "failed"    // an error that did not deny (failurePolicy Ignore)
	Unmatched State = "unmatched" // rules or selectors do not select the request
	Idle      State = "idle"      // skipped or not called; as an outcome: nothing was asked
)

// View is a report together with the texts it was made from.
type View struct {
	Report *report.Report
	// Texts are needed only to turn spans into line numbers.
	Texts map[diag.Text]string
}

// OutcomeState condenses the report to the state of the whole request. A
// request that is admitted because every policy that matched stepped aside is
// Excluded, which is what somebody who tests a match condition wants to know.
func OutcomeState(r *report.Report) State {
	switch {
	case !asked(r):
		return Idle
	case !r.Outcome.Allowed:
		return Denied
	case r.Outcome.Mutated:
		return Mutated
	}
	excluded := false
	for _, s := range r.Steps {
		switch s.Status {
		case report.Excluded:
			excluded = true
		case report.Evaluated, report.Errored:
			return Admitted
		}
	}
	if excluded {
		return Excluded
	}
	return Admitted
}

// asked reports whether there is a request, without which there is no answer.
func asked(r *report.Report) bool {
	return r.Request != nil || r.Outcome.Allowed || r.Outcome.Code != 0
}

// StepState is the state of one step.
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

// word is the one word for the state of a step.
func word(s report.Step) string { return string(s.State()) }

// verdictWord is the headline of the outcome.
func verdictWord(r *report.Report) string {
	switch OutcomeState(r) {
	case Idle:
		return "No request"
	case Denied:
		if r.Outcome.Panic {
			return "Crashed"
		}
		return "Denied"
	case Mutated:
		return "Admitted, mutated"
	case Excluded:
		return "Admitted, excluded"
	}
	return "Admitted"
}

// Headline is the outcome in a few words, for places that show no more: its
// state, the verdict, and the message, of which a policy's own words are enough.
func Headline(r *report.Report) (state State, verdict, message string) {
	frame, own := ownWords(r)
	if own == "" {
		own = frame
	}
	return OutcomeState(r), verdictWord(r), own
}

// statusWords is the HTTP status as a client names it: "422 Invalid".
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

// Announcement is the sentence that a screen reader hears when the outcome
// changes.
func Announcement(r *report.Report) string {
	text := verdictWord(r)
	if by := decider(r); by != nil {
		text += " by " + stepTitle(*by)
	}
	return text
}

// decider is the step that denied the request, or nil.
func decider(r *report.Report) *report.Step {
	i := r.Outcome.DecidedBy
	if r.Outcome.Allowed || i < 0 || i >= len(r.Steps) {
		return nil
	}
	return &r.Steps[i]
}

// stepTitle is the short name of a step: the policy, or the webhook.
func stepTitle(s report.Step) string {
	if s.Webhook != "" {
		return "webhook " + s.Webhook
	}
	return "policy " + s.Policy
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

// decidingCondition is the match condition that excluded the request or
// failed. A false one wins over an error (semantics §3).
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

// firstExcluded is the first step that a match condition excluded, or nil.
func firstExcluded(r *report.Report) *report.Step {
	for i := range r.Steps {
		if r.Steps[i].Status == report.Excluded {
			return &r.Steps[i]
		}
	}
	return nil
}
