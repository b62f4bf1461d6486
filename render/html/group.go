package html

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/report"
)

// group is a run of neighbouring steps of one admission plugin in one pass.
type group struct {
	Title string
	Hint  string
	Steps []numbered
	// Left says how many steps more there are, and what they did; empty if all are shown.
	Left string
	// First and Last are the places in the report of its first and last step.
	First, Last int
}

// numbered is a step with its index in the report, which is what a link from
// the outcome to the step needs.
type numbered struct {
	Index int
	report.Step
}

// groups cuts the steps where the plugin, the phase or the pass changes. The
// order is that of the report, which is the order of execution.
func groups(steps []report.Step) []group {
	var out []group
	type key struct {
		kind  string
		phase report.Phase
		pass  int
	}
	var last key
	for i, s := range steps {
		k := key{s.Kind, s.Phase, s.Pass}
		if i == 0 || k != last {
			title, hint := groupTitle(s)
			out = append(out, group{Title: title, Hint: hint})
			last = k
		}
		g := &out[len(out)-1]
		g.Steps = append(g.Steps, numbered{Index: i, Step: s})
	}
	return out
}

func groupTitle(s report.Step) (title, hint string) {
	switch s.Kind {
	case "MutatingAdmissionPolicy":
		title = "Mutating policies"
	case "MutatingWebhookConfiguration":
		title = "Mutating webhooks"
	case "ValidatingAdmissionPolicy":
		title = "Validating policies"
	case "ValidatingWebhookConfiguration":
		title = "Validating webhooks"
	case pluginKind:
		title = "Built-in plugins"
	case "APIServer":
		title = "The server's own checks"
	default:
		title = s.Kind
	}
	if s.Pass > 0 && s.Phase == report.Mutating {
		title += ", second pass"
		hint = "The object changed after some policies or webhooks had run, so the mutating chain runs once more."
	}
	return title, hint
}

// counts are the figures in the line under the verdict.
type counts struct {
	Mutated, Excluded, Unmatched, Failed int
	Cost                                 int64
}

// count sums up the steps. The cost is that of everything that ran.
func count(r *report.Report) counts {
	var c counts
	for _, s := range r.Steps {
		switch StepState(s) {
		case Mutated:
			if s.OfPolicy() { // what plugins fill in is at the gate "Defaults"
				c.Mutated++
			}
		case Excluded:
			c.Excluded++
		case Unmatched:
			c.Unmatched++
		case Failed:
			c.Failed++
		}
		c.Cost += stepCost(s)
	}
	if r.Expression != nil {
		c.Cost += max(r.Expression.Cost, 0)
	}
	if r.Rules != nil && r.Rules.Budget != nil {
		c.Cost += r.Rules.Budget.Used
	}
	return c
}

// stepCost is the cost of all expressions of one step.
func stepCost(s report.Step) int64 {
	var sum int64
	add := func(list []report.Evaluation) {
		for _, e := range list {
			if !e.Cached {
				sum += max(e.Cost, 0)
			}
		}
	}
	add(s.Conditions)
	add(s.Variables)
	add(s.AuditAnnotations)
	for _, m := range s.Mutations {
		sum += max(m.Cost, 0)
		add(m.Variables)
	}
	for _, v := range s.Validations {
		sum += max(v.Cost, 0)
		if v.MessageExpression != nil {
			sum += max(v.MessageExpression.Cost, 0)
		}
	}
	return sum
}

// summaryLine is the line of figures under the verdict.
func summaryLine(r *report.Report) []string {
	c := count(r)
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(c.Mutated, "mutated")
	add(c.Excluded, "excluded")
	add(c.Unmatched, "not matched")
	add(c.Failed, "failed and ignored")
	if c.Cost > 0 {
		parts = append(parts, "cost "+report.Number(c.Cost))
	}
	return parts
}
