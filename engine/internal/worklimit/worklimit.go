// Package worklimit limits one run of the engine: work, bytes, and the time until
// a deadline. Texts come from unknown sources, and a small one can need
// more than a machine has.
//
// Work is counted, not timed, so that a run ends at the same place on every
// machine: a unit takes some ten to twenty nanoseconds. Code that loops
// over a text's content charges for it first. When the budget is used
// up the charge does not return: it panics with an [*Ended], which [Budget.Run] or
// [Budget.Within] turns into a value. That keeps the check out of the results of
// every function on the way, of which there are hundreds, some of them in
// libraries.
//
// A nil *Budget has no limits.
package worklimit

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"time"
)

// Limits are what a run may take; 0 is without limit.
type Limits struct {
	// Work is in units of some ten to twenty nanoseconds on a machine of 2025.
	Work int64
	// Bytes are those of what is made and may be kept, as far as it is counted.
	Bytes int64
	// Heap is how far the heap of the whole process may grow during the run. It is for
	// programs that do one run at a time; unlike the others it depends on the
	// machine.
	Heap int64
}

// What ended a run.
const (
	Work   = "work"
	Memory = "memory"
	Time   = "time"
)

// Ended says that a budget was used up.
type Ended struct {
	Limit string // Work, Memory or Time
	// Step is what was being done, such as "the type checks".
	Step string
	// Used is how much of the limit was used, and Max what there was; 0 for Time.
	Used, Max int64
	// Detail says more about a single value that would have been too large.
	Detail string
	// Expression is the one that was being read then, "" for none. Start and End are the part of it
	// that made it too large, in code points; both are 0 for all of it.
	Expression string
	Start, End int
	// Remedy says what to change in the expression; "" where that is not known.
	Remedy string

	cause error // of the context
}

func (e *Ended) Error() string {
	return fmt.Sprintf("stopped in %s: it needs too much %s", e.Step, e.Limit)
}

// Unwrap is the error of the context, for a run that its deadline ended.
func (e *Ended) Unwrap() error { return e.cause }

// Budget is what is left for a run. It is for one goroutine.
type Budget struct {
	ctx         context.Context
	limits      Limits
	work, bytes int64
	compiled    int
	// maxWork and maxBytes are those of the part that is running.
	maxWork, maxBytes int64
	step              string
	// at has the place that is being read: the expression of an [Ended], and what it says of it.
	at Ended
	// ended is set while the panic is on its way.
	ended *Ended
	// next is the work at which the context and the heap are looked at again.
	next int64
	heap heap
	// deadline is that of the context; zero when it has none.
	deadline time.Time
}

// often is how much work is done between two looks at the clock.
const often = 50_000

// New begins a run.
func New(ctx context.Context, limits Limits) *Budget {
	b := &Budget{ctx: ctx, limits: limits, maxWork: limits.Work, maxBytes: limits.Bytes, step: "reading the texts", next: often}
	b.deadline, _ = ctx.Deadline()
	if limits.Heap > 0 {
		b.heap.start()
	}
	return b
}

// Later is a budget for what is left of a run whose call has ended: with what is left of its
// limits, and the deadline of another context.
func (b *Budget) Later(ctx context.Context) *Budget {
	out := New(ctx, b.limits)
	out.work, out.bytes, out.compiled, out.next = b.work, b.bytes, b.compiled, b.work+often
	return out
}

// Enter says what is done from now on, for the words about a run that ends.
func (b *Budget) Enter(step string) {
	if b != nil {
		b.step = step
		b.look()
	}
}

// Reading says that an expression is read from now on until the returned function is called.
func (b *Budget) Reading(expression string) (done func()) {
	if b == nil {
		return func() {}
	}
	before := b.at
	b.at = Ended{Expression: expression}
	return func() { b.at = before }
}

// At says which part of the expression that is being read takes much, in code points, and what to change.
func (b *Budget) At(start, end int, remedy string) {
	if b != nil {
		b.at.Start, b.at.End, b.at.Remedy = start, end, remedy
	}
}

// Used is the work done so far.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.work
}

// Compiling counts an expression that is about to be compiled or checked. It charges
// nothing: what that takes depends on the expression.
func (b *Budget) Compiling() {
	if b != nil {
		b.compiled++
	}
}

// Compiled is how many expressions were compiled or checked so far; what was known
// from earlier runs does not count.
func (b *Budget) Compiled() int { return b.compiled }

// Bytes is what was counted so far.
func (b *Budget) Bytes() int64 {
	if b == nil {
		return 0
	}
	return b.bytes
}

// Work charges for work that is about to be done.
func (b *Budget) Work(units int) {
	if b == nil {
		return
	}
	b.work = add(b.work, int64(units))
	if b.maxWork > 0 && b.work > b.maxWork {
		b.end(&Ended{Limit: Work, Used: b.work, Max: b.maxWork})
	}
	if b.work >= b.next {
		b.next = b.work + often
		b.look()
	}
}

