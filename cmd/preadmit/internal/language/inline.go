package language

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/names"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// tokens colours the expressions of a document (semantic tokens).
func (s *Server) tokens(_ context.Context, p *protocol.SemanticTokensParams) (any, error) {
	out := protocol.SemanticTokens{Data: []uint32{}}
	d, found, err := s.expressions(p.TextDocument)
	if d == nil {
		return out, err
	}
	var line, character uint32
	for _, e := range found {
		for _, w := range e.Words {
			at := d.span(w.Span)
			if at.Start.Line != at.End.Line {
				continue // a token is on one line
			}
			if at.Start.Line != line {
				character = 0
			}
			out.Data = append(out.Data, at.Start.Line-line, at.Start.Character-character, at.End.Character-at.Start.Character, uint32(w.Class), 0)
			line, character = at.Start.Line, at.Start.Character
		}
	}
	return out, err
}

// folding folds expressions of several lines.
func (s *Server) folding(_ context.Context, p *protocol.FoldingRangeParams) (any, error) {
	out := []protocol.FoldingRange{}
	d, found, err := s.expressions(p.TextDocument)
	if d == nil {
		return out, err
	}
	for _, e := range found {
		at := d.span(diag.Span{Start: e.Span.Start, End: e.Span.Start + len(strings.TrimRight(d.text[e.Span.Start:e.Span.End], "\r\n"))})
		if at.Start.Line < at.End.Line {
			out = append(out, protocol.FoldingRange{StartLine: at.Start.Line, EndLine: at.End.Line})
		}
	}
	return out, err
}

func (s *Server) expressions(id protocol.TextDocumentIdentifier) (*document, []names.Expression, error) {
	d := s.document(pathOf(id.URI))
	if d == nil || !concerns(d.text) {
		return nil, nil, nil
	}
	found, err := names.Expressions(d.text)
	return d, found, err
}

// inlayHint is one of the protocol since 3.17, which the library does not have.
type inlayHint struct {
	Position    protocol.Position `json:"position"`
	Label       string            `json:"label"`
	Tooltip     string            `json:"tooltip"`
	PaddingLeft bool              `json:"paddingLeft"`
}

// inlayParams are those of textDocument/inlayHint.
type inlayParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        protocol.Range                  `json:"range"`
}

// maxHint is the longest value in a hint, in bytes.
const maxHint = 40

// hints show what expressions were for the request beside the policies, and what they cost.
func (s *Server) hints(ctx context.Context, p *inlayParams) (any, error) {
	out := []inlayHint{}
	at, a, err := s.answer(ctx, p.TextDocument)
	if at == nil || err != nil {
		return out, err
	}
	seen := map[diag.Span]bool{}
	see := func(e *report.Evaluation) {
		if e.Text != at.text || !e.Evaluated || seen[e.Span] {
			return
		}
		file := at.At(e.Text, e.Span)
		if file == nil || file.Path != at.path {
			return
		}
		seen[e.Span] = true
		end := at.at(e.Span.End - at.start)
		if end.Line < p.Range.Start.Line || end.Line > p.Range.End.Line {
			return
		}
		value, cost := valueAt{node: &report.Node{Value: e.Result, Error: e.Error}, of: *e}.value(), report.Number(e.Cost)
		out = append(out, inlayHint{Position: end, Label: "= " + shortened(value, maxHint) + ", cost " + cost, Tooltip: value + "\nCost: " + cost, PaddingLeft: true})
	}
	for i := range a.report.Steps {
		a.report.Steps[i].Evaluations(see)
	}
	return out, nil
}

// verdicts are the words for what a policy means for the request.
var verdicts = map[report.Verdict]string{report.Deny: "denied", report.Warn: "warned", report.Audit: "audited"}

// lenses say above each policy and webhook configuration what it did with the request.
func (s *Server) lenses(ctx context.Context, p *protocol.CodeLensParams) (any, error) {
	if d := s.document(pathOf(p.TextDocument.URI)); d != nil && filepath.Base(d.path) == scenario.CasesFile {
		return s.caseLenses(ctx, d)
	}
	out := []protocol.CodeLens{}
	at, a, err := s.answer(ctx, p.TextDocument)
	if at == nil || err != nil {
		return out, err
	}
	if at.text == diag.Policies {
		if out, err = s.testLenses(ctx, at, a); err != nil {
			return nil, err
		}
	}
	for i := range a.report.Steps {
		step := &a.report.Steps[i]
		file := at.At(step.Text, step.Span)
		if !step.OfPolicy() || file == nil || file.Path != at.path {
			continue
		}
		title := cmp.Or(verdicts[step.Verdict], string(step.Status))
		if step.Binding != "" {
			title += ", by binding " + step.Binding
		}
		if said := cmp.Or(strings.Join(step.Messages, "; "), step.Error); said != "" {
			title += ": " + said
		} else if verdicts[step.Verdict] == "" {
			title += ": " + step.Reason
		}
		line := at.at(step.Span.Start - at.start).Line
		place := protocol.Position{Line: line}
		out = append(out, protocol.CodeLens{Range: protocol.Range{Start: place, End: place}, Command: &protocol.Command{Title: shortened(title, maxValue)}})
	}
	return out, nil
}

// answer is what the engine says to the request beside a document; nil where there is none.
func (s *Server) answer(ctx context.Context, id protocol.TextDocumentIdentifier) (*place, *analysis, error) {
	at := s.placeOf(protocol.TextDocumentPositionParams{TextDocument: id})
	if at == nil || at.Request == "" {
		return nil, nil, nil
	}
	a, err := s.analyze(ctx, at.folder)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", filepath.Base(at.path), err)
	}
	return at, a, nil
}

// shortened is the first line of a text, cut to a number of bytes.
func shortened(text string, most int) string {
	text, _, _ = strings.Cut(text, "\n")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
