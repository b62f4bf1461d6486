//go:build js && wasm

// Command inworker is the language server in a web worker: a message of the worker is a message of
// the protocol (editors/vscode/src/language-worker.ts).
package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"sync"
	"syscall/js"

	"github.com/a-h/templ/lsp/jsonrpc2"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/language"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/registry/remote"
)

func main() {
	// The API server's own code is a module of its own, which the worker has started before.
	server := js.Global().Get("preadmitRegistry")
	engine.Use(remote.New(func(call string) (string, error) { return server.Invoke(call).String(), nil }))
	messages := &port{}
	messages.some.L = &messages.mu
	js.Global().Set("preadmitReceive", js.FuncOf(func(_ js.Value, args []js.Value) any {
		messages.receive(args[0].String())
		return nil
	}))
	if _, err := language.New("web", engine.Limits{}, os.Stderr).AnswerStream(context.Background(), messages); err != nil {
		panic(err)
	}
}

// port is the worker's messages as a stream.
type port struct {
	mu     sync.Mutex
	some   sync.Cond
	queue  []string
	closed bool
}

// receive takes a message. It does not wait, as the worker's thread may not.
func (p *port) receive(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, message)
	p.some.Signal()
}

// Read waits for the next message.
func (p *port) Read(context.Context) (jsonrpc2.Message, int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.queue) == 0 && !p.closed {
		p.some.Wait()
	}
	if p.closed {
		return nil, 0, io.EOF
	}
	text := p.queue[0]
	p.queue = p.queue[1:]
	message, err := jsonrpc2.DecodeMessage([]byte(text))
	return message, int64(len(text)), err
}

// Write sends a message.
func (p *port) Write(_ context.Context, message jsonrpc2.Message) (int64, error) {
	data, err := json.Marshal(message)
	if err != nil {
		return 0, err
	}
	js.Global().Call("preadmitSend", string(data))
	return int64(len(data)), nil
}

// Close ends Read.
func (p *port) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.some.Broadcast()
	return nil
}
