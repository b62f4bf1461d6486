package serve

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics are one server's metrics. Durations are measured here; the API server's metrics for this
// webhook include the network.
type metrics struct {
	registry *prometheus.Registry
	reviews  *prometheus.CounterVec
	duration *prometheus.HistogramVec
	reloads  *prometheus.CounterVec
	current  prometheus.Gauge
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		reviews: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "preadmit_reviews_total",
			Help: "AdmissionReviews by path, verdict (allowed, denied, failed) and HTTP status."}, []string{"path", "verdict", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "preadmit_review_duration_seconds",
			Help: "Time from the arrival of an AdmissionReview to its answer.", Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}}, []string{"path"}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "preadmit_policy_loads_total",
			Help: "Number of policy reloads, by result (success, failure)."}, []string{"result"}),
		current: prometheus.NewGauge(prometheus.GaugeOpts{Name: "preadmit_policies_current",
			Help: "1 if the last loaded policies are active, 0 if they were rejected."}),
	}
	m.registry.MustRegister(m.reviews, m.duration, m.reloads, m.current, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) answered(path string, allowed bool, took time.Duration) {
	verdict := "denied"
	if allowed {
		verdict = "allowed"
	}
	m.reviews.WithLabelValues(path, verdict, "200").Inc()
	m.duration.WithLabelValues(path).Observe(took.Seconds())
}

func (m *metrics) failed(path string, code int, took time.Duration) {
	m.reviews.WithLabelValues(path, "failed", strconv.Itoa(code)).Inc()
	m.duration.WithLabelValues(path).Observe(took.Seconds())
}

func (m *metrics) loaded(ok bool) {
	if ok {
		m.reloads.WithLabelValues("success").Inc()
		m.current.Set(1)
		return
	}
	m.reloads.WithLabelValues("failure").Inc()
	m.current.Set(0)
}
