// Package growth reports whether larger objects would exceed the API server's
// cost limits (semantics §2). The server limits costs at run time, so a policy
// that works for all current objects may fail for a larger one.
//
// A static estimate comes first: when an expression cannot cost too much with
// all lists, maps and strings as long as the schema and the size of a request
// allow, that is proven. Otherwise the expressions run again on longer lists,
// until the length is found that breaks the limit.
package growth

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/report"
)

// Search looks for what breaks the limits of one evaluated scenario, in steps.
type Search struct {
	recorded *engine.Recorded
	replayer *eval.Replayer
	ctx      context.Context
	cancel   context.CancelFunc
	// work is what may still be spent on evaluations, in CEL cost units.
	work int64

	ticks int
	pause func() bool
	yield func(struct{}) bool
	next  func() (struct{}, bool)
	stop  func()
}

// New prepares a search that spends about so many cost units on evaluations;
// evaluating a million takes some tenths of a second. It writes what it finds
// into the report of the recorded scenario.
func New(recorded *engine.Recorded, work int64) *Search {
	s := &Search{recorded: recorded, work: work}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.replayer = eval.NewReplayer(s.tick)
	s.next, s.stop = iter.Pull(func(yield func(struct{}) bool) {
		s.yield = yield
		s.run()
	})
	return s
}

// Step goes on until pause says true, and reports whether the search has ended.
// pause is asked again and again; the step returns soon after, even from inside
// of a loop of an expression. A mistake of ours ends the search, which the answer does
// not need.
func (s *Search) Step(pause func() bool) (done bool) {
	defer func() {
		if recover() != nil {
			done = true
		}
	}()
	s.pause = pause
	_, more := s.next()
	return !more
}

// Stop ends the search early. What it has found stays in the report.
func (s *Search) Stop() {
	s.cancel()
	s.stop()
}

// ticksPerPause is how many operations there are between two looks at the
// clock.
const ticksPerPause = 64

// unitsPerCost is how many units of work take as long as one of CEL's cost units, about.
const unitsPerCost = 20

// tick is called inside loops, with the work of a call besides its cost. Where that
// uses up what may be spent, the search ends inside the loop.
func (s *Search) tick(work int) {
	if work > 0 {
		if s.work -= int64(work) / unitsPerCost; s.work <= 0 {
			s.cancel()
		}
	}
	if s.ticks++; s.ticks%ticksPerPause == 0 {
		s.rest()
	}
}

// rest is called between parts of the work that take a while each. It yields
// to other work that is waiting.
func (s *Search) rest() {
	if s.ctx.Err() == nil && s.pause() && !s.yield(struct{}{}) {
		s.cancel()
	}
}

func (s *Search) over() bool { return s.work <= 0 || s.ctx.Err() != nil }

// run looks at one budget after the other.
func (s *Search) run() {
	defer s.cancel()
	known := map[string]*group{} // a policy may run for several bindings
	for _, g := range s.inOrder() {
		s.rest()
		if like := known[g.key]; like != nil {
			g.copy(like)
			continue
		}
		known[g.key] = g
		if s.estimate(g) {
			s.grow(g)
		}
		g.note()
	}
	s.calls()
}

// inOrder are the groups as they are searched. Rules that are tried without a definition come
// first: their writer is interested in them alone, and the time for a search is short.
func (s *Search) inOrder() []*group {
	if s.recorded.Report.Rules != nil {
		return slices.Concat(s.ruleGroups(), s.groups())
	}
	return slices.Concat(s.groups(), s.ruleGroups())
}

// calls gives the budgets of single calls the outlook of their expression.
func (s *Search) calls() {
	r := s.recorded.Report
	for i := range r.Budgets {
		b := &r.Budgets[i]
		if b.Scope != report.CallScope || b.Step < 0 || b.Step >= len(r.Steps) {
			continue
		}
		r.Steps[b.Step].Evaluations(func(e *report.Evaluation) {
			if e.Cost == b.Used && b.Outlook == nil {
				b.Outlook = e.Outlook
			}
		})
	}
}

// estimate fills in what the static estimate says. False means that no limit of
// the group can be broken.
func (s *Search) estimate(g *group) bool {
	var total uint64
	open := false
	for _, p := range g.lists {
		known := p.estimate(s, func(k key, most, together uint64) {
			open = outlook(p.evaluation(k), most) || open
			total = add(total, together)
		})
		if known == nil {
			return false // there is no such version, so nothing was evaluated either
		}
		g.take(known)
	}
	if g.budget != nil {
		g.budget.Outlook = newOutlook(g.budget.Limit, total)
		open = open || !g.budget.Outlook.Cannot
	}
	return open
}

// known is what the estimate of a list found out.
type known struct {
	// sized are the places whose size counts for the cost.
	sized  []place
	bounds bounds
	// calls is how many runs there can be, repeated says that an expression may run more
	// than once.
	calls    uint64
	repeated bool
}

// take adds what is known of another list of the same group.
func (k *known) take(other *known) {
	k.sized = append(k.sized, other.sized...)
	k.bounds = other.bounds
	k.calls, k.repeated = add(k.calls, other.calls), k.repeated || other.repeated
}

func (p *recordedList) estimate(s *Search, found func(k key, most, together uint64)) *known {
	e, err := s.estimator(p)
	if err != nil {
		return nil
	}
	out := &known{bounds: e.bounds, calls: uint64(len(p.keys()))}
	for i, c := range p.record.Expressions {
		s.rest()
		var est estimated
		if c.OK() {
			est = e.estimate(c.Expression, c.Scope)
		}
		out.sized = append(out.sized, est.sized...)
		found(key{expression: i}, est.max, est.max)
	}
	for name := range p.variables {
		found(key{variable: name}, e.costs[name], e.costs[name])
	}
	if len(p.variables) > 0 {
		out.sized = append(out.sized, e.sized...)
	}
	return out
}

func add(a, b uint64) uint64 {
	if a > noBound-b {
		return noBound
	}
	return a + b
}

func newOutlook(limit int64, most uint64) *report.Outlook {
	o := &report.Outlook{Limit: limit, Max: -1}
	if most < math.MaxInt64 {
		o.Max = int64(most)
		o.Cannot = o.Max <= limit
	}
	return o
}
