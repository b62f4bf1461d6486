//go:build js && wasm

// Package worker offers a Go program to the web worker that it runs in: one function that takes and
// returns texts. Calls run one after the other, on the worker's only thread.
package worker

import (
	"os"
	"runtime"
	"runtime/debug"
	"syscall/js"
	"time"
)

// The collector works on the thread that answers, and what is live is small: so
// it may wait until the heap is some times larger. A large heap is collected
// as usual.
const (
	heapGrowth = 800       // percent of what is live
	heapLimit  = 224 << 20 // bytes
)

// between is after how much time without a call garbage is collected that would interrupt one
// of the next: it is long enough for a reply to leave, and shorter than it takes to type.
const between = time.Millisecond

// heapGrowthBefore is that while the image is made, which is smaller when what lives
// lies close together.
const heapGrowthBefore = 10

// Program is what is offered. The global object gets it as preadmit, from where the build's
// snapshot and the worker's own script take it.
type Program struct {
	// Protocol is the version of the calls; the worker rejects any other.
	Protocol int
	// Call answers a call. Long texts of it come beside it.
	Call func(call string, texts []string) string
	// Failed is the answer to a call that panicked.
	Failed func(reason any) string
	// Forget drops what the calls have left behind.
	Forget func()
}

// Offer waits for calls, for ever.
func Offer(p Program) {
	debug.SetGCPercent(heapGrowth)
	debug.SetMemoryLimit(heapLimit)
	js.Global().Set("preadmit", js.ValueOf(map[string]any{
		"protocol": p.Protocol,
		"call":     js.FuncOf(p.call),
		"warm":     js.FuncOf(warm),
		"settle":   js.FuncOf(p.settle),
	}))
	select {}
}

// call is preadmit.call(request: string, ...texts: string[]): string.
func (p Program) call(_ js.Value, args []js.Value) (result any) {
	defer func() {
		if reason := recover(); reason != nil {
			result = p.Failed(reason)
		}
	}()
	defer func() { filler = new(uint64) }()
	defer collectSoon()
	deepen()
	texts := make([]string, len(args)-1)
	for i := range texts {
		texts[i] = args[i+1].String()
	}
	return p.Call(args[0].String(), texts)
}

// filler takes the rest of the block in which Go puts small objects before a reply gets there: what a call keeps
// would be in the same block otherwise, and the reply would never be collected, as the image needs
// (scripts/module/snapshot).
var filler *uint64

// collector is the goroutine that will collect, if there is one. The program has one thread.
var collector struct{ due, off bool }

// collectSoon collects after the reply, when so little is free that one of the next calls
// would have to, whose reply would wait for that.
func collectSoon() {
	if collector.due || collector.off {
		return
	}
	collector.due = true
	go func() {
		time.Sleep(between)
		collector.due = false
		var heap runtime.MemStats
		if runtime.ReadMemStats(&heap); heap.HeapAlloc > heap.NextGC/2 {
			runtime.GC()
		}
	}()
}

// depth is a stack that nearly every evaluation has enough of, in bytes.
const depth = 96 << 10

// deepen lets the stack of a call grow at once, while there is nothing on it. Go would double
// it several times on the way down, and look through all calls on it each time.
//
//go:noinline
func deepen() byte {
	var room [depth]byte
	return room[len(os.Args)%depth]
}

// warm is preadmit.warm(): calls follow that warm up the program for its image. Only
// the build calls it (scripts/module/snapshot).
func warm(js.Value, []js.Value) any {
	debug.SetGCPercent(heapGrowthBefore)
	collector.off = true // no timer may be under way when the image is made
	return nil
}

// settle is preadmit.settle(): it drops what the calls left behind, and collects it.
// Only the build calls it.
func (p Program) settle(js.Value, []js.Value) any {
	p.Forget()
	filler = nil
	// A goroutine runs when this function has returned and before JavaScript goes on: so
	// what belongs to this call is collected too.
	go func() {
		for range 4 { // finalizers of what one finds give more to the next
			runtime.GC()
			runtime.Gosched()
		}
		debug.SetGCPercent(heapGrowth)
		collector.off = false
	}()
	return nil
}
