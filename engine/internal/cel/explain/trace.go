// Package explain describes evaluations for the report: the place of each part of an expression, its
// value and cost, the part that decided, and what an error means for the values that it arose from.
package explain

import (
	"github.com/google/cel-go/common/types"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/text/position"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file turns runs of expressions into the evaluations of the report: with
// the place of the expression in the text, its value as JSON, its cost.

// Source is where an expression is written.
type Source struct {
	// Document may be nil, for expressions in no document.
	Document *scenario.Document
	Path     string
	// Name is what the field list calls it: a condition's name, a variable's,
	// an audit annotation's key.
	Name string
}

// Evaluation describes one run.
func Evaluation(s Source, r eval.Result, list report.List) report.Evaluation {
	e := report.Evaluation{Name: s.Name, Path: s.Path, Expression: r.Expression, List: list, Evaluated: r.Ran, Cost: r.Cost, Error: r.Err, Elapsed: r.Elapsed}
	if r.Ran {
		e.Asked = r.Asked()
	}
	place(&e, s)
	if !r.Ran {
		e.Cost = -1
	}
	switch {
	case r.Value == nil:
	case r.Brief:
		if _, is := r.Value.(types.Bool); is {
			e.Result = r.Value.Value()
		}
	default:
		var cut bool
		e.Result, cut = eval.JSON(r.Value)
		e.Type = eval.TypeName(r.Value)
		if cut {
			e.Notes = append(e.Notes, report.Note{Code: codes.ValueCut, Text: "The value is larger than shown; an ellipsis (…) marks an omission. The evaluation used the whole value."})
		}
	}
	if r.Trace != nil {
		e.Children = nodes(r.Trace, r.Expression, s.spans(r.Expression))
		e.Decisive = decisive(e.Children)
	}
	if text := untraced[r.Untraced]; text != "" {
		e.Notes = append(e.Notes, report.Note{Code: codes.NoValues, Text: text})
	}
	return e
}

var untraced = map[eval.Untraced]string{
	eval.TooExpensive: "The values of its parts are not shown: they need a second evaluation, and the expressions of this request cost too much for that.",
	eval.OtherOrder:   "The values of its parts are not shown: they need a second evaluation, and each evaluation ran differently. The server iterates over a map literal in random order, so its result may differ every time.",
}

// spans returns the places of the parts of an expression: in the document, or in
// the expression itself when that is a text of its own.
func (s Source) spans(expression string) func(start, end int) diag.Span {
	if s.Document == nil {
		index := position.NewIndex(expression)
		return func(start, end int) diag.Span {
			return diag.Span{Start: index.FromRunes(start), End: index.FromRunes(end)}
		}
	}
	if scalar, ok := s.Document.KeptScalar(s.Path); ok && scalar.Text == expression {
		return scalar.SpanOfRunes
	}
	whole := s.Document.Locate(s.Path)
	return func(int, int) diag.Span { return whole }
}

// Untouched describes an expression that was not run.
func Untouched(s Source, expression string, list report.List) report.Evaluation {
	e := report.Evaluation{Name: s.Name, Path: s.Path, Expression: expression, List: list, Cost: -1}
	place(&e, s)
	return e
}

func place(e *report.Evaluation, s Source) {
	if s.Document != nil {
		e.Text, e.Span = s.Document.Text, s.Document.Kept(s.Path)
	}
}

// Variables describes the variables that the run of a list computed; source gives the
// place of each by its name.
func Variables(computed []*eval.VariableResult, source func(name string) Source, list report.List) []report.Evaluation {
	out := make([]report.Evaluation, 0, len(computed))
	for _, v := range computed {
		e := Evaluation(source(v.Name), v.Result, list)
		e.Cached = v.Reads > 1
		out = append(out, e)
	}
	return out
}
