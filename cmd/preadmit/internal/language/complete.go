package language

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/completion"
	"github.com/preadmit/preadmit/engine/edit/fielddocs"
	"github.com/preadmit/preadmit/engine/scenario"
)

// completers are kept, because making one takes longer than asking it.
var completers sync.Map // of a version

func completer(version string) (*completion.Completer, error) {
	if version == "" {
		version = scenario.DefaultVersion
	}
	if kept, ok := completers.Load(version); ok {
		return kept.(*completion.Completer), nil
	}
	c, err := completion.New(version, fielddocs.Embedded().Sentence)
	if err != nil {
		return nil, err
	}
	kept, _ := completers.LoadOrStore(version, c)
	return kept.(*completion.Completer), nil
}

// place is where the editor asks something.
type place struct {
	*document
	*folder
	text   diag.Text
	start  int // of the document in the text
	offset int // in the text
}

// placeOf finds a place in the texts; nil where there is nothing to say.
func (s *Server) placeOf(p protocol.TextDocumentPositionParams) *place {
	path := pathOf(p.TextDocument.URI)
	d := s.document(path)
	if d == nil {
		return nil
	}
	f := s.load(folderOf(path))
	file := f.find(path)
	if file == nil || file.Content != d.text || file.Text == diag.Settings || !concerns(f.Policies) && !concerns(file.Content) {
		return nil
	}
	return &place{document: d, folder: f, text: file.Text, start: file.Start, offset: file.Start + d.offset(p.Position)}
}

// completerAt is the place that a position is, nil for none, and the completer for its release.
func (s *Server) completerAt(p protocol.TextDocumentPositionParams) (*place, *completion.Completer, error) {
	at := s.placeOf(p)
	if at == nil {
		return nil, nil, nil
	}
	c, err := completer(at.Kubernetes)
	return at, c, err
}

// itemKinds are the protocol's.
var itemKinds = map[completion.Kind]protocol.CompletionItemKind{
	completion.VariableItem: protocol.CompletionItemKindVariable, completion.FieldItem: protocol.CompletionItemKindField,
	completion.FunctionItem: protocol.CompletionItemKindFunction, completion.MethodItem: protocol.CompletionItemKindMethod,
	completion.MacroItem: protocol.CompletionItemKindFunction, completion.TypeItem: protocol.CompletionItemKindClass,
	completion.KeywordItem: protocol.CompletionItemKindKeyword, completion.ValueItem: protocol.CompletionItemKindValue,
	completion.SnippetItem: protocol.CompletionItemKindSnippet,
}

func (s *Server) complete(ctx context.Context, p *protocol.CompletionParams) (any, error) {
	if d := s.document(pathOf(p.TextDocument.URI)); d != nil && isTests(d.path) {
		return s.completeTest(ctx, d, p.Position)
	}
	at, c, err := s.completerAt(p.TextDocumentPositionParams)
	if err != nil {
		return nil, err
	}
	if at == nil {
		return &protocol.CompletionList{Items: []protocol.CompletionItem{}}, nil
	}
	found, err := c.Complete(at.Scenario, at.text, at.offset)
	if err != nil {
		return nil, err
	}
	return s.list(found, at.span(diag.Span{Start: found.From - at.start, End: found.To - at.start})), nil
}

// list is what can replace a range, in the protocol's form.
func (s *Server) list(found completion.Result, replaced protocol.Range) *protocol.CompletionList {
	list := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	for i, item := range found.Items {
		list.Items = append(list.Items, s.item(item, i, replaced))
	}
	return list
}

// signature says what the arguments of the call at a place are.
func (s *Server) signature(_ context.Context, p *protocol.SignatureHelpParams) (any, error) {
	at, c, err := s.completerAt(p.TextDocumentPositionParams)
	if at == nil || err != nil {
		return nil, err
	}
	call, err := c.Call(at.Scenario, at.text, at.offset)
	if err != nil || call == nil {
		return nil, err
	}
	signature := protocol.SignatureInformation{Label: call.Signature}
	for _, name := range call.Parameters {
		signature.Parameters = append(signature.Parameters, protocol.ParameterInformation{Label: name})
	}
	if call.Doc != "" {
		signature.Documentation = protocol.MarkupContent{Kind: protocol.PlainText, Value: call.Doc}
	}
	return &protocol.SignatureHelp{Signatures: []protocol.SignatureInformation{signature}, ActiveParameter: uint32(call.Argument)}, nil
}

// item is one of the items, in the engine's order.
func (s *Server) item(item completion.Item, order int, replaced protocol.Range) protocol.CompletionItem {
	apply, format := item.Apply, protocol.InsertTextFormatPlainText
	switch {
	case apply == "":
		apply = item.Label
	case s.client.snippets:
		apply, format = snippet(apply), protocol.InsertTextFormatSnippet
	default:
		apply = placeholders.ReplaceAllString(apply, "$1")
	}
	out := protocol.CompletionItem{
		Label: item.Label, Kind: itemKinds[item.Kind], Detail: item.Detail, InsertTextFormat: format,
		SortText: fmt.Sprintf("%03d %05d", 99-item.Boost, order), FilterText: item.Label,
		TextEdit: &protocol.TextEditOrInsertReplaceEdit{TextEdit: &protocol.TextEdit{Range: replaced, NewText: apply}},
	}
	if item.Doc != "" {
		out.Documentation = protocol.MarkupContent{Kind: protocol.PlainText, Value: item.Doc}
	}
	return out
}

// placeholders are the places to fill in of the engine's items.
var placeholders = regexp.MustCompile(`\$\{([^}]*)\}`)

// snippet writes an item's text as the protocol's snippets, whose places are numbered.
func snippet(apply string) string {
	var b strings.Builder
	last, n := 0, 0
	escape := strings.NewReplacer(`\`, `\\`, `$`, `\$`, `}`, `\}`)
	for _, m := range placeholders.FindAllStringSubmatchIndex(apply, -1) {
		n++
		b.WriteString(escape.Replace(apply[last:m[0]]))
		if name := apply[m[2]:m[3]]; name == "" {
			fmt.Fprintf(&b, "$%d", n)
		} else {
			fmt.Fprintf(&b, "${%d:%s}", n, escape.Replace(name))
		}
		last = m[1]
	}
	return b.String() + escape.Replace(apply[last:])
}
