package run

import "github.com/preadmit/preadmit/engine/report"

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
	i, ok := c.metrics[m]
	if !ok {
		if c.metrics == nil {
			c.metrics = map[Metric]int{}
		}
		i = len(c.Report.Metrics)
		c.metrics[m] = i
		c.Report.Metrics = append(c.Report.Metrics, report.Metric{Name: m.Name, Labels: m.labels()})
	}
	return &c.Report.Metrics[i]
}
