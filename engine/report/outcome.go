package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// State is the verdict on a scenario. Only the engine decides it; everything else reads it.
type State string

// The states of an outcome. If several apply, the first in this list counts.
const (
	StatePolicyRefused State = "policyRefused" // the server rejects a policy, binding or webhook configuration
	StateNoRequest     State = "noRequest"     // there is no readable request; policies are still checked
	StateDenied        State = "denied"        // the server rejects the request
	StateUndecided     State = "undecided"     // nothing denies the request, but part of the texts cannot be read, or a limit was reached
	StateNoPolicyRan   State = "noPolicyRan"   // admitted, but no policy or webhook of the scenario matched
	StateNoPolicies    State = "noPolicies"    // admitted, and the scenario has no policy, webhook or rule
	StateMutated       State = "mutated"       // admitted, and policies or webhooks changed the object
	StateAdmitted      State = "admitted"      // admitted unchanged
)

// OutOfTime ends the reason of an outcome that is undecided because the evaluation reached its time limit.
const OutOfTime = "it took longer than Preadmit's time limit"

// TimedOut reports whether there is no verdict because the evaluation reached its time limit.
func (o *Outcome) TimedOut() bool {
	return o.State == StateUndecided && strings.HasSuffix(o.StateReason, OutOfTime)
}

// Unmatched is a policy or webhook that did not run for the request.
type Unmatched struct {
	Name   string `json:"name"`   // of the policy, with its binding if that has another name; or of the webhook
	Reason string `json:"reason"` // one line
	Step   int    `json:"step"`   // index in Steps; -1 if the server does not evaluate the policy at all
}

// maxSilent limits how many policies that did not run a sentence names.
const maxSilent = 3

// DidNotRun says in one line which policies did not run and why; empty if all ran.
func DidNotRun(list []Unmatched) string {
	if len(list) == 0 {
		return ""
	}
	var parts []string
	for _, u := range list[:min(len(list), maxSilent)] {
		parts = append(parts, u.Name+": "+u.Reason)
	}
	if more := len(list) - maxSilent; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	if len(list) == 1 {
		return "1 policy did not run: " + parts[0]
	}
	return fmt.Sprintf("%d policies did not run: %s", len(list), strings.Join(parts, "; "))
}

// NotReached are the policies and webhooks that the server does not come to, because something before
// them denied the request.
func (r *Report) NotReached() []Unmatched {
	if r.Outcome.State != StateDenied {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.NotRun), func(u Unmatched) bool { return u.Step >= 0 })
}

// Check is one of the server's checks of a request.
type Check struct {
	What string `json:"what"` // such as "3 policies" or "schema of Key"
	// Detail says which, or why it was not checked.
	Detail string `json:"detail,omitempty"`
}

// Unchecked says in one line which checks a server's verdict also depends on but were not made;
// empty if there are none.
func (r *Report) Unchecked() string {
	switch len(r.NotChecked) {
	case 0:
		return ""
	case 1:
		return "Not checked: " + r.NotChecked[0].What + " (" + r.NotChecked[0].Detail + ")."
	}
	var names []string
	for _, c := range r.NotChecked {
		names = append(names, c.What)
	}
	return "Not checked: " + strings.Join(names, ", ") + "."
}

// Assumption is something that no text says and that steps depend on.
type Assumption struct {
	What  string     `json:"what"`            // what is assumed
	Why   string     `json:"why"`             // why it must be assumed
	Steps []int      `json:"steps"`           // indices in Steps
	Fixes []diag.Fix `json:"fixes,omitempty"` // text changes that make it explicit
}

// The exit codes of every command that returns a verdict.
const (
	ExitAdmitted = 0 // admitted
	ExitDenied   = 1 // denied; or the stand-alone expression fails
	ExitWrong    = 2 // the input is wrong: a text, a refused policy, no request
	ExitBug      = 3 // there is a bug in Preadmit
)

// longValue is the length from which the whole of an object in the server's text is left out.
const longValue = 240

// dumped matches the beginning of an object or list in the server's text, as JSON or as Go prints it.
var dumped = lazy.Regexp{Text: `^Invalid value: (?:[\[{&]|(?:\[\]|map\[)?\w*\.?\w+\{)`}

// WithoutValue leaves an object of more than most bytes out of one of the server's causes.
func WithoutValue(cause string, most int) string {
	if i := max(strings.LastIndex(cause, "}: "), strings.LastIndex(cause, "]: ")); i > most && dumped.MatchString(cause) {
		return "Invalid value" + cause[i+1:]
	}
	return cause
}

// Brief returns one of the server's texts without the long objects of its causes. The outcome has the whole text.
func (o *Outcome) Brief(text string) string {
	for _, cause := range o.Causes {
		if brief := WithoutValue(cause, longValue); brief != cause {
			text = strings.Replace(text, cause, strings.Replace(brief, "Invalid value", "Invalid value: …", 1), 1)
		}
	}
	return text
}

// Mistaken reports whether a bug in Preadmit ended the evaluation.
func (r *Report) Mistaken() bool {
	return slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.Code == codes.Internal })
}

// ExitCode returns the exit code of a program that prints the report. A request that no policy
// matched is admitted.
func (r *Report) ExitCode() int {
	switch {
	case r.Mistaken():
		return ExitBug
	case Wrong(r.Install, r.Diagnostics), r.Request == nil && r.Expression == nil && r.Rules == nil:
		return ExitWrong
	case r.Request != nil && !r.Outcome.Allowed, r.Expression != nil && r.Expression.Error != "", r.Rules != nil && r.Rules.State == RulesInvalid:
		return ExitDenied
	}
	return ExitAdmitted
}

// Wrong reports whether the server would reject a document, or a text has an error. A verdict based
// on such input may not be the intended one.
func Wrong(install []Install, problems diag.Diagnostics) bool {
	refused := func(i Install) bool { return i.Code != 0 }
	return slices.ContainsFunc(install, refused) || problems.HasErrors()
}
