package language_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a-h/templ/lsp/jsonrpc2"
	"github.com/a-h/templ/lsp/protocol"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/language"
	"github.com/preadmit/preadmit/engine"
)

// editor is a client of the server, with the protocol's own transport.
type editor struct {
	t         *testing.T
	dir       string
	conn      jsonrpc2.Conn
	published chan protocol.PublishDiagnosticsParams
	texts     map[string]string // open documents
	versions  map[string]int32
	encoding  string
	applied   []string // the edits that the server asked for
	refreshed atomic.Int32
}

type stream struct {
	io.Reader
	io.WriteCloser
}

// started is an editor in a folder that has told the server what it can do.
func started(t *testing.T, dir string, encodings ...string) *editor {
	t.Helper()
	fromEditor, toServer := io.Pipe()
	fromServer, toEditor := io.Pipe()
	done := make(chan error, 1)
	go func() {
		orderly, err := language.New("test", engine.Limits{}, io.Discard).Answer(context.Background(), fromEditor, toEditor)
		if err == nil && !orderly {
			err = fmt.Errorf("the server ended without shutdown")
		}
		done <- err
	}()
	e := &editor{t: t, dir: dir, published: make(chan protocol.PublishDiagnosticsParams, 1000), texts: map[string]string{}, versions: map[string]int32{}}
	e.conn = jsonrpc2.NewConn(jsonrpc2.NewStream(stream{fromServer, toServer}))
	e.conn.Go(context.Background(), func(ctx context.Context, reply jsonrpc2.Replier, r jsonrpc2.Request) error {
		switch r.Method() {
		case protocol.MethodTextDocumentPublishDiagnostics:
			var p protocol.PublishDiagnosticsParams
			if err := json.Unmarshal(r.Params(), &p); err != nil {
				return err
			}
			e.published <- p
		case protocol.MethodWorkspaceApplyEdit:
			e.applied = append(e.applied, string(r.Params()))
			return reply(ctx, map[string]any{"applied": true}, nil)
		case protocol.MethodCodeLensRefresh:
			e.refreshed.Add(1)
			return reply(ctx, nil, nil)
		case protocol.MethodWindowShowMessage:
		default:
			t.Errorf("the server sent %s", r.Method())
		}
		return nil
	})
	var greeting struct {
		Capabilities struct{ PositionEncoding string }
	}
	e.call(protocol.MethodInitialize, map[string]any{"capabilities": map[string]any{
		"workspace":    map[string]any{"codeLens": map[string]any{"refreshSupport": true}},
		"general":      map[string]any{"positionEncodings": encodings},
		"textDocument": map[string]any{"completion": map[string]any{"completionItem": map[string]any{"snippetSupport": true}}},
	}}, &greeting)
	e.encoding = greeting.Capabilities.PositionEncoding
	e.notify(protocol.MethodInitialized, map[string]any{})
	t.Cleanup(func() {
		e.call(protocol.MethodShutdown, nil, nil)
		e.notify(protocol.MethodExit, nil)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return e
}

func (e *editor) call(method string, params, result any) {
	e.t.Helper()
	if err := protocol.Call(context.Background(), e.conn, method, params, result); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	if err := e.conn.Notify(context.Background(), method, params); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) uri(name string) protocol.DocumentURI {
	return protocol.DocumentURI("file://" + filepath.ToSlash(filepath.Join(e.dir, name)))
}

// opens opens a file of the folder.
func (e *editor) opens(name string) {
	e.t.Helper()
	data, err := os.ReadFile(filepath.Join(e.dir, name))
	if err != nil {
		e.t.Fatal(err)
	}
	e.opensText(name, string(data))
}

func (e *editor) opensText(name, text string) {
	e.t.Helper()
	e.texts[name], e.versions[name] = text, 1
	e.notify(protocol.MethodTextDocumentDidOpen, protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{URI: e.uri(name), LanguageID: "yaml", Version: 1, Text: text}})
}

// changes replaces a part of a document.
func (e *editor) changes(name string, from, to int, with string) {
	e.t.Helper()
	text := e.texts[name]
	change := protocol.TextDocumentContentChangeEvent{Range: &protocol.Range{Start: e.at(text, from), End: e.at(text, to)}, Text: with}
	e.texts[name] = text[:from] + with + text[to:]
	e.versions[name]++
	p := protocol.DidChangeTextDocumentParams{ContentChanges: []protocol.TextDocumentContentChangeEvent{change}}
	p.TextDocument.URI, p.TextDocument.Version = e.uri(name), e.versions[name]
	e.notify(protocol.MethodTextDocumentDidChange, p)
}

// at is the place of a byte, counted by the test itself.
func (e *editor) at(text string, offset int) protocol.Position {
	before := text[:offset]
	line := strings.Count(before, "\n")
	rest := before[strings.LastIndexByte(before, '\n')+1:]
	n := len(rest)
	if e.encoding == "utf-16" {
		n = 0
		for _, r := range rest {
			n++
			if r > 0xffff {
				n++
			}
		}
	}
	return protocol.Position{Line: uint32(line), Character: uint32(n)}
}

// problems waits for those of the newest version of a document.
func (e *editor) problems(name string) []protocol.Diagnostic {
	e.t.Helper()
	limit := time.After(3 * time.Minute) // a busy machine takes its time
	for {
		select {
		case p := <-e.published:
			if p.URI == e.uri(name) && p.Version == uint32(e.versions[name]) {
				return p.Diagnostics
			}
		case <-limit:
			e.t.Fatalf("no problems of %s", name)
		}
	}
}

// place finds "before|after" in a document: a place in it, at the bar.
func (e *editor) place(name, marked string) protocol.TextDocumentPositionParams {
	e.t.Helper()
	before, after, _ := strings.Cut(marked, "|")
	i := strings.Index(e.texts[name], before+after)
	if i < 0 {
		e.t.Fatalf("%s has no %s", name, before+after)
	}
	return protocol.TextDocumentPositionParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.uri(name)}, Position: e.at(e.texts[name], i+len(before))}
}
