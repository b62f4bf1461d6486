package language

import (
	"context"
	"fmt"

	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// symbols are the documents of a file, with the named parts of policies and webhook configurations.
func (s *Server) symbols(_ context.Context, p *protocol.DocumentSymbolParams) (any, error) {
	out := []protocol.DocumentSymbol{}
	d := s.document(pathOf(p.TextDocument.URI))
	if d == nil || !concerns(d.text) {
		return out, nil
	}
	docs, _ := scenario.ParseDocuments(diag.Policies, d.text) // what cannot be read is among the problems
	for _, doc := range docs {
		name := doc.Name
		if name == "" {
			name = doc.Kind
		}
		whole := d.span(doc.Span)
		symbol := protocol.DocumentSymbol{Name: name, Detail: doc.Kind, Kind: protocol.SymbolKindClass, Range: whole, SelectionRange: protocol.Range{Start: whole.Start, End: whole.Start}}
		if at, ok := doc.Place("metadata.name"); ok {
			symbol.SelectionRange = d.span(at)
		}
		for _, list := range symbolLists {
			symbol.Children = append(symbol.Children, list.symbols(d, doc)...)
		}
		out = append(out, symbol)
	}
	return out, nil
}

// symbolList is a list of a document whose items are symbols.
type symbolList struct {
	parent, field string // the list is parent.field
	label         string // names an item that has no name of its own
	names         []string
	kind          protocol.SymbolKind
}

var symbolLists = []symbolList{
	{"spec", "variables", "variable", []string{"name"}, protocol.SymbolKindVariable},
	{"spec", "matchConditions", "match condition", []string{"name"}, protocol.SymbolKindBoolean},
	{"spec", "mutations", "mutation", nil, protocol.SymbolKindFunction},
	{"spec", "validations", "validation", []string{"message", "expression"}, protocol.SymbolKindFunction},
	{"spec", "auditAnnotations", "audit annotation", []string{"key"}, protocol.SymbolKindString},
	{"", "webhooks", "webhook", []string{"name"}, protocol.SymbolKindInterface},
}

func (l symbolList) symbols(d *document, doc *scenario.Document) []protocol.DocumentSymbol {
	value, path := doc.Value, l.field
	if l.parent != "" {
		value, _ = doc.Value[l.parent].(map[string]any)
		path = l.parent + "." + l.field
	}
	items, _ := value[l.field].([]any)
	var out []protocol.DocumentSymbol
	for i, item := range items {
		at, ok := doc.Place(fmt.Sprintf("%s[%d]", path, i))
		if !ok {
			continue
		}
		place := d.span(at)
		symbol := protocol.DocumentSymbol{Name: fmt.Sprintf("%s %d", l.label, i+1), Detail: l.label, Kind: l.kind, Range: place, SelectionRange: protocol.Range{Start: place.Start, End: place.Start}}
		fields, _ := item.(map[string]any)
		for _, field := range l.names {
			if name, ok := fields[field].(string); ok && name != "" {
				symbol.Name = name
				break
			}
		}
		out = append(out, symbol)
	}
	return out
}
