package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

// mostFacts limits the items in one row of the verdict's card.
const mostFacts = 3

// fieldChange is a change to the object by a policy or webhook.
type fieldChange struct {
	report.PatchOperation
	By string
}

// changed returns the changes by policies and webhooks, in order.
func changed(r *report.Report) []fieldChange {
	var out []fieldChange
	for _, s := range r.Steps {
		if !s.OfPolicy() || StepState(s) != Mutated && StepState(s) != Denied {
			continue
		}
		for _, op := range changesOf(s) {
			out = append(out, fieldChange{PatchOperation: op, By: stepName(s)})
		}
	}
	return out
}

// changeText abbreviates a change: the field, and its value if short. For an object with one field
// it is that field.
func changeText(c fieldChange) string {
	pointer, v := c.Path, c.Value
	for {
		object, ok := v.(map[string]any)
		if !ok || len(object) != 1 {
			break
		}
		for key, inner := range object {
			pointer, v = pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(key), inner
		}
	}
	text := operationSign(c.Op) + " " + fieldPath(pointer)
	if c.Op == "remove" || c.Op == "move" || c.Op == "copy" {
		return text
	}
	if s, ok := v.(string); ok && !isBlock(v) {
		return text + ": " + cut(s, 2*shortValue)
	}
	return text + ": " + cut(value(v), 2*shortValue)
}

// stepFact is a policy or webhook that did not run, failed or did not deny, and why.
type stepFact struct{ Name, Reason string }

// stepsThat returns the policies and webhooks in a state, each reason once. One that does not run again
// in the second pass is not among them.
func stepsThat(r *report.Report, state report.StepState) []stepFact {
	var out []stepFact
	for _, s := range r.Steps {
		if !s.OfPolicy() || s.Pass > 0 && state != report.StepFailed || s.State() != state {
			continue
		}
		fact := stepFact{stepName(s), cmp.Or(s.Undenied(), s.Reason)}
		if state == report.StepFailed {
			fact.Reason = "an error that the server ignores"
		}
		if !slices.Contains(out, fact) {
			out = append(out, fact)
		}
	}
	return out
}

// idleSteps are the states of policies and webhooks that did not run, in the words of the documents and of
// Why. Where none ran the verdict lists them all.
func idleSteps(r *report.Report) []report.StepState {
	if len(r.Outcome.Unmatched) > 0 {
		return nil
	}
	return []report.StepState{report.StepExcluded, report.StepNotMatched}
}

// notable is the share of a limit from which the verdict tells the worst case.
const notable = 0.1

// costText describes the expressions' cost, and the limit that a larger object exceeds or comes near,
// else the one that is nearest now; empty if nothing ran.
func costText(r *report.Report) string {
	total := totalCost(r)
	if total == 0 {
		return ""
	}
	var nearest, atWorst *report.Budget
	for i := range r.Budgets {
		b := &r.Budgets[i]
		if b.Used == 0 || b.Limit <= 0 {
			continue
		}
		if nearest == nil || shareOf(b.Used, b) > shareOf(nearest.Used, nearest) {
			nearest = b
		}
		if grows(b) || worst(*b) <= b.Limit && shareOf(worst(*b), b) >= notable && (atWorst == nil || shareOf(worst(*b), b) > shareOf(worst(*atWorst), atWorst)) {
			atWorst = b
		}
		if grows(b) {
			break
		}
	}
	units := report.Number(total)
	if nearest == nil {
		return units
	}
	text := howMuch(shareOf(nearest.Used, nearest)) + ": " + units
	switch {
	case nearest.Exceeded || atWorst == nil:
		return fmt.Sprintf("%s. Nearest limit: %s, %s of %s", text, budgetOwner(*nearest), report.Number(nearest.Used), report.Number(nearest.Limit))
	case grows(atWorst):
		return fmt.Sprintf("%s now. A larger %s exceeds the limit of %s for %s", text, growing(atWorst), report.Number(atWorst.Limit), budgetOwner(*atWorst))
	}
	return fmt.Sprintf("%s now. At worst %s of %s for %s (%.0f %%)", text,
		report.Number(worst(*atWorst)), report.Number(atWorst.Limit), budgetOwner(*atWorst), 100*shareOf(worst(*atWorst), atWorst))
}

// grows reports whether a larger object was found that exceeds a limit.
func grows(b *report.Budget) bool { return b.Outlook != nil && len(b.Outlook.Growth) > 0 }

// growing names what has to be larger for that: the request's object, or a param.
func growing(b *report.Budget) string {
	params := func(g report.Growth) bool {
		return len(g.Of) > 0 && !slices.ContainsFunc(g.Of, func(path string) bool { return !strings.HasPrefix(path, "params.") })
	}
	if !slices.ContainsFunc(b.Outlook.Growth, func(g report.Growth) bool { return !params(g) }) {
		return "param"
	}
	return "object"
}

// shareOf is the share of a limit that a cost uses.
func shareOf(cost int64, b *report.Budget) float64 { return float64(cost) / float64(b.Limit) }

// budgetOwner names what a limit is for.
func budgetOwner(b report.Budget) string {
	switch {
	case b.Policy == "":
		return budgetName(b)
	case b.Scope == report.CallScope:
		return "one expression of " + b.Policy
	}
	return b.Policy
}

// howMuch describes the used share of a limit in a word.
func howMuch(used float64) string {
	switch {
	case used >= 1:
		return "Too high"
	case used >= 0.5:
		return "High"
	case used >= 0.1:
		return "Moderate"
	}
	return "Low"
}

// totalCost returns the cost of all that the server runs for the request. The free expression is not part of it.
func totalCost(r *report.Report) int64 {
	var sum int64
	for _, s := range r.Steps {
		sum += stepCost(s)
	}
	if r.Rules != nil && r.Rules.Budget != nil {
		sum += r.Rules.Budget.Used
	}
	return sum
}

// otherDenials returns the messages of denying validations after the first, which the verdict
// shows: the server's response has one at a time.
func otherDenials(s report.Step) []string {
	var out []string
	first := true
	for _, v := range s.Validations {
		if v.Decision != report.Deny {
			continue
		}
		if first {
			first = false
			continue
		}
		text := strings.TrimSpace(cmp.Or(v.Error, v.Message, v.Expression))
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

func verbFails(n int) string {
	if n == 1 {
		return "fails"
	}
	return "fail"
}
