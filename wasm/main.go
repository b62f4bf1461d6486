//go:build js && wasm

// Command wasm exposes the engine to a web worker. It holds no logic: it moves
// JSON across the boundary and turns a panic into a reply.
package main

import (
	"context"
	"errors"
	"syscall/js"

	"github.com/preadmit/preadmit/wasm/worker"
	"github.com/preadmit/preadmit/web/bridge"
)

func main() {
	bridge.UseRegistry(askRegistry)
	worker.Offer(worker.Program{
		Protocol: bridge.Protocol,
		Call: func(call string, texts []string) string {
			return bridge.Call(context.Background(), call, texts...)
		},
		Failed: bridge.Failure,
		Forget: bridge.Forget,
	})
}

// askRegistry calls the global preadmitRegistry, which the worker sets once it has loaded the API
// server's own code (web/app/registry-part.ts). It is a function, or a text that says why loading
// failed.
func askRegistry(call string) (string, error) {
	ask := js.Global().Get("preadmitRegistry")
	switch ask.Type() {
	case js.TypeFunction:
		if call == "" {
			return "", nil // it is loaded
		}
		return ask.Invoke(call).String(), nil
	case js.TypeString:
		return "", errors.New(ask.String())
	default:
		return "", bridge.ErrLoading
	}
}
