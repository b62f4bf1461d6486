package html

import (
	"fmt"
	"slices"

	"github.com/preadmit/preadmit/engine/report"
)

// group is a run of adjacent steps from one admission plugin in one pass.
type group struct {
	Title string
	Hint  string
	Steps []numbered
	// Left summarises hidden steps; empty if all are shown.
	Left string
	// First and Last are the report indices of its first and last step.
	First, Last int
}

// numbered is a step with its report index, for links from the outcome.
type numbered struct {
	Index int
	report.Step
}

// groups splits the steps where the plugin, phase or pass changes. The order is the report's, which
// is the order of execution.
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

// costOf is what an expression cost, and that it was then read again.
func costOf(e report.Evaluation) string {
	if e.Cached {
		return report.Number(e.Cost) + ", then cached"
	}
	return report.Number(e.Cost)
}

// stepCost returns the cost of a step's expressions.
func stepCost(s report.Step) int64 {
	var sum int64
	add := func(list []report.Evaluation) {
		for _, e := range list {
			sum += max(e.Cost, 0)
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

// folds reports whether a group is one folded line: the server's own plugins, and a second pass
// without reinvocations. Readers are interested in policies.
func (g group) folds() bool { return g.isBuiltIn() || g.isIdleAgain() }

// isBuiltIn reports whether a group is the server's own plugins.
func (g group) isBuiltIn() bool { return len(g.Steps) > 0 && g.Steps[0].Kind == pluginKind }

// isIdleAgain reports whether a group is a second pass in which nothing ran.
func (g group) isIdleAgain() bool {
	return len(g.Steps) > 0 && g.Steps[0].Pass > 0 && !slices.ContainsFunc(g.Steps, func(s numbered) bool { return s.Ran() })
}

// key identifies a group's fold across results.
func (g group) key() string {
	return fmt.Sprintf("group-%s-%s-%d", g.Steps[0].Kind, g.Steps[0].Phase, g.Steps[0].Pass)
}

// stops reports whether a step of the group denied the request, or failed.
func (g group) stops() bool {
	return slices.ContainsFunc(g.Steps, func(s numbered) bool { return stops(s.Step) })
}

// summary is a folded group's line.
func (g group) summary() string {
	if !g.isBuiltIn() {
		return "Second pass: no further changes"
	}
	changes := 0
	for _, s := range g.Steps {
		changes += len(changesOf(s.Step))
		if stops(s.Step) {
			return "Built-in plugins: " + stepName(s.Step) + " " + word(s.Step)
		}
	}
	if changes == 0 {
		return counted(len(g.Steps), "built-in plugin") + " without effect"
	}
	return counted(len(g.Steps), "built-in plugin") + " made " + counted(changes, "change")
}
