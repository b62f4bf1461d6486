package bridge

import (
	"context"
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// NotesParams are the parameters of notes.
type NotesParams struct {
	// ID is an evaluated report's.
	ID int64 `json:"id"`
	// In are the visible parts of the texts.
	In []Sight `json:"in"`
}

// Sight is a byte range in a text.
type Sight struct {
	Text  diag.Text `json:"text"`
	Start int       `json:"start"`
	End   int       `json:"end"`
}

// Noted is the reply to notes: the expressions in these parts of the texts with their results, by
// step. The report has the stand-alone expression.
type Noted struct {
	// Gone says that the report is no longer kept. The page evaluates again.
	Gone  bool   `json:"gone,omitempty"`
	Steps []Step `json:"steps"`
}

// Step has one step's expressions for the editors' notes.
type Step struct {
	Conditions       []report.Evaluation `json:"conditions,omitempty"`
	Variables        []report.Evaluation `json:"variables,omitempty"`
	Mutations        []report.Evaluation `json:"mutations,omitempty"`
	Validations      []Validation        `json:"validations,omitempty"`
	AuditAnnotations []report.Evaluation `json:"auditAnnotations,omitempty"`
}

// Validation is a validation's evaluation.
type Validation struct {
	report.Evaluation
	Decision          report.Verdict     `json:"decision,omitempty"`
	MessageExpression *report.Evaluation `json:"messageExpression,omitempty"`
}

// notes returns the results of the visible expressions in the editors.
func notes(_ context.Context, p NotesParams) (Noted, error) {
	view, ok := results.find(p.ID)
	if !ok {
		return Noted{Gone: true, Steps: []Step{}}, nil
	}
	return Noted{Steps: p.notesOf(view.Report)}, nil
}

// notesOf returns the visible part of a report.
func (p NotesParams) notesOf(r *report.Report) []Step {
	steps := []Step{}
	for _, s := range r.Steps {
		if step := p.of(s); step.some() {
			steps = append(steps, step)
		}
	}
	return steps
}

// of returns the visible part of a step.
func (p NotesParams) of(s report.Step) Step {
	seen := func(list []report.Evaluation) []report.Evaluation {
		return slices.DeleteFunc(slices.Clone(list), func(e report.Evaluation) bool { return !p.sees(e) })
	}
	out := Step{Conditions: seen(s.Conditions), Variables: seen(s.Variables), AuditAnnotations: seen(s.AuditAnnotations)}
	for _, m := range s.Mutations {
		if p.sees(m.Evaluation) {
			out.Mutations = append(out.Mutations, m.Evaluation)
		}
	}
	for _, v := range s.Validations {
		if p.sees(v.Evaluation) || v.MessageExpression != nil && p.sees(*v.MessageExpression) {
			out.Validations = append(out.Validations, Validation{v.Evaluation, v.Decision, v.MessageExpression})
		}
	}
	return out
}

func (s Step) some() bool {
	return len(s.Conditions)+len(s.Variables)+len(s.Mutations)+len(s.Validations)+len(s.AuditAnnotations) > 0
}

// sees reports whether a part of an expression, or of a variable computed for it, is visible.
func (p NotesParams) sees(e report.Evaluation) bool {
	in := func(s Sight) bool { return s.Text == e.Text && e.Span.Start <= s.End && e.Span.End >= s.Start }
	return slices.ContainsFunc(p.In, in) || slices.ContainsFunc(e.Variables, p.sees)
}
