//go:build js && wasm

// Package worker offers a Go program to its web worker: one function from texts to texts. Calls run
// one after the other on the worker's only thread.
package worker

import (
	"os"
	"runtime"
	"runtime/debug"
	"syscall/js"
	"time"
)

// Garbage collection blocks the thread that serves calls, and little memory is live. So the heap
// may grow to several times that. A large heap is collected as usual.
const (
	heapGrowth = 800       // percent of the live heap
	heapLimit  = 224 << 20 // bytes
)

// between is the idle time after which garbage is collected that would otherwise interrupt one of
// the next calls. It is long enough for a reply to leave, and shorter than the time to type a key.
const between = time.Millisecond

// heapGrowthBefore applies while the image is built. Images are smaller if live memory is close
// together.
const heapGrowthBefore = 10

// Program is the offered program. The global object gets it as preadmit; the build's snapshot and
// the worker's script use it.
type Program struct {
	// Protocol is the version of the calls. The worker rejects any other.
	Protocol int
	// Call serves a call. Its long texts are passed separately.
	Call func(call string, texts []string) string
	// Failed returns the reply for a call that panicked.
	Failed func(reason any) string
	// Forget drops what calls have left in memory.
	Forget func()
}

// Offer serves calls forever.
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

// filler fills the rest of Go's current block for small objects before a reply is allocated.
// Otherwise long-lived data could share the block, and the reply would never be freed, as the image
// needs (scripts/module/snapshot).
var filler *uint64

// collector is the goroutine that will collect garbage, if there is one. The program has one
// thread.
var collector struct{ due, off bool }

// collectSoon collects garbage after the reply if one of the next calls would otherwise have to,
// and its reply would wait.
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

// depth is a stack size, in bytes, that is enough for nearly every evaluation.
const depth = 96 << 10

// deepen grows a call's stack at once, while it is empty. Otherwise Go would double it several
// times on the way down, and scan all its frames each time.
//
//go:noinline
func deepen() byte {
	var room [depth]byte
	return room[len(os.Args)%depth]
}

// warm is preadmit.warm(): the following calls warm up the program for its image. Only the build
// calls it (scripts/module/snapshot).
func warm(js.Value, []js.Value) any {
	debug.SetGCPercent(heapGrowthBefore)
	collector.off = true // no timer may be active when the image is built
	return nil
}

// settle is preadmit.settle(): it drops and collects what the calls left behind. Only the build
// calls it.
func (p Program) settle(js.Value, []js.Value) any {
	p.Forget()
	filler = nil
	// A goroutine runs after this function returns and before JavaScript continues, so this call's
	// own data is collected too.
	go func() {
		for range 4 { // one round's finalizers free more for the next
			runtime.GC()
			runtime.Gosched()
		}
		debug.SetGCPercent(heapGrowth)
		collector.off = false
	}()
	return nil
}
