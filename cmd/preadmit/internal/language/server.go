// Package language is a language server for admission policies: problems, completion, help with
// values and costs, and repairs in an editor. All of it is the engine's, as on the page and on
// the command line; this package only finds the files and converts places.
package language

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/a-h/templ/lsp/jsonrpc2"
	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/edit/names"
)

// Server answers one editor.
type Server struct {
	version string
	limits  engine.Limits
	conn    jsonrpc2.Conn
	log     *slog.Logger

	mu       sync.Mutex
	client   client
	stopped  bool // the editor has said shutdown
	open     map[string]*document
	disk     map[string]*stored
	given    map[string]given
	chosen   map[string]string             // the cases or files whose requests the folders have
	revision uint64                        // counts the changes of open documents
	analyses map[string]*analysis          // the last one of each folder
	checking map[string]context.CancelFunc // the checks of folders that have begun
	calls    map[jsonrpc2.ID]context.CancelFunc
	exited   chan struct{} // closed when the editor has said exit
}

// client is what the editor can do.
type client struct {
	utf8     bool // places count bytes and not UTF-16 units
	snippets bool
	// refreshes are the methods that make the editor ask again for what it shows between the lines.
	refreshes []string
}

// New returns a server of a version of the program. Problems of the server itself go to the log.
func New(version string, limits engine.Limits, log io.Writer) *Server {
	return &Server{
		version: version, limits: limits, log: slog.New(slog.NewTextHandler(log, nil)),
		open: map[string]*document{}, disk: map[string]*stored{}, given: map[string]given{}, chosen: map[string]string{}, analyses: map[string]*analysis{},
		checking: map[string]context.CancelFunc{}, calls: map[jsonrpc2.ID]context.CancelFunc{}, exited: make(chan struct{}),
	}
}

// Answer answers until the editor says exit or closes the input, or the context ends. It reports
// whether the editor had said shutdown before.
func (s *Server) Answer(ctx context.Context, in io.Reader, out io.Writer) (bool, error) {
	return s.AnswerStream(ctx, jsonrpc2.NewStream(pipe{in, out}))
}

