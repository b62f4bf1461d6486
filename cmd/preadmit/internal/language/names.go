package language

import (
	"context"
	"fmt"

	"github.com/a-h/templ/lsp/jsonrpc2"
	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/names"
)

// named is what is named at a place, and all names of it.
func (s *Server) named(p protocol.TextDocumentPositionParams) (at *place, here *names.Name, all []names.Name, err error) {
	if at = s.placeOf(p); at == nil {
		return nil, nil, nil, nil
	}
	here, all, err = names.At(at.Scenario, at.text, at.offset)
	return at, here, all, err
}

// location is where a name is; false for a text that is no file.
func (s *Server) location(at *place, n names.Name) (protocol.Location, bool) {
	file := at.At(n.Text, n.Span)
	if file == nil {
		return protocol.Location{}, false
	}
	places := newLines(file.Content, at.utf8)
	return protocol.Location{URI: s.address(file.Path), Range: places.span(diag.Span{Start: n.Span.Start - file.Start, End: n.Span.End - file.Start})}, true
}

// definition goes to where a name is defined.
func (s *Server) definition(_ context.Context, p *protocol.DefinitionParams) (any, error) {
	return s.locations(p.TextDocumentPositionParams, func(n names.Name) bool { return n.Defines })
}

// references lists where a name is used.
func (s *Server) references(_ context.Context, p *protocol.ReferenceParams) (any, error) {
	return s.locations(p.TextDocumentPositionParams, func(n names.Name) bool { return !n.Defines || p.Context.IncludeDeclaration })
}

func (s *Server) locations(p protocol.TextDocumentPositionParams, wanted func(names.Name) bool) ([]protocol.Location, error) {
	at, _, all, err := s.named(p)
	out := []protocol.Location{}
	for _, n := range all {
		if l, ok := s.location(at, n); ok && wanted(n) {
			out = append(out, l)
		}
	}
	return out, err
}

// highlight marks the same name in the document.
func (s *Server) highlight(_ context.Context, p *protocol.DocumentHighlightParams) (any, error) {
	list, err := s.locations(p.TextDocumentPositionParams, func(names.Name) bool { return true })
	out := []protocol.DocumentHighlight{}
	for _, l := range list {
		if l.URI == p.TextDocument.URI {
			out = append(out, protocol.DocumentHighlight{Range: l.Range, Kind: protocol.DocumentHighlightKindText})
		}
	}
	return out, err
}

// prepareRename says whether what is at a place can get another name: a variable.
func (s *Server) prepareRename(_ context.Context, p *protocol.PrepareRenameParams) (any, error) {
	at, here, _, err := s.named(p.TextDocumentPositionParams)
	if err != nil || here == nil || !here.Variable {
		return nil, err
	}
	l, ok := s.location(at, *here)
	if !ok {
		return nil, nil
	}
	return l.Range, nil
}

// rename gives a variable another name, where it is defined and in all expressions.
func (s *Server) rename(_ context.Context, p *protocol.RenameParams) (any, error) {
	at, here, all, err := s.named(p.TextDocumentPositionParams)
	if err != nil {
		return nil, err
	}
	if here == nil || !here.Variable {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, "only variables of a policy can be renamed")
	}
	if !names.CanBe(p.NewName) {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, fmt.Sprintf("%q is no identifier of CEL", p.NewName))
	}
	edit := protocol.WorkspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{}}
	for _, n := range all {
		if l, ok := s.location(at, n); ok {
			edit.Changes[l.URI] = append(edit.Changes[l.URI], protocol.TextEdit{Range: l.Range, NewText: p.NewName})
		}
	}
	return edit, nil
}
