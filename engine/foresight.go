package engine

import (
	"context"
	"iter"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// Foresight is [Configuration.Foresee] in steps, for a caller that has other work between them.
type Foresight struct {
	cancel context.CancelFunc
	pause  func() bool
	next   func() (struct{}, bool)
	stop   func()
	found  diag.Diagnostics
	// Stops is what policies stop of what a healthy cluster asks for, when all has been looked at; nil for
	// nothing.
	Stops *report.Graph
}

// NewForesight begins to look for what requests will meet in a configuration. Stop has to be called.
func NewForesight(c *Configuration, o Options) *Foresight {
	f := &Foresight{}
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	f.next, f.stop = iter.Pull(func(yield func(struct{}) bool) {
		f.found, f.Stops = c.foreseeResting(ctx, o, func() {
			if ctx.Err() == nil && f.pause() && !yield(struct{}{}) {
				cancel()
			}
		})
	})
	return f
}

// Step goes on until pause reports true. It reports whether all has been looked at, and then what was
// found. pause is called between two requests.
func (f *Foresight) Step(pause func() bool) (found diag.Diagnostics, done bool) {
	f.pause = pause
	if _, more := f.next(); more {
		return nil, false
	}
	return f.found, true
}

// Stop ends the search.
func (f *Foresight) Stop() {
	f.cancel()
	f.stop()
}
