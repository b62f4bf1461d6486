//go:build js && wasm

// Command wasm exposes the engine to a web worker. It holds no logic: it moves
// JSON across the boundary and turns a panic into a reply.
package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"syscall/js"

	"github.com/preadmit/preadmit/web/bridge"
)

// The collector works on the thread that answers, and what is live is small: so
// it may wait until the heap is some times larger. A large heap is collected
// as usual.
const (
	heapGrowth = 800       // percent of what is live
	heapLimit  = 224 << 20 // bytes
)

// heapGrowthBefore is that while the image is made, which is smaller when what lives
// lies close together.
const heapGrowthBefore = 10

func main() {
	debug.SetGCPercent(heapGrowth)
	debug.SetMemoryLimit(heapLimit)
	js.Global().Set("preadmit", js.ValueOf(map[string]any{
		"protocol": bridge.Protocol, // the worker refuses any other
		"call":     js.FuncOf(call),
		"warm":     js.FuncOf(warm),
		"settle":   js.FuncOf(settle),
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

// warm is preadmit.warm(): calls follow that warm up the engine for its image. Only
// the build calls it (scripts/snapshot).
func warm(js.Value, []js.Value) any {
	debug.SetGCPercent(heapGrowthBefore)
	return nil
}

// settle is preadmit.settle(): it drops what the calls left behind, and collects it.
// Only the build calls it.
func settle(js.Value, []js.Value) any {
	bridge.Forget()
	// A goroutine runs when this function has returned and before JavaScript goes on: so
	// what belongs to this call is collected too.
	go func() {
		for range 4 { // finalizers of what one finds give more to the next
			runtime.GC()
			runtime.Gosched()
		}
		debug.SetGCPercent(heapGrowth)
	}()
	return nil
}
