package language

import (
	"context"
	"strings"

	"github.com/a-h/templ/lsp/jsonrpc2"
	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/layout"
	"github.com/preadmit/preadmit/engine/scenario"
)

// requestFailed is a code of the protocol since 3.17: the call was right, but has no result.
const requestFailed jsonrpc2.Code = -32803

func (s *Server) format(_ context.Context, p *protocol.DocumentFormattingParams) (any, error) {
	d := s.document(pathOf(p.TextDocument.URI))
	if d == nil || !s.ours(d) {
		return nil, nil
	}
	return d.formatted(diag.Span{End: len(d.text)})
}

// formatRange lays out the YAML documents that a range touches.
func (s *Server) formatRange(_ context.Context, p *protocol.DocumentRangeFormattingParams) (any, error) {
	d := s.document(pathOf(p.TextDocument.URI))
	if d == nil || !s.ours(d) {
		return nil, nil
	}
	return d.formatted(d.around(diag.Span{Start: d.offset(p.Range.Start), End: d.offset(p.Range.End)}))
}

// ours reports whether a document is a file of a scenario.
func (s *Server) ours(d *document) bool {
	f := s.load(folderOf(d.path))
	return strings.HasSuffix(d.path, scenario.CasesFile) || f.find(d.path) != nil && s.shows(f, d)
}

// around widens a span to the lines that separate documents.
func (d *document) around(span diag.Span) diag.Span {
	out := diag.Span{End: len(d.text)}
	at := 0
	for line := range strings.Lines(d.text) {
		if strings.HasPrefix(line, "---") {
			if at <= span.Start {
				out.Start = at
			} else if at >= span.End {
				out.End = at
				break
			}
		}
		at += len(line)
	}
	return out
}

// formatted is the edit that lays out a part of a document.
func (d *document) formatted(part diag.Span) ([]protocol.TextEdit, error) {
	after, err := layout.Format(d.text[part.Start:part.End])
	if err != nil {
		return nil, jsonrpc2.NewError(requestFailed, err.Error())
	}
	whole := d.text[:part.Start] + after + d.text[part.End:]
	if whole == d.text {
		return []protocol.TextEdit{}, nil
	}
	return []protocol.TextEdit{difference(d.lines, whole)}, nil
}