// Make charges for bytes that are about to be made, and for making them.
func (b *Budget) Make(bytes int) {
	if b == nil {
		return
	}
	b.bytes = add(b.bytes, int64(bytes))
	if b.maxBytes > 0 && b.bytes > b.maxBytes {
		b.end(&Ended{Limit: Memory, Used: b.bytes, Max: b.maxBytes})
	}
	b.Work(bytes / 64)
}

func add(a, b int64) int64 {
	if sum := a + b; b >= 0 && sum >= a {
		return sum
	}
	return 1<<63 - 1
}

// Look ends the run if its time is over, however little work was charged for since: for
// the calls that a library makes back while it works.
func (b *Budget) Look() {
	if b != nil {
		b.look()
	}
}

// Ahead ends the run if its time would be over before something is done that takes so many
// hundredths of what was done since a moment, and that nothing can interrupt.
func (b *Budget) Ahead(since time.Time, percent int) {
	if b == nil || b.deadline.IsZero() {
		return
	}
	if left := time.Until(b.deadline); left < time.Since(since)*time.Duration(percent)/100 {
		b.end(&Ended{Limit: Time, cause: context.DeadlineExceeded})
	}
}

// TooLarge ends the run because of one value.
func (b *Budget) TooLarge(detail string) {
	if b != nil {
		b.end(&Ended{Limit: Memory, Detail: detail})
	}
}

// look looks at the clock and at the heap. A context learns from a timer that its
// deadline has come, and on a machine with one thread, as WebAssembly is, no timer
// fires while the run is busy: so the deadline is compared with the clock, too.
func (b *Budget) look() {
	if b.ctx.Err() != nil {
		b.end(&Ended{Limit: Time, cause: context.Cause(b.ctx)})
	}
	if !b.deadline.IsZero() && !time.Now().Before(b.deadline) {
		b.end(&Ended{Limit: Time, cause: context.DeadlineExceeded})
	}
	if b.limits.Heap > 0 {
		if grown := b.heap.grown(b.limits.Heap); grown > b.limits.Heap {
			b.end(&Ended{Limit: Memory, Used: grown, Max: b.limits.Heap})
		}
	}
}

func (b *Budget) end(e *Ended) {
	e.Step = b.step
	e.Expression, e.Start, e.End, e.Remedy = b.at.Expression, b.at.Start, b.at.End, b.at.Remedy
	b.ended = e
	panic(e)
}

// Check goes on with a panic that a library has caught.
func (b *Budget) Check() {
	if b != nil && b.ended != nil {
		panic(b.ended)
	}
}

// Run runs a function and returns why it ended early; nil when it did not.
func (b *Budget) Run(f func()) (ended *Ended) {
	defer func() {
		if r := recover(); r != nil {
			var ok bool
			if ended, ok = r.(*Ended); !ok {
				panic(r)
			}
			if b != nil {
				b.ended = nil
			}
		}
	}()
	f()
	return nil
}

// Within runs a part that the answer does not need with at most so many hundredths
// of the whole work and bytes. It returns why the part ended early; nil when it did
// not. A context that ends, and the heap, end the whole run only where nothing is
// left to do without the part.
func (b *Budget) Within(step string, percent int64, f func()) *Ended {
	if b == nil {
		f()
		return nil
	}
	work, bytes, before := b.maxWork, b.maxBytes, b.step
	defer func() { b.maxWork, b.maxBytes, b.step = work, bytes, before }()
	if b.limits.Work > 0 {
		b.maxWork = min(work, add(b.work, b.limits.Work/100*percent))
	}
	if b.limits.Bytes > 0 {
		b.maxBytes = min(bytes, add(b.bytes, b.limits.Bytes/100*percent))
	}
	b.step = step
	return b.Run(f)
}

// Spent reports whether more than so many hundredths of the work are done: what
// only explains the answer is left out then.
func (b *Budget) Spent(percent int64) bool {
	return b != nil && b.limits.Work > 0 && b.work > b.limits.Work/100*percent
}

// Has reports whether so much work is left before so many hundredths are done.
func (b *Budget) Has(work, percent int64) bool {
	return b == nil || b.limits.Work <= 0 || add(b.work, work) <= b.limits.Work/100*percent
}

// Canceled reports whether nobody waits for the result any more. A deadline is
// another thing: what there is by then is wanted.
func Canceled(ctx context.Context) bool {
	return ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded)
}

// heap watches the heap of the process.
type heap struct {
	sample [1]metrics.Sample
	first  int64 // in use at the beginning
	// collected is what was in use after the collection that a look asked for.
	collected int64
}

func (h *heap) read() int64 {
	metrics.Read(h.sample[:])
	return int64(h.sample[0].Value.Uint64())
}

func (h *heap) start() {
	h.sample[0].Name = "/memory/classes/heap/objects:bytes"
	h.first = h.read()
	h.collected = h.first
}

// grown is by how much the heap has grown. What is not used any more counts, until a
// collection has shown how much that is: one is made whenever the heap has grown by
// a quarter of the limit since the last one.
func (h *heap) grown(limit int64) int64 {
	now := h.read()
	if now-h.first > limit && now-h.collected > limit/4 {
		runtime.GC()
		now = h.read()
		h.collected = now
	}
	return min(now, max(h.collected+limit/4, h.first)) - h.first
}
