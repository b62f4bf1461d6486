package run

import (
	"slices"

	"github.com/preadmit/preadmit/engine/report"
)

// Metric is a metric of the server with its labels. A label that is empty is not
// there.
type Metric struct {
	Name, Webhook, Type, Operation, Code, Rejected, ErrorType, RejectionCode string
}

// labels are those that are there.
func (m *Metric) labels() map[string]string {
	out := make(map[string]string, 5)
	for _, l := range [...]struct{ name, value string }{
		{"name", m.Webhook}, {"type", m.Type}, {"operation", m.Operation}, {"code", m.Code},
		{"rejected", m.Rejected}, {"error_type", m.ErrorType}, {"rejection_code", m.RejectionCode},
	} {
		if l.value != "" {
			out[l.name] = l.value
		}
	}
	return out
}

// Count counts one more of a metric.
func (c *Chain) Count(m Metric) { c.metric(m).Value++ }

// Observe adds a measured time, in seconds, to a metric.
func (c *Chain) Observe(m Metric, seconds float64) {
	r := c.metric(m)
	r.Value++
	r.Seconds = append(r.Seconds, seconds)
}

// metric is the metric in the report, which is there then.
func (c *Chain) metric(m Metric) *report.Metric {
	i := c.metrics.index(m)
	if i == len(c.Report.Metrics) {
		c.Report.Metrics = append(c.Report.Metrics, report.Metric{Name: m.Name, Labels: m.labels()})
	}
	return &c.Report.Metrics[i]
}

// metrics are those of a report, in its order: a list while there are few, as in most
// requests.
type metrics struct {
	few  []Metric
	many map[Metric]int
}

// fewMetrics is how many are looked through one by one.
const fewMetrics = 16

// index is the place of a metric, which is added when it is new.
func (s *metrics) index(m Metric) int {
	if s.many != nil {
		i, ok := s.many[m]
		if !ok {
			i = len(s.many)
			s.many[m] = i
		}
		return i
	}
	if i := slices.Index(s.few, m); i >= 0 {
		return i
	}
	s.few = append(s.few, m)
	if len(s.few) > fewMetrics {
		s.many = make(map[Metric]int, 2*fewMetrics)
		for i, old := range s.few {
			s.many[old] = i
		}
	}
	return len(s.few) - 1
}
