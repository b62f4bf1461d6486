package ask

import (
	"context"
	"iter"

	"github.com/preadmit/preadmit/engine"
)

// Examples looks for a request that any of the policies denies and one that all of them admit, in
// steps: a caller has other work between them.
type Examples struct {
	// Denied and Admitted are what was found so far.
	Denied, Admitted Answer

	cancel context.CancelFunc
	pause  func() bool
	next   func() (struct{}, bool)
	stop   func()
	err    error
}

// NewExamples begins a search that evaluates at most limit requests for each of the two, 0 is
// DefaultLimit. Stop must be called.
func NewExamples(c *engine.Configuration, limit int) *Examples {
	e := &Examples{}
	ctx, cancel := context.WithCancel(context.Background())
	e.cancel = cancel
	e.next, e.stop = iter.Pull(func(yield func(struct{}) bool) {
		resting := context.WithValue(ctx, restKey{}, func() {
			if ctx.Err() == nil && e.pause() && !yield(struct{}{}) {
				cancel()
			}
		})
		if e.Denied, e.err = Denied(resting, c, "", limit); e.err == nil {
			e.Admitted, e.err = Admitted(resting, c, "", limit)
		}
	})
	return e
}

// Step goes on until pause reports true, and reports whether the search has ended. pause is called
// between two requests.
func (e *Examples) Step(pause func() bool) (done bool, err error) {
	e.pause = pause
	_, more := e.next()
	if more {
		return false, nil
	}
	return true, e.err
}

// Stop ends the search.
func (e *Examples) Stop() {
	e.cancel()
	e.stop()
}

// restKey is the key, in a context, of what a search calls between two requests.
type restKey struct{}
