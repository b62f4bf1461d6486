package values

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// MaxRuns is the number of evaluations of one part that are kept from the
// first; the last one and the first that fails are kept as well.
const MaxRuns = 16

// Record is what became of one part.
type Record struct {
	// Count is how often it was evaluated, also beyond what is kept.
	Count int
	// Runs are the first evaluations. Last and Failed are the last and the
	// first failing one when they came after those.
	Runs         []Run
	Last, Failed *Run
	// Cost is that of all evaluations, with the parts below.
	Cost uint64
	// Interrupted says that it was being evaluated when the cost limit was
	// reached or the context ended.
	Interrupted bool
}

// state is what is known of one part during the evaluation only.
type state struct {
	entry    uint64 // cost at the beginning of the evaluation under way
	open     bool
	sequence uint64 // of the chain in which it was last recorded
	latest   *Run
}

// Run is one evaluation of a part.
type Run struct {
	// At are the iterations of the loops around it, outermost first, from 0.
	At  []int
	Err error

	value, on any // ref.Val once the evaluation has ended
}

// NewRun is a run that gave a value.
func NewRun(at []int, value ref.Val) *Run { return &Run{At: at, value: value} }

// Value is what the part gave; nil when it failed.
func (r *Run) Value() ref.Val {
	v, _ := r.value.(ref.Val)
	return v
}

// On is the value that was selected from, when that failed; else nil.
func (r *Run) On() ref.Val {
	v, _ := r.on.(ref.Val)
	return v
}

// run is an evaluation under way.
type run struct {
	nodes    []*Node
	costs    *interpreter.CostTracker
	records  []Record
	states   []state
	loops    []int // iteration of every loop under way
	chains   []chain
	sequence uint64
	// room is for the first runs of parts, positions for Run.At.
	room      []Run
	positions []int
}

func newRun(nodes []*Node) *run {
	return &run{nodes: nodes, states: make([]state, len(nodes)), chains: make([]chain, 0, usualChains)}
}

// reset begins another evaluation. What the last one recorded is not touched:
// it belongs to its Trace.
func (r *run) reset() {
	clear(r.states)
	*r = run{nodes: r.nodes, states: r.states, loops: r.loops[:0], chains: r.chains[:0]}
	r.records = make([]Record, len(r.nodes))
}

// chain is a variable or value with its selections, under way: cel-go resolves
// all of a.b[c].d in one step.
type chain struct {
	owner *attribute
	entry uint64
	// pending is the cost of the variable itself, which cel-go charges last.
	pending  uint64
	sequence uint64
	last     int // the node of the last selection that began, -1 before the first
	// failed says that the error has been recorded already, in a chain inside.
	failed bool
}

func (r *run) open(i int) {
	st := &r.states[i]
	st.open, st.entry = true, r.costs.ActualCost()
}

func (r *run) close(i int) {
	st := &r.states[i]
	st.open = false
	r.records[i].Cost += r.costs.ActualCost() - st.entry
}

// add records an evaluation of a node.
func (r *run) add(i int, value any, err error) {
	if e, ok := value.(*types.Err); ok {
		value, err = nil, e
	}
	rec, st := &r.records[i], &r.states[i]
	rec.Count++
	st.sequence = r.sequence
	switch {
	case len(rec.Runs) < MaxRuns:
		if rec.Runs == nil {
			rec.Runs = r.runs(i)
		}
		rec.Runs = append(rec.Runs, Run{At: r.at(i, nil)})
		st.latest = &rec.Runs[len(rec.Runs)-1]
	case err != nil && rec.Failed == nil && !failed(rec.Runs):
		rec.Failed = &Run{At: r.at(i, nil)}
		st.latest = rec.Failed
	default:
		if rec.Last == nil {
			rec.Last = &Run{}
		}
		rec.Last.At = r.at(i, rec.Last.At)
		st.latest = rec.Last
	}
	st.latest.set(value, err)
}

func failed(list []Run) bool {
	for i := range list {
		if list[i].Err != nil {
			return true
		}
	}
	return false
}

// at is where the loops around a node are; it reuses old. A loop that has not
// begun is one whose list is being evaluated: the loops in that list are
// beside it, not inside.
func (r *run) at(i int, old []int) []int {
	depth := min(r.nodes[i].Depth, len(r.loops))
	if depth == 0 {
		return old[:0]
	}
	if old == nil {
		if len(r.positions) < depth {
			r.positions = make([]int, depth*positionsAtOnce)
		}
		old, r.positions = r.positions[:depth:depth], r.positions[depth:]
	}
	out := old[:0]
	for _, iteration := range r.loops {
		if iteration >= 0 && len(out) < depth {
			out = append(out, iteration)
		}
	}
	for len(out) < depth {
		out = append(out, -1)
	}
	return out
}

