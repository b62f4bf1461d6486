package language

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// hover says what is at a place, with its value and cost for the request beside the policies.
func (s *Server) hover(ctx context.Context, p *protocol.HoverParams) (any, error) {
	at, c, err := s.completerAt(p.TextDocumentPositionParams)
	if at == nil || err != nil {
		return nil, err
	}
	help, err := c.Hover(at.Scenario, at.text, at.offset)
	if err != nil {
		return nil, err
	}
	var said []string
	var span *diag.Span
	if help != nil {
		said, span = append(said, "```cel\n"+help.Title+"\n```"), &diag.Span{Start: help.From, End: help.To}
		if help.Doc != "" {
			said = append(said, help.Doc)
		}
	}
	a, err := s.analyze(ctx, at.folder)
	if err != nil {
		return nil, err
	}
	for _, v := range valuesAt(a.report, at.text, at.offset) {
		if value := v.said(*at.Of(at.text)); !slices.Contains(said, value) { // several runs may have one value
			said = append(said, value)
		}
		if span == nil {
			span = &v.node.Span
		}
	}
	if len(said) == 0 {
		return nil, nil
	}
	found := at.span(diag.Span{Start: span.Start - at.start, End: span.End - at.start})
	return &protocol.Hover{Contents: protocol.MarkupContent{Kind: protocol.Markdown, Value: strings.Join(said, "\n\n")}, Range: &found}, nil
}

// valueAt is the smallest part of an expression at a place that has a value, in one run.
type valueAt struct {
	node *report.Node
	of   report.Evaluation
	step string
}

// maxRuns is how many runs of an expression are shown: several bindings run it several times.
const maxRuns = 3

// valuesAt are the values at a place, of the runs of its expression.
func valuesAt(r *report.Report, text diag.Text, offset int) []valueAt {
	var out []valueAt
	see := func(step string) func(*report.Evaluation) {
		return func(e *report.Evaluation) {
			if e.Text != text || !holds(e.Span, offset) || !e.Evaluated || len(out) == maxRuns {
				return
			}
			whole := &report.Node{Span: e.Span, Value: e.Result, Type: e.Type, Error: e.Error, Evaluated: true, Children: e.Children}
			out = append(out, valueAt{smallest(whole, offset), *e, step})
		}
	}
	for i := range r.Steps {
		r.Steps[i].Evaluations(see(r.Steps[i].Policy))
	}
	if e := r.Expression; e != nil {
		see("")(e)
		for i := range e.Variables {
			see("")(&e.Variables[i])
		}
	}
	return out
}

func holds(s diag.Span, offset int) bool { return s.Start <= offset && offset <= s.End }

// smallest is the smallest part at a place that has a value or raised an error. A part above one
// that raised it has neither.
func smallest(n *report.Node, offset int) *report.Node {
	for i := range n.Children {
		if c := &n.Children[i]; holds(c.Span, offset) && c.Evaluated {
			if found := smallest(c, offset); found != nil {
				return found
			}
		}
	}
	if n.Failed {
		return nil
	}
	return n
}

// maxValue is the longest value that is shown, in bytes.
const maxValue = 400

// said is the value in Markdown; text is the one that the part is in.
func (v valueAt) said(text string) string {
	part := text[v.node.Span.Start:v.node.Span.End]
	if v.node.Span == v.of.Span {
		part = v.of.Expression // in the text it may be quoted
	}
	part = strings.Join(strings.Fields(part), " ")
	out := fmt.Sprintf("```cel\n%s = %s\n```", cut(part), cut(v.value()))
	if v.node.Note != "" {
		out += "\n" + v.node.Note + "\n"
	}
	cost := "Cost of the expression: " + report.Number(v.of.Cost)
	if v.step != "" {
		cost += ", in " + v.step
	}
	return out + "\n" + cost
}

// value is the value, or the error in its place.
func (v valueAt) value() string {
	if v.node.Error != "" {
		return "error: " + v.node.Error
	}
	if v.node.Shown != "" {
		return v.node.Shown
	}
	raw, err := json.Marshal(v.node.Value)
	if err != nil {
		return ""
	}
	return string(raw)
}

// cut shortens a text that is too long for a line.
func cut(text string) string {
	if len(text) <= maxValue {
		return text
	}
	return strings.ToValidUTF8(text[:maxValue], "") + "…"
}
