//go:build js && wasm

// Command wasm exposes the engine to a web worker. It holds no logic: it moves
// JSON across the boundary and turns a panic into a reply.
package main

import (
	"context"
	"runtime/debug"
	"syscall/js"

	"github.com/preadmit/preadmit/web/bridge"
)

// The collector works on the thread that answers, and what is live is small: so
// it may wait until the heap is some times larger. A large heap is collected
// as usual.
const (
	heapGrowth = 800      // percent of what is live
	heapLimit  = 96 << 20 // bytes
)

func main() {
	debug.SetGCPercent(heapGrowth)
	debug.SetMemoryLimit(heapLimit)
	js.Global().Set("preadmit", js.ValueOf(map[string]any{
		"protocol": bridge.Protocol, // the worker refuses any other
		"call":     js.FuncOf(call),
	}))
	select {}
}

// call is preadmit.call(request: string): string.
func call(_ js.Value, args []js.Value) (result any) {
	defer func() {
		if reason := recover(); reason != nil {
			result = bridge.Failure(reason)
		}
	}()
	return bridge.Call(context.Background(), args[0].String())
}