// runs makes room for the runs of a node: one outside loops.
func (r *run) runs(i int) []Run {
	n := 1
	if r.nodes[i].Depth > 0 {
		n = usualRuns
	}
	if len(r.room) < n {
		r.room = make([]Run, runsAtOnce)
	}
	out := r.room[:0:n]
	r.room = r.room[n:]
	return out
}

// Allocation is most of the work of recording, so room is made for many at
// once.
const (
	usualRuns       = 4
	usualChains     = 4
	runsAtOnce      = 8
	positionsAtOnce = 64
)

func (r *Run) set(value any, err error) {
	if e, ok := value.(*types.Err); ok && err == nil {
		value, err = nil, e
	}
	r.value, r.Err, r.on = value, err, nil
}

// begin starts a chain.
func (r *run) begin(owner *attribute, pending uint64) {
	r.sequence++
	r.chains = append(r.chains, chain{owner: owner, entry: r.costs.ActualCost(), pending: pending, sequence: r.sequence, last: -1})
}

// chainOf finds the chain of a selection: the innermost one unless the
// selection was handed down to the branches of a conditional.
func (r *run) chainOf(owner *attribute) *chain {
	for i := len(r.chains) - 1; i > 0; i-- {
		if r.chains[i].owner == owner {
			return &r.chains[i]
		}
	}
	return &r.chains[0]
}

// end finishes the innermost chain, whose last node is i. When it failed before
// it came to i, then i was not evaluated.
func (r *run) end(i int, value any, err error) {
	c := r.chains[len(r.chains)-1]
	r.chains = r.chains[:len(r.chains)-1]
	if e, ok := value.(*types.Err); ok {
		err = e
	}
	st := &r.states[i]
	switch total := r.costs.ActualCost() - c.entry; {
	case st.sequence >= c.sequence && st.latest != nil:
		on := st.latest.on
		st.latest.set(value, err)
		st.latest.on = on
	case err == nil:
		r.add(i, value, nil)
	case c.last >= 0:
		r.records[c.last].Cost += total
	case !c.failed:
		r.missing(i, err, total)
	case r.nodes[i].Kind != Select && r.nodes[i].Kind != Index:
		r.add(i, nil, err)
	}
}

// abandon finishes the innermost chain where its value is recorded elsewhere:
// only a failure is recorded.
func (r *run) abandon(i int, err error) {
	c := r.chains[len(r.chains)-1]
	r.chains = r.chains[:len(r.chains)-1]
	if err == nil {
		return
	}
	total := r.costs.ActualCost() - c.entry
	if c.last >= 0 {
		r.records[c.last].Cost += total
	} else if r.states[i].sequence < c.sequence {
		r.missing(i, err, total)
	}
	if n := len(r.chains); n > 0 {
		r.chains[n-1].failed = true
	}
}

// missing records a chain that failed before its first selection: at the
// variable that has no value, or nowhere if it starts with another expression,
// which has recorded its error itself.
func (r *run) missing(i int, err error, total uint64) {
	n := r.nodes[i]
	for (n.Kind == Select || n.Kind == Index || n.Kind == Macro) && len(n.Children) > 0 && !isConditional(n) {
		n = n.Children[0]
	}
	switch {
	case n.Index == i:
		r.add(i, nil, err)
	case n.Kind == Ident || isConditional(n):
		r.add(n.Index, nil, err)
		r.records[n.Index].Cost += total
	}
}

// finish closes what was interrupted and makes CEL values of all that is kept.
func (r *run) finish(adapter types.Adapter, cost uint64) {
	for i := len(r.records) - 1; i >= 0; i-- { // children before their parents
		rec := &r.records[i]
		below := uint64(0)
		for _, child := range r.nodes[i].Children {
			below += r.records[child.Index].Cost
		}
		if st := &r.states[i]; st.open {
			rec.Interrupted = true
			rec.Cost += cost - st.entry
		} else if rec.Count == 0 { // a selection that was not reached, though what is below was
			rec.Cost = max(rec.Cost, below)
		}
		for j := range rec.Runs {
			rec.Runs[j].adapt(adapter)
		}
		for _, run := range []*Run{rec.Last, rec.Failed} {
			if run != nil {
				run.adapt(adapter)
			}
		}
	}
}

func (r *Run) adapt(adapter types.Adapter) {
	if _, done := r.value.(ref.Val); !done && r.Err == nil {
		r.value = adapter.NativeToValue(r.value)
	}
	if _, done := r.on.(ref.Val); !done && r.on != nil {
		r.on = adapter.NativeToValue(r.on)
	}
}
