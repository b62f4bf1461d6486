package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

// steps writes the chain in execution order.
func (o *out) steps(r *report.Report) {
	last := ""
	for i, s := range r.Steps {
		title := "Mutating phase"
		switch {
		case s.Phase == report.Validating:
			title = "Validating phase"
		case s.Pass > 0:
			title = "Mutating phase, second pass (reinvocation)"
		}
		if title != last {
			o.heading(title)
			last = title
		}
		o.step(r, i)
	}
	if r.NoPolicyAsked() && r.Request != nil {
		o.heading("Policies and webhooks")
		if r.Outcome.Allowed {
			switch {
			case r.Outcome.State == report.StatePolicyRefused:
				o.linef("  none is left: the server rejects what the scenario has")
			case len(r.Outcome.Unmatched) == 0:
				o.linef("  none: the scenario has no policies or webhooks")
			}
			for _, u := range r.Outcome.Unmatched {
				o.linef("  none: %s: %s", u.Name, u.Reason)
			}
		} else {
			o.linef("  none was called: the server rejects the request earlier")
		}
	}
}

func (o *out) step(r *report.Report, index int) {
	s := r.Steps[index]
	word, st := stepWord(s)
	o.linef("  %s  %s", o.style(st, fmt.Sprintf("%-11s", word)), StepName(s))
	const indent = "               "
	if s.Reason != "" {
		o.linef("%s%s", indent, o.style(faint, s.Reason))
	}
	for _, a := range r.Assumed {
		if slices.Contains(a.Steps, index) && !s.Called {
			o.linef("%sassumed: %s", indent, a.What)
		}
	}
	if s.Status == report.NotMatched {
		o.hint(indent, s)
		return
	}
	if s.MatchedKind != "" {
		o.linef("%smatched as %s (matchPolicy Equivalent)", indent, s.MatchedKind)
	}
	if s.Called && !s.Simulated {
		o.linef("%sno WebhookResponse: assumed to allow the request unchanged", indent)
	}
	o.evaluations(indent, label("condition", s.Conditions))
	o.variables(indent, s.Variables)
	for i, m := range s.Mutations {
		o.mutation(indent, i, m)
	}
	o.validations(indent, s.Validations)
	o.ruleCosts(indent, s.RuleCosts)
	o.evaluations(indent, label("audit annotation", s.AuditAnnotations))
	if len(s.Mutations) == 0 && len(s.Diff) > 0 {
		o.changes(indent, s.Diff, s.Before)
	}
	o.stepTexts(r, indent, s)
}

func (o *out) hint(indent string, s report.Step) {
	for _, m := range []*report.Match{s.Match, s.BindingMatch} {
		if m != nil && m.Hint != "" {
			o.linef("%shint: %s", indent, m.Hint)
		}
		if m != nil && !m.Matched {
			for _, reason := range m.Also {
				o.linef("%salso: %s", indent, reason)
			}
		}
	}
}

// stepTexts writes the error, the authorizer's reasons, warnings and notes.
func (o *out) stepTexts(r *report.Report, indent string, s report.Step) {
	if s.Error != "" {
		o.indented(indent+o.style(red, "error:")+" ", r.Outcome.Brief(s.Error))
	}
	if s.Webhook != "" || s.Status == report.Errored {
		for _, m := range s.Messages {
			if m != s.Error {
				o.indented(indent, m)
			}
		}
	}
	for _, w := range s.Warnings {
		o.linef("%s%s %s", indent, o.style(yellow, "Warning:"), w)
	}
	for _, a := range s.Authorizations {
		o.linef("%sauthorizer: %s", indent, a.Explanation)
	}
	for _, n := range s.Notes {
		o.note(indent, n)
	}
}

func (o *out) note(indent string, n report.Note) {
	o.linef("%s%s %s", indent, o.style(cyan, "note:"), n.Text)
}

// stepWord returns a step's result in one word, and its colour.
func stepWord(s report.Step) (string, style) {
	colours := map[report.StepState]style{
		report.StepDenied: red, report.StepFailed: red,
		report.StepMutated: yellow, report.StepWarned: yellow, report.StepAudited: yellow,
		report.StepExcluded: cyan, report.StepAdmitted: green, report.StepUnchanged: green,
	}
	state := s.State()
	if colour, ok := colours[state]; ok {
		return string(state), colour
	}
	return string(state), faint
}

// labelled is an evaluation with its label.
type labelled struct {
	what string
	report.Evaluation
}

func label(what string, list []report.Evaluation) []labelled {
	out := make([]labelled, len(list))
	for i, e := range list {
		out[i] = labelled{strings.TrimSpace(what + " " + e.Name), e}
	}
	return out
}

