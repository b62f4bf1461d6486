package language

import (
	"context"
	"slices"
	"strings"

	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/joined"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/repairs"
)

// fixAllKind is the kind of the action that applies all repairs with one likely answer.
const fixAllKind protocol.CodeActionKind = "source.fixAll.preadmit"

// codeActions are the repairs of the problems in a range.
func (s *Server) codeActions(ctx context.Context, p *protocol.CodeActionParams) (any, error) {
	actions := []protocol.CodeAction{}
	at := s.placeOf(protocol.TextDocumentPositionParams{TextDocument: p.TextDocument, Position: p.Range.Start})
	if at == nil {
		return actions, nil
	}
	a, err := s.analyze(ctx, at.folder)
	if err != nil {
		return nil, err
	}
	if err := s.withTried(ctx, at.folder, a); err != nil {
		return nil, err
	}
	asked := diag.Span{Start: at.offset, End: at.start + at.document.offset(p.Range.End)}
	sure := false
	for _, problem := range a.report.Diagnostics {
		sure = sure || slices.ContainsFunc(problem.Fixes, func(f diag.Fix) bool { return f.Sure })
		if !touches(problem, at.text, asked) || !wanted(p.Context.Only, protocol.QuickFix) {
			continue
		}
		for _, fix := range problem.Fixes {
			edit := s.edit(at.folder, fix)
			if edit == nil {
				continue // it changes a setting or the request's form, which has no place in a text
			}
			actions = append(actions, protocol.CodeAction{
				Title: fix.Title, Kind: protocol.QuickFix, IsPreferred: fix.Sure, Edit: edit,
				Diagnostics: []protocol.Diagnostic{s.problem(at.folder, at.document, at.start, problem)},
			})
		}
	}
	if !sure || !wanted(p.Context.Only, fixAllKind) {
		return actions, nil
	}
	edit, err := s.fixAll(ctx, at)
	if edit != nil {
		actions = append(actions, protocol.CodeAction{Title: "Apply all fixes with one likely answer", Kind: fixAllKind, Edit: edit})
	}
	return actions, err
}

// touches reports whether a problem, or another place that takes part in it, is in a range.
func touches(p diag.Diagnostic, text diag.Text, asked diag.Span) bool {
	in := func(t diag.Text, s diag.Span) bool { return t == text && s.Start <= asked.End && s.End >= asked.Start }
	return in(p.Text, p.Span) || slices.ContainsFunc(p.Related, func(r diag.Related) bool { return in(r.Text, r.Span) })
}

// wanted reports whether the editor asks for a kind of action.
func wanted(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(k protocol.CodeActionKind) bool {
		return k == kind || strings.HasPrefix(string(kind), string(k)+".")
	})
}

// edit is a repair as the editor makes it; nil for one that changes no text.
func (s *Server) edit(f *folder, fix diag.Fix) *protocol.WorkspaceEdit {
	if len(fix.Edits) == 0 {
		return nil
	}
	changes := map[protocol.DocumentURI][]protocol.TextEdit{}
	for _, e := range fix.Edits {
		file := f.At(e.Text, e.Span)
		if file == nil {
			return nil // a text without a file, such as a cluster.yaml that is not there
		}
		places := newLines(file.Content, s.client.utf8)
		address := s.address(file.Path)
		changes[address] = append(changes[address], protocol.TextEdit{
			Range: places.span(diag.Span{Start: e.Span.Start - file.Start, End: e.Span.End - file.Start}), NewText: e.New,
		})
	}
	return &protocol.WorkspaceEdit{Changes: changes}
}

// fixAll is the edit that applies all repairs with one likely answer to a document; nil when
// there are none. Other files stay as they are: an editor may ask for it when it saves one.
func (s *Server) fixAll(ctx context.Context, at *place) (*protocol.WorkspaceEdit, error) {
	result, err := repairs.All(ctx, at.Scenario)
	if err != nil {
		return nil, err
	}
	var repaired joined.Set
	for _, file := range at.Files {
		repaired.Files = append(repaired.Files, new(*file))
	}
	for _, round := range result.Rounds {
		if err := repaired.Edit(round); err != nil {
			return nil, err
		}
	}
	for _, file := range repaired.Files {
		if file.Path == at.path && file.Content != at.document.lines.text {
			changes := map[protocol.DocumentURI][]protocol.TextEdit{at.uri: {difference(at.lines, file.Content)}}
			return &protocol.WorkspaceEdit{Changes: changes}, nil
		}
	}
	return nil, nil
}

// difference is the edit from a text to another one, without the lines that both begin and
// end with.
func difference(before *lines, after string) protocol.TextEdit {
	start := 0
	for start < len(before.text) && start < len(after) && before.text[start] == after[start] {
		start++
	}
	start = strings.LastIndexByte(before.text[:start], '\n') + 1
	end := 0
	for end < len(before.text)-start && end < len(after)-start && before.text[len(before.text)-1-end] == after[len(after)-1-end] {
		end++
	}
	// The common end begins with a line.
	if at := strings.IndexByte(after[len(after)-end:], '\n'); at >= 0 {
		end -= at + 1
	} else {
		end = 0
	}
	return protocol.TextEdit{Range: before.span(diag.Span{Start: start, End: len(before.text) - end}), NewText: after[start : len(after)-end]}
}
