package growth

import (
	"math"
	"slices"
	"strconv"

	"github.com/preadmit/preadmit/engine/report"
)

const (
	// firstLength is the length that patterns are compared at.
	firstLength = 16
	// maxTrials bounds the evaluations near a limit.
	maxTrials = 16
	// nearby is the part of a limit that costs must come to before the length
	// that breaks it is extrapolated.
	nearby = 8
	// renaming is about how many bytes a unique name adds to an item.
	renaming = 6
)

// curve is how the costs of a group depend on the length of one subject.
type curve struct {
	search  *Search
	group   *group
	subject subject
	pattern pattern
	// max is the largest length that schema and request size allow, perItem the
	// bytes that one more adds.
	max, perItem int
	known        map[int]costs
	alone        map[key]map[int]int64
}

// costs are those of the expressions and variables of a group.
type costs struct {
	of    map[key]int64
	total int64
}

func newCurve(s *Search, g *group, subject subject, p pattern) *curve {
	s.rest()
	c := &curve{search: s, group: g, subject: subject, pattern: p, known: map[int]costs{}, alone: map[key]map[int]int64{}}
	sample := resized(subject.now, p, firstLength, func() { s.tick(0) })
	c.perItem = max(bytes(sample)/firstLength, 1)
	if _, ok := sample.(string); ok {
		c.perItem = 1
	} else if !p.same {
		c.perItem += renaming
	}
	free, in := math.MaxInt, g.lists[0].inputs()
	for _, place := range subject.places {
		document := *root(&in, place)
		inner, holders := 0, 0
		with(document, place[1:], func(v any) any { inner += bytes(v); holders++; return v })
		c.perItem = max(c.perItem, c.perItem*holders/len(subject.places))
		free = min(free, int(g.bounds.room(place[0]))-bytes(document)+inner)
	}
	c.max = max(free/c.perItem, 0)
	for _, place := range subject.places {
		c.max = int(min(uint64(c.max), g.bounds.max(place)))
	}
	return c
}

// at measures the whole group.
func (c *curve) at(n int) costs {
	if known, ok := c.known[n]; ok {
		return known
	}
	out := costs{of: map[key]int64{}}
	for i := range c.group.lists {
		c.run(i, nil, n, func(k key, cost int64) {
			out.of[k] = max(out.of[k], cost) // of a rule the most expensive of its runs
			out.total += cost
		})
	}
	c.known[n] = out
	return out
}

// run runs one list, or one of its expressions alone, on longer inputs.
func (c *curve) run(index int, only *key, n int, cost func(key, int64)) {
	c.search.rest()
	list := c.group.lists[index]
	in := grown(list.inputs(), c.subject, c.pattern, n, func() { c.search.tick(0) })
	list.run(c.search, in, only, func(k key, v int64) { cost(k.in(index), v) })
}

// first are the costs at the length that patterns are compared at.
func (c *curve) first() costs { return c.at(min(firstLength, c.max)) }

// manyItems is the length from which expressions are measured one by one: some
// may be far more expensive than others.
const manyItems = 64

// of measures one expression or variable.
func (c *curve) of(k key, n int) int64 {
	if n <= manyItems {
		return c.at(n).of[k]
	}
	if cost, ok := c.alone[k][n]; ok {
		return cost
	}
	cost := c.measure(k, n)
	if c.alone[k] == nil {
		c.alone[k] = map[int]int64{}
	}
	c.alone[k][n] = cost
	return cost
}

// measure runs one expression alone.
func (c *curve) measure(k key, n int) int64 {
	var found int64
	c.run(k.list, &k, n, func(other key, cost int64) {
		if other == k {
			found = max(found, cost)
		}
	})
	return found
}

// rises reports whether the cost of an expression depends on the length.
func (c *curve) rises(k key) bool {
	return c.first().of[k] > c.at(min(firstLength/2, c.max)).of[k]
}

// point is a length with its cost.
type point struct{ n, cost float64 }

// firstOver finds the smallest length whose cost is over a limit; 0 when there
// is none up to the largest. confirmed is false when there was no work left to
// be sure.
func (c *curve) firstOver(limit int64, measure func(int) int64) (n int, confirmed bool) {
	var points []point // not over
	low, high := 0, 0  // the last length that is not over, the first that is
	for n := firstLength / 4; high == 0; n *= 2 {
		n = min(n, c.max)
		cost := measure(n)
		if c.search.ctx.Err() != nil {
			break
		}
		if cost > limit {
			high = n
			break
		}
		low, points = n, append(points, point{float64(n), float64(cost)})
		if n == c.max {
			return 0, false
		}
		if cost > limit/nearby && len(points) >= 3 {
			break
		}
	}
	over := 0 // guesses in a row that were too high
	for range maxTrials {
		if high == low+1 {
			return high, true
		}
		try := c.guess(points, limit, low, high)
		if over > 1 {
			try = low + (high-low)/2
		}
		if c.search.work < limit || c.search.ctx.Err() != nil {
			return c.calculated(points, try), false
		}
		cost := measure(try)
		switch {
		case c.search.ctx.Err() != nil: // stopped in the middle of it
			return c.calculated(points, try), false
		case cost > limit:
			high = try
			over++
		case try == c.max:
			return 0, false
		default:
			low, points, over = try, append(points, point{float64(try), float64(cost)}), 0
		}
	}
	return high, false
}

// calculated is a guess that stays one: there is no work left to evaluate it.
// Three lengths must have been measured for that.
func (c *curve) calculated(points []point, try int) int {
	if len(points) < 3 || try == c.max {
		return 0
	}
	return try
}

// guess is the length between low and high where the curve through the last
// points breaks the limit, at most the largest.
func (c *curve) guess(points []point, limit int64, low, high int) int {
	top := high - 1
	if high == 0 {
		top = c.max
	}
	if len(points) < 3 {
		return low + (top-low+1)/2
	}
	slices.SortFunc(points, func(a, b point) int { return int(a.n - b.n) })
	last := points[max(len(points)-maxPoints, 0):]
	from, to := low+1, top
	for from < to {
		if middle := from + (to-from)/2; through(last, float64(middle)) > float64(limit) {
			to = middle
		} else {
			from = middle + 1
		}
	}
	return from
}

// maxPoints is for polynomials of the third degree: loops inside loops inside
// of loops.
const maxPoints = 4

// through is the value at n of the polynomial through the points.
func through(p []point, n float64) float64 {
	var sum float64
	for i := range p {
		term := p[i].cost
		for j := range p {
			if j != i {
				term *= (n - p[j].n) / (p[i].n - p[j].n)
			}
		}
		sum += term
	}
	return sum
}

func (c *curve) finding(n int, confirmed bool) finding {
	f := finding{bytes: n * c.perItem}
	names := make([]string, len(c.subject.places))
	for i, p := range c.subject.places {
		names[i] = c.group.lists[0].name(p)
	}
	f.Growth = report.Growth{Of: names, Unit: unit(c.subject.now), From: n, Confirmed: confirmed}
	if !c.subject.empty {
		f.Now = length(c.subject.now)
	}
	if c.pattern.item >= 0 {
		f.Like = names[0] + "[" + strconv.Itoa(c.pattern.item) + "]"
	}
	return f
}
