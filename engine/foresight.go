package engine

import (
	"context"
	"iter"
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
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

// WithForeseen returns the problems of a report and those that [Foresight] found, in a report's order. What the answer
// to the request says of a place is not repeated.
func WithForeseen(problems, found diag.Diagnostics) diag.Diagnostics {
	out := slices.Clone(problems)
	for _, d := range found {
		if i := slices.IndexFunc(out, func(k diag.Diagnostic) bool { return sameProblem(&k, &d) }); i >= 0 {
			if out[i].Example == "" {
				out[i].Example = d.Example
			}
			continue
		}
		said := func(k diag.Diagnostic) bool {
			return k.Severity != diag.Info && !codes.Standing(k.Code) && k.Text == d.Text && k.Path == d.Path && k.Span.Start < d.Span.End && d.Span.Start < k.Span.End
		}
		if !slices.ContainsFunc(problems, said) {
			out = append(out, d)
		}
	}
	out = withoutWaiting(out)
	inOrder(out)
	return out
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