// evaluations writes a table: what, result, cost, expression; then errors and
// notes.
func (o *out) evaluations(indent string, list []labelled) {
	var rows [][]cell
	for _, e := range list {
		rows = append(rows, o.evaluationRow(e.what, e.Evaluation))
	}
	o.rowsWith(indent, rows, func(i int) { o.evaluationTexts(indent+"  ", list[i].Evaluation) })
}

// rowsWith writes a table and calls after for each row.
func (o *out) rowsWith(indent string, rows [][]cell, after func(i int)) {
	widths := make([]int, 4)
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], len([]rune(c.text)))
		}
	}
	for i, row := range rows {
		o.b.WriteString(o.row(indent, row, widths))
		o.b.WriteByte('\n')
		after(i)
	}
}

func (o *out) evaluationRow(what string, e report.Evaluation) []cell {
	result, cost := o.result(e), cell{}
	if e.Evaluated {
		cost = cell{"cost " + report.Number(e.Cost), faint}
	}
	return []cell{{what, ""}, result, cost, {oneLine(e.Expression), ""}}
}

func (o *out) result(e report.Evaluation) cell {
	switch {
	case e.Error != "":
		return cell{"error", red}
	case !e.Evaluated:
		return cell{"not evaluated", faint}
	case e.Result == nil && e.Type == "":
		return cell{"no result", red} // aborted: out of budget
	case e.Result == true:
		return cell{"true", green}
	case e.Result == false:
		return cell{"false", red}
	}
	return cell{cut(value(e.Result), maxValue), cyan}
}

// evaluationTexts writes what is below an evaluation's row.
func (o *out) evaluationTexts(indent string, e report.Evaluation) {
	if e.Error != "" {
		o.indented(indent, e.Error)
	}
	// A diagnostic underlines where an expression fails.
	if values := because(e); values != "" {
		o.linef("%sbecause %s", indent, values)
	} else if _, part, _ := e.DecisivePart(); part != "" && e.Error == "" {
		o.linef("%sbecause of %s", indent, cut(oneLine(part), maxValue))
	}
	for _, n := range e.Notes {
		o.note(indent, n)
	}
	if o.Explain && len(e.Children) > 0 {
		o.indented(indent, Explain(e.Expression, e.Children, o.Width-len(indent)))
		o.nodeNotes(indent, e.Children)
	}
}

// nodeNotes writes notes on single parts.
func (o *out) nodeNotes(indent string, nodes []report.Node) {
	for _, n := range nodes {
		if n.Note != "" {
			o.linef("%s%s %s", indent, o.style(cyan, "note:"), n.Note)
		}
		o.nodeNotes(indent, n.Children)
	}
}

// variables writes the computed variables. A variable in several passes has one row while its value
// and cost stay the same.
func (o *out) variables(indent string, list []report.Evaluation) {
	var seen []report.Evaluation
	same := func(a, b report.Evaluation) bool {
		return a.Name == b.Name && a.Cost == b.Cost && a.Error == b.Error && value(a.Result) == value(b.Result)
	}
	for _, e := range list {
		if !slices.ContainsFunc(seen, func(s report.Evaluation) bool { return same(s, e) }) {
			seen = append(seen, e)
		}
	}
	o.evaluations(indent, label("variable", seen))
}

func (o *out) mutation(indent string, index int, m report.Mutation) {
	o.variables(indent, m.Variables)
	what := fmt.Sprintf("mutation %d, %s", index+1, m.PatchType)
	result := cell{"applied", yellow}
	switch {
	case m.Error != "":
		result = cell{"error", red}
	case !m.Evaluated:
		result = cell{"not evaluated", faint}
	case !m.Applied:
		result = cell{"not applied", faint}
	case len(m.Diff) == 0:
		result = cell{"no change", faint}
	}
	cost := cell{}
	if m.Evaluated {
		cost = cell{"cost " + report.Number(m.Cost), faint}
	}
	o.table(indent, [][]cell{{{what, ""}, result, cost}})
	o.changes(indent+"  ", m.Diff, m.Before)
	o.evaluationTexts(indent+"  ", m.Evaluation)
}

func (o *out) validations(indent string, list []report.Validation) {
	var rows [][]cell
	for i, v := range list {
		name := v.Name
		if name == "" {
			name = fmt.Sprintf("validation %d", i+1)
		}
		rows = append(rows, o.evaluationRow(name, v.Evaluation))
	}
	o.rowsWith(indent, rows, func(i int) {
		v := list[i]
		o.evaluationTexts(indent+"  ", v.Evaluation)
		if v.Decision == report.Deny && v.Message != "" && v.Message != v.Error {
			o.indented(indent+"  ", o.style(red, v.Message))
		}
		if m := v.MessageExpression; m != nil && (m.Error != "" || o.Explain && v.Decision == report.Deny) {
			o.evaluations(indent+"  ", []labelled{{"messageExpression", *m}})
		}
	})
}
