package replay

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/preadmit/preadmit/engine/report"
)

// Distribution describes costs, in CEL cost units, or times, in nanoseconds with three
// significant digits. Median and P99 are values that occurred: the least with half, or
// 99 of 100, of all values not above it.
type Distribution struct {
	Min    int64 `json:"min"`
	Median int64 `json:"median"`
	P99    int64 `json:"p99"`
	Max    int64 `json:"max"`
	// Counts is how often each value occurred: exact, and as long as there are different
	// values, not requests. Only partial summaries have it.
	Counts map[int64]int `json:"counts,omitempty"`
}

func (d *Distribution) add(cost int64) {
	if d.Counts == nil {
		d.Counts = map[int64]int{}
	}
	d.Counts[cost]++
}

// time adds a time.
func (d *Distribution) time(t time.Duration) {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(float64(t), 'e', 2, 64), 64)
	if err != nil { // cannot be: it is a number that was just written
		rounded = float64(t)
	}
	d.add(int64(rounded))
}

// merge adds the costs of another one.
func (d *Distribution) merge(other Distribution) {
	for cost, n := range other.Counts {
		if d.Counts == nil {
			d.Counts = map[int64]int{}
		}
		d.Counts[cost] += n
	}
}

// finish computes what a reader sees.
func (d *Distribution) finish() {
	if d == nil || len(d.Counts) == 0 {
		return
	}
	costs := slices.Sorted(maps.Keys(d.Counts))
	total := 0
	for _, n := range d.Counts {
		total += n
	}
	d.Min, d.Max = costs[0], costs[len(costs)-1]
	d.Median, d.P99 = d.rank(costs, (total+1)/2), d.rank(costs, (total*99+99)/100)
}

// rank is the cost at a rank, from 1, among all costs in their order.
func (d *Distribution) rank(costs []int64, rank int) int64 {
	for _, cost := range costs {
		if rank -= d.Counts[cost]; rank <= 0 {
			return cost
		}
	}
	return costs[len(costs)-1]
}

// Share is what a request used of a cost limit.
type Share struct {
	Scope report.Scope `json:"scope"`
	Used  int64        `json:"used"`
	Limit int64        `json:"limit"`
}

// Percent is the share in percent of the limit.
func (s *Share) Percent() float64 {
	if s == nil || s.Limit == 0 {
		return 0
	}
	return float64(s.Used) * 100 / float64(s.Limit)
}

// share keeps the largest share; of two that are as large, always the same one.
func (p *Policy) share(s Share) {
	if s.Used == 0 {
		return
	}
	if p.Budget == nil || cmp.Or(cmp.Compare(p.Budget.Percent(), s.Percent()), cmp.Compare(p.Budget.Scope, s.Scope), cmp.Compare(p.Budget.Limit, s.Limit)) < 0 {
		p.Budget = new(s) // so that others stay off the heap
	}
}
