package growth

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report"
)

const (
	// maxSubjects bounds the lists, maps and strings that one group is tried
	// with, maxGrowth those that are reported for one expression.
	maxSubjects = 8
	maxGrowth   = 2
)

// finding is a length that breaks a limit.
type finding struct {
	report.Growth
	// bytes is about how much larger the object becomes.
	bytes int
}

// grow looks for the lengths that break the limits of a group. What lies inside the
// items of a list is tried as well, also when the list breaks a limit: a few hundred entries
// of one item may cost as much as thousands of items. Texts there are tried only when
// nothing else breaks one.
func (s *Search) grow(g *group) {
	found := map[key][]finding{}
	var budget []finding
	for depth, subjects := range g.subjects() {
		broken := len(found)+len(budget) > 0
		for _, subject := range subjects {
			if s.over() {
				break
			}
			if _, isText := subject.now.(string); isText && depth > 0 && broken {
				continue
			}
			budget = append(budget, s.with(g, subject, found)...)
		}
	}
	g.all(func(k key, e *report.Evaluation) {
		if s.tell(e.Outlook, found[k]); e.Cost > eval.PerCallLimit && len(found[k]) == 0 {
			e.Outlook = nil // it is broken already, whatever the lengths are
		}
	})
	if g.budget != nil {
		if s.tell(g.budget.Outlook, budget); g.budget.Exceeded && len(budget) == 0 {
			g.budget.Outlook = nil
		} else if !g.canExceed() {
			g.budget.Outlook.Incomplete = false
		}
	}
}

// canExceed is false when so few expressions run that the limits of their calls
// keep them from using up the budget.
func (g *group) canExceed() bool { return g.upTo(g.calls) > uint64(g.budget.Limit) }

// upTo is what so many calls can cost: none gets far beyond the limit of a call.
func (g *group) upTo(calls uint64) uint64 {
	if calls > noBound/uint64(eval.PerCallLimit) {
		return noBound
	}
	return calls * uint64(eval.PerCallLimit)
}

// tell writes the smallest growths into an outlook.
func (s *Search) tell(o *report.Outlook, found []finding) {
	if o == nil || o.Cannot {
		return
	}
	slices.SortStableFunc(found, func(a, b finding) int { return cmp.Compare(a.bytes, b.bytes) })
	for _, f := range found[:min(len(found), maxGrowth)] {
		o.Growth = append(o.Growth, f.Growth)
	}
	o.Incomplete = s.over()
}

// with makes one subject longer. It adds to found what breaks the limits of
// calls, and returns what breaks the budget.
func (s *Search) with(g *group, subject subject, found map[key][]finding) (budget []finding) {
	curves := map[pattern]*curve{}
	for _, p := range patterns(subject) {
		if c := newCurve(s, g, subject, p); c.max > 0 {
			curves[p] = c
		}
	}
	rising := uint64(0)
	if g.repeated {
		rising = g.calls // more items are more calls
	}
	g.all(func(k key, e *report.Evaluation) {
		if s.over() {
			return
		}
		c := steepest(curves, func(c costs) int64 { return c.of[k] })
		if e.Outlook == nil || c == nil || !c.rises(k) {
			return
		}
		if !g.repeated {
			rising++
		}
		if e.Outlook.Cannot {
			return
		}
		if n, confirmed := c.firstOver(eval.PerCallLimit, func(n int) int64 { return c.of(k, n) }); n > 0 {
			found[k] = append(found[k], c.finding(n, confirmed))
		}
	})
	if g.budget == nil || g.budget.Outlook.Cannot || s.over() {
		return nil
	}
	c := steepest(curves, func(c costs) int64 { return c.total })
	if c == nil || add(uint64(c.first().total), g.upTo(rising)) < uint64(g.budget.Limit) {
		return nil
	}
	if n, confirmed := c.firstOver(g.budget.Limit, func(n int) int64 { return c.at(n).total }); n > 0 {
		budget = append(budget, c.finding(n, confirmed))
	}
	return budget
}

// steepest is the curve with the highest cost at the same length: the items of
// the others end loops early.
func steepest(curves map[pattern]*curve, cost func(costs) int64) *curve {
	var best *curve
	var most int64
	for _, p := range slices.SortedFunc(maps.Keys(curves), comparePatterns) {
		c := curves[p]
		if v := cost(c.first()); best == nil || v > most {
			best, most = c, v
		}
	}
	return best
}

func comparePatterns(a, b pattern) int {
	same := func(p pattern) int {
		if p.same {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(same(a), same(b)))
}

// subjects are the values that may be made longer: first those that are alone,
// then those inside the items of a list.
func (g *group) subjects() [2][]subject {
	in := g.lists[0].inputs()
	var out [2][]subject
	seen := map[string]bool{}
	for _, p := range g.sized {
		for depth, cut := range cuts(p) {
			name := strings.Join(cut, "\n")
			if seen[name] || root(&in, cut) == nil || len(cut) < 2 {
				continue
			}
			seen[name] = true
			if s, ok := g.subject(in, cut); ok && len(out[depth]) < maxSubjects {
				out[depth] = append(out[depth], s)
			}
		}
	}
	out[0] = together(out[0])
	out[1] = together(out[1])
	return out
}

// cuts are the container of a place that is alone, and the one inside
// its items, if there is one.
func cuts(p place) []place {
	isItem := func(segment string) bool { return segment == anyItem || segment == anyKey }
	first := slices.IndexFunc(p, isItem)
	if first < 0 {
		return []place{p}
	}
	rest := p[first+1:]
	if p[first] == anyKey || len(rest) == 0 {
		return []place{p[:first]}
	}
	inner := p
	if second := slices.IndexFunc(rest, isItem); second >= 0 {
		inner = p[:first+1+second]
	}
	return []place{p[:first], inner}
}

// subject is the value at a place; false when it cannot be made longer.
func (g *group) subject(in eval.Inputs, p place) (subject, bool) {
	document := *root(&in, p)
	if document == nil {
		return subject{}, false
	}
	t := g.bounds.typeAt(p)
	s := subject{places: []place{p}, now: at(document, p[1:]), typ: t, unique: g.bounds.unique(p)}
	switch v := s.now.(type) {
	case map[string]any:
		if t != nil && t.Kind != catalog.Map && t.Kind != catalog.Any {
			return s, false // its fields are given
		}
		s.empty = len(v) == 0
	case []any:
		s.empty = len(v) == 0
	case string:
		return s, v != ""
	case nil:
		s.empty = true
	default:
		return s, false
	}
	if s.empty {
		s.now = shortest(t)
	}
	return s, s.now != nil
}

// together joins what grows together: an update has the same list in object and
// oldObject.
func together(list []subject) []subject {
	var out []subject
	for _, s := range list {
		p := s.places[0]
		i := slices.IndexFunc(out, func(o subject) bool {
			q := o.places[0]
			return len(o.places) == 1 && p[0] != q[0] && p[0] != "params" && q[0] != "params" && slices.Equal(p[1:], q[1:]) && !s.empty && !o.empty
		})
		if i < 0 {
			out = append(out, s)
			continue
		}
		if p[0] == "object" {
			s.places = []place{p, out[i].places[0]}
			out[i] = s
		} else {
			out[i].places = append(out[i].places, p)
		}
	}
	return out
}

func (s subject) itemType() *catalog.Type {
	if s.typ == nil {
		return nil
	}
	return s.typ.Elem
}