// AnswerStream is Answer for messages that come in another way.
func (s *Server) AnswerStream(ctx context.Context, messages jsonrpc2.Stream) (bool, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.conn = jsonrpc2.NewConn(messages)
	s.conn.Go(ctx, s.handle)
	select {
	case <-s.exited:
	case <-ctx.Done():
	case <-s.conn.Done():
		if err := s.conn.Err(); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.analyses {
		a.stop()
	}
	return s.stopped, nil
}

// pipe is the two streams to the editor.
type pipe struct {
	io.Reader
	io.Writer
}

// Close does nothing: others opened the streams.
func (pipe) Close() error { return nil }

// handle takes one message. Changes of documents are made in the order in which they come;
// a question is answered beside the next messages, from the documents as they are when it comes.
func (s *Server) handle(ctx context.Context, reply jsonrpc2.Replier, request jsonrpc2.Request) error {
	call, isCall := request.(*jsonrpc2.Call)
	if !isCall {
		return s.notified(ctx, request)
	}
	answer, ok := questions[request.Method()]
	if !ok {
		return reply(ctx, nil, jsonrpc2.ErrMethodNotFound)
	}
	if request.Method() == protocol.MethodInitialize || request.Method() == protocol.MethodShutdown {
		out, err := answer(s, ctx, request.Params())
		return reply(ctx, out, err)
	}
	asked, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.calls[call.ID()] = cancel
	s.mu.Unlock()
	go func() {
		out, err := answer(s, asked, request.Params())
		if asked.Err() != nil {
			out, err = nil, protocol.ErrRequestCancelled
		}
		s.mu.Lock()
		delete(s.calls, call.ID())
		s.mu.Unlock()
		cancel()
		if err := reply(ctx, out, err); err != nil && ctx.Err() == nil {
			s.log.Error("the answer was not sent", "method", request.Method(), "error", err)
		}
	}()
	return nil
}

// question answers a call.
type question func(*Server, context.Context, json.RawMessage) (any, error)

// asked reads the parameters of a question.
func asked[P any](answer func(*Server, context.Context, *P) (any, error)) question {
	return func(s *Server, ctx context.Context, raw json.RawMessage) (any, error) {
		params := new(P)
		if err := json.Unmarshal(raw, params); err != nil {
			return nil, jsonrpc2.NewError(jsonrpc2.InvalidParams, err.Error())
		}
		return answer(s, ctx, params)
	}
}

// questions are all that is answered.
var questions = map[string]question{
	protocol.MethodInitialize:                    asked((*Server).initialize),
	protocol.MethodShutdown:                      func(s *Server, _ context.Context, _ json.RawMessage) (any, error) { return s.shutdown() },
	protocol.MethodTextDocumentCompletion:        asked((*Server).complete),
	protocol.MethodTextDocumentHover:             asked((*Server).hover),
	protocol.MethodTextDocumentSignatureHelp:     asked((*Server).signature),
	protocol.MethodTextDocumentCodeAction:        asked((*Server).codeActions),
	protocol.MethodTextDocumentDocumentSymbol:    asked((*Server).symbols),
	protocol.MethodTextDocumentDefinition:        asked((*Server).definition),
	protocol.MethodTextDocumentReferences:        asked((*Server).references),
	protocol.MethodTextDocumentDocumentHighlight: asked((*Server).highlight),
	protocol.MethodTextDocumentPrepareRename:     asked((*Server).prepareRename),
	protocol.MethodTextDocumentRename:            asked((*Server).rename),
	protocol.MethodSemanticTokensFull:            asked((*Server).tokens),
	protocol.MethodTextDocumentFoldingRange:      asked((*Server).folding),
	protocol.MethodTextDocumentCodeLens:          asked((*Server).lenses),
	protocol.MethodTextDocumentFormatting:        asked((*Server).format),
	protocol.MethodTextDocumentRangeFormatting:   asked((*Server).formatRange),
	protocol.MethodWorkspaceExecuteCommand:       asked((*Server).execute),
	inlayHintMethod:                              asked((*Server).hints),
}

// notified takes a message without an answer. Those that it does not know may be ignored.
func (s *Server) notified(ctx context.Context, request jsonrpc2.Request) error {
	var err error
	switch request.Method() {
	case protocol.MethodExit:
		close(s.exited)
		return io.EOF // nothing more is read
	case protocol.MethodCancelRequest:
		err = s.cancel(request.Params())
	case protocol.MethodTextDocumentDidOpen:
		err = told(request, func(p *protocol.DidOpenTextDocumentParams) error { return s.didOpen(ctx, p) })
	case protocol.MethodTextDocumentDidChange:
		err = told(request, func(p *protocol.DidChangeTextDocumentParams) error { return s.didChange(ctx, p) })
	case protocol.MethodTextDocumentDidClose:
		err = told(request, func(p *protocol.DidCloseTextDocumentParams) error { return s.didClose(ctx, p) })
	case filesMethod:
		err = told(request, func(p *givenFiles) error { return s.files(ctx, p) })
	case protocol.MethodTextDocumentDidSave, protocol.MethodWorkspaceDidChangeWatchedFiles:
		s.checkAll(ctx) // files beside an open one may have changed
	}
	if err != nil {
		s.log.Error("a notification was not understood", "method", request.Method(), "error", err)
	}
	return nil
}

func told[P any](request jsonrpc2.Request, take func(*P) error) error {
	params := new(P)
	if err := json.Unmarshal(request.Params(), params); err != nil {
		return err
	}
	return take(params)
}

func (s *Server) cancel(raw json.RawMessage) error {
	var params struct{ ID jsonrpc2.ID }
	if err := json.Unmarshal(raw, &params); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.calls[params.ID]; cancel != nil {
		cancel()
	}
	return nil
}

func (s *Server) shutdown() (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	return nil, nil
}

// The names of position encodings.
const (
	utf8Encoding  = "utf-8"
	utf16Encoding = "utf-16"
)

// initializeParams are those of initialize that count here. The library's lack the encodings.
type initializeParams struct {
	Capabilities struct {
		Workspace struct {
			CodeLens  refreshable `json:"codeLens"`
			InlayHint refreshable `json:"inlayHint"`
		} `json:"workspace"`
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		TextDocument struct {
			Completion struct {
				CompletionItem struct {
					SnippetSupport bool `json:"snippetSupport"`
				} `json:"completionItem"`
			} `json:"completion"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

type refreshable struct {
	RefreshSupport bool `json:"refreshSupport"`
}

// refreshes are the methods that an editor has for what it shows between the lines.
func (p *initializeParams) refreshes() []string {
	var out []string
	if p.Capabilities.Workspace.CodeLens.RefreshSupport {
		out = append(out, protocol.MethodCodeLensRefresh)
	}
	if p.Capabilities.Workspace.InlayHint.RefreshSupport {
		out = append(out, "workspace/inlayHint/refresh")
	}
	return out
}

// capabilities adds what the library's lack.
type capabilities struct {
	protocol.ServerCapabilities
	PositionEncoding  string `json:"positionEncoding"`
	InlayHintProvider bool   `json:"inlayHintProvider"`
}

// inlayHintMethod is one of the protocol since 3.17, which the library does not have.
const inlayHintMethod = "textDocument/inlayHint"

type tokenOptions struct {
	Legend protocol.SemanticTokensLegend `json:"legend"`
	Full   bool                          `json:"full"`
}

func tokenLegend() protocol.SemanticTokensLegend {
	out := protocol.SemanticTokensLegend{TokenModifiers: []protocol.SemanticTokenModifiers{}}
	for _, class := range names.Classes {
		out.TokenTypes = append(out.TokenTypes, protocol.SemanticTokenTypes(class))
	}
	return out
}

func (s *Server) initialize(_ context.Context, p *initializeParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client = client{
		utf8:      slices.Contains(p.Capabilities.General.PositionEncodings, utf8Encoding),
		snippets:  p.Capabilities.TextDocument.Completion.CompletionItem.SnippetSupport,
		refreshes: p.refreshes(),
	}
	out := struct {
		Capabilities capabilities        `json:"capabilities"`
		ServerInfo   protocol.ServerInfo `json:"serverInfo"`
	}{ServerInfo: protocol.ServerInfo{Name: "preadmit", Version: s.version}}
	out.Capabilities.PositionEncoding, out.Capabilities.InlayHintProvider = utf16Encoding, true
	if s.client.utf8 {
		out.Capabilities.PositionEncoding = utf8Encoding
	}
	out.Capabilities.ServerCapabilities = protocol.ServerCapabilities{
		TextDocumentSync: protocol.TextDocumentSyncOptions{OpenClose: true, Change: protocol.TextDocumentSyncKindIncremental, Save: &protocol.SaveOptions{}},
		CompletionProvider: &protocol.CompletionOptions{
			TriggerCharacters: []string{".", "(", "[", "'", "\"", " "},
		},
		SignatureHelpProvider:           &protocol.SignatureHelpOptions{TriggerCharacters: []string{"(", ","}},
		HoverProvider:                   true,
		DocumentSymbolProvider:          true,
		DefinitionProvider:              true,
		ReferencesProvider:              true,
		DocumentHighlightProvider:       true,
		FoldingRangeProvider:            true,
		CodeLensProvider:                &protocol.CodeLensOptions{},
		DocumentFormattingProvider:      true,
		DocumentRangeFormattingProvider: true,
		ExecuteCommandProvider:          &protocol.ExecuteCommandOptions{Commands: slices.Sorted(maps.Keys(commands))},
		RenameProvider:                  &protocol.RenameOptions{PrepareProvider: true},
		SemanticTokensProvider:          tokenOptions{Legend: tokenLegend(), Full: true},
		CodeActionProvider:              protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.QuickFix, fixAllKind}},
	}
	return out, nil
}
