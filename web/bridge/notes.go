package bridge

import (
	"context"
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// NotesParams are those of notes.
type NotesParams struct {
	// ID is that of an evaluated report.
	ID int64 `json:"id"`
	// In are the parts of the texts that the reader sees.
	In []Sight `json:"in"`
}

// Sight is a part of a text, in bytes.
type Sight struct {
	Text  diag.Text `json:"text"`
	Start int       `json:"start"`
	End   int       `json:"end"`
}

// Noted is the reply to notes: the expressions in these parts of the texts with what they
// gave, by the steps in which they ran. The free expression is in the report.
type Noted struct {
	// Gone says that the report is no longer kept; the page evaluates again.
	Gone  bool   `json:"gone,omitempty"`
	Steps []Step `json:"steps"`
}

// Step has the expressions of one step, for the notes in the editors.
type Step struct {
	Conditions       []report.Evaluation `json:"conditions,omitempty"`
	Variables        []report.Evaluation `json:"variables,omitempty"`
	Mutations        []report.Evaluation `json:"mutations,omitempty"`
	Validations      []Validation        `json:"validations,omitempty"`
	AuditAnnotations []report.Evaluation `json:"auditAnnotations,omitempty"`
}

// Validation is the run of one validation.
type Validation struct {
	report.Evaluation
	Decision          report.Verdict     `json:"decision,omitempty"`
	MessageExpression *report.Evaluation `json:"messageExpression,omitempty"`
}

// notes gives the results of the expressions that the reader sees in the editors.
func notes(_ context.Context, p NotesParams) (Noted, error) {
	view, ok := results.find(p.ID)
	if !ok {
		return Noted{Gone: true, Steps: []Step{}}, nil
	}
	return Noted{Steps: p.notesOf(view.Report)}, nil
}

// notesOf gives what the reader sees of a report.
func (p NotesParams) notesOf(r *report.Report) []Step {
	steps := []Step{}
	for _, s := range r.Steps {
		if step := p.of(s); step.some() {
			steps = append(steps, step)
		}
	}
	return steps
}

// of gives what the reader sees of a step.
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

// sees reports whether the reader sees a part of an expression, or of a variable that was
// computed for it.
func (p NotesParams) sees(e report.Evaluation) bool {
	in := func(s Sight) bool { return s.Text == e.Text && e.Span.Start <= s.End && e.Span.End >= s.Start }
	return slices.ContainsFunc(p.In, in) || slices.ContainsFunc(e.Variables, p.sees)
}
