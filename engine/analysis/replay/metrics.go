package replay

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// metrics counts what the API server's own metrics would count (semantics §3.3,
// §6.3, §7.6). Times are not simulated: durations of webhooks are those of real calls,
// those of expressions are measured by the engine where that was asked for.
type metrics struct {
	samples map[string]map[string]*sample // by name, then by labels
	// times says that the evaluations have times.
	times bool
	// key, labels and names are room that is used again for each sample.
	key    []byte
	labels []string
	names  []string
}

// family is one metric: its name, the help that is printed, and for a histogram the
// upper bounds of its buckets in seconds.
type family struct {
	name, help string
	buckets    []float64
}

// families are the metrics in the order in which they are printed, with the server's
// names and buckets. The last is ours: the server counts exclusions of webhooks only.
var families = []family{
	{name: conditionErrors, help: "Errors of match conditions."},
	{name: conditionExclusions, help: "Requests that match conditions excluded from a webhook."},
	{name: conditionTimes, help: "Durations of match conditions of which one was false or failed." + measuredHere, buckets: []float64{0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25}},
	{name: "apiserver_admission_webhook_request_total", help: "Calls of webhooks."},
	{name: "apiserver_admission_webhook_admission_duration_seconds", help: "Durations of real webhook calls." + measuredHere, buckets: []float64{0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25}},
	{name: "apiserver_admission_webhook_rejection_count", help: "Requests that webhooks, or failures to call them, rejected."},
	{name: "apiserver_admission_webhook_fail_open_count", help: "Failed calls of webhooks that failurePolicy Ignore let pass."},
	{name: validatingChecks, help: "Decisions of validating policies, by the action that was enforced."},
	{name: validatingTimes, help: "Durations of validations, by the action that was enforced." + measuredHere, buckets: policyBuckets},
	{name: mutatingChecks, help: "Mutations of mutating policies."},
	{name: mutatingTimes, help: "Durations of mutations." + measuredHere, buckets: policyBuckets},
	{name: policyExclusions, help: "Requests that match conditions excluded from a policy. The API server has no such metric."},
}

// Names of the metrics that steps move.
const (
	conditionErrors     = "apiserver_admission_match_condition_evaluation_errors_total"
	conditionExclusions = "apiserver_admission_match_condition_exclusions_total"
	conditionTimes      = "apiserver_admission_match_condition_evaluation_seconds"
	validatingChecks    = "apiserver_validating_admission_policy_check_total"
	validatingTimes     = "apiserver_validating_admission_policy_check_duration_seconds"
	mutatingChecks      = "apiserver_mutating_admission_policy_check_total"
	mutatingTimes       = "apiserver_mutating_admission_policy_check_duration_seconds"
	policyExclusions    = "preadmit_policy_match_condition_exclusions_total"
)

// measuredHere marks times in the help of a metric.
const measuredHere = " Measured by preadmit on this machine, not by an API server."

var policyBuckets = []float64{0.0000005, 0.001, 0.01, 0.1, 1}

// sample is one counter or histogram: its labels, names and values in turn, and its
// value.
type sample struct {
	labels []string
	value  int
	// buckets counts the times of each bucket of a histogram, without those of smaller
	// ones; seconds is their sum.
	buckets []uint64
	seconds float64
}

// sample is that of a metric with the labels, which are names and values in turn. They
// are copied when they are new.
func (m *metrics) sample(name string, labels []string) *sample {
	if m.samples == nil {
		m.samples = map[string]map[string]*sample{}
	}
	ofName := m.samples[name]
	if ofName == nil {
		ofName = map[string]*sample{}
		m.samples[name] = ofName
	}
	m.key = m.key[:0]
	for _, label := range labels {
		m.key = append(append(m.key, label...), 0)
	}
	found := ofName[string(m.key)]
	if found == nil {
		found = &sample{labels: slices.Clone(labels)}
		ofName[string(m.key)] = found
	}
	return found
}

func (m *metrics) inc(name string, labels ...string) { m.sample(name, labels).value++ }

// observe adds a time to a histogram, if times are measured.
func (m *metrics) observe(name string, elapsed time.Duration, labels ...string) {
	if m.times {
		m.sample(name, labels).observe(name, elapsed.Seconds())
	}
}

func (s *sample) observe(name string, seconds float64) {
	i := slices.IndexFunc(families, func(f family) bool { return f.name == name })
	if s.buckets == nil {
		s.buckets = make([]uint64, len(families[i].buckets))
	}
	s.value++
	s.seconds += seconds
	if bucket, _ := slices.BinarySearch(families[i].buckets, seconds); bucket < len(s.buckets) {
		s.buckets[bucket]++
	}
}

// webhooks counts what one report counts of webhooks. The times of calls are left out
// unless they are asked for: many requests may have the answer of one call.
func (m *metrics) webhooks(r *report.Report, times bool) {
	for _, metric := range r.Metrics {
		m.names = slices.AppendSeq(m.names[:0], maps.Keys(metric.Labels))
		slices.Sort(m.names)
		labels := m.labels[:0]
		for _, name := range m.names {
			labels = append(labels, name, metric.Labels[name])
		}
		m.labels = labels
		switch {
		case len(metric.Seconds) == 0:
			m.sample(metric.Name, labels).value += metric.Value
		case times:
			for _, seconds := range metric.Seconds {
				m.sample(metric.Name, labels).observe(metric.Name, seconds)
			}
		}
	}
}

// step counts one step of the chain.
func (m *metrics) step(s *report.Step, operation string, actions map[string][]string) {
	m.conditions(s, operation)
	switch s.Kind {
	case "ValidatingAdmissionPolicy":
		m.validating(s, actions[s.Binding])
	case "MutatingAdmissionPolicy":
		for _, mutation := range s.Mutations {
			if mutation.Evaluated || mutation.Error != "" {
				labels := []string{"policy", s.Policy, "policy_binding", s.Binding, "error_type", errorType(mutation.Error == "", mutation.Error)}
				m.inc(mutatingChecks, labels...)
				m.observe(mutatingTimes, mutation.Elapsed, labels...)
			}
		}
	}
}

// conditions counts errors up to the first condition that is false, and
// exclusions. The types are the server's: it calls mutating policies "validate"
// too. It measures only conditions of which one was false or failed.
func (m *metrics) conditions(s *report.Step, operation string) {
	name, kind, errorStep, step := s.Policy, "policy", "validate", "validate"
	if s.Webhook != "" {
		name, kind = s.Webhook, "webhook"
		errorStep, step = "validating", "validate"
		if s.Phase == report.Mutating {
			errorStep, step = "admit", "admit"
		}
	}
	decided := false
	for _, c := range s.Conditions {
		decided = decided || c.Error != "" || c.Result == false || !c.Evaluated
		if c.Error != "" {
			m.inc(conditionErrors, "name", name, "kind", kind, "type", errorStep, "operation", operation)
		}
		if c.Error == "" && c.Result == false {
			break
		}
	}
	if decided {
		m.observe(conditionTimes, s.ConditionsElapsed, "name", name, "kind", kind, "type", errorStep, "operation", operation)
	}
	switch {
	case s.Status != report.Excluded:
	case kind == "webhook":
		m.inc(conditionExclusions, "name", name, "kind", kind, "type", step, "operation", operation)
	default:
		m.inc(policyExclusions, "policy", s.Policy, "policy_binding", s.Binding, "operation", operation)
	}
}

// validating counts the decisions of a validating policy: every one against the
// request once for each action of the binding, and the errors that failurePolicy
// Ignore let pass. A validation that holds is not counted at all. The server has no
// time for an error that is not one of a single validation: 0.
func (m *metrics) validating(s *report.Step, actions []string) {
	check := func(action, message string, elapsed time.Duration) {
		labels := []string{"policy", s.Policy, "policy_binding", s.Binding, "error_type", errorType(false, message), "enforcement_action", action}
		m.inc(validatingChecks, labels...)
		m.observe(validatingTimes, elapsed, labels...)
	}
	deny := func(message string, elapsed time.Duration) {
		for _, action := range actions {
			check(strings.ToLower(action), message, elapsed)
		}
	}
	ran := len(s.Conditions)+len(s.Validations) > 0 // errors of the configuration are not counted
	if s.Status == report.Errored {
		if ran && s.FailurePolicy != "Ignore" {
			deny(s.Error, 0)
		} else if ran {
			check("allow", s.Error, 0)
		}
		return
	}
	for _, v := range s.Validations {
		switch {
		case v.Decision == report.Deny:
			deny(cmp.Or(v.Message, v.Error), v.Elapsed)
		case v.Error != "":
			check("allow", v.Error, v.Elapsed)
		}
	}
	for _, a := range s.AuditAnnotations {
		if a.Error != "" && s.FailurePolicy != "Ignore" {
			check("deny", a.Error, a.Elapsed)
		}
	}
}

// errorType derives the label as the server does: from the beginning of the
// message. So an ordinary denial is an "invalid_error".
func errorType(ok bool, message string) string {
	switch {
	case ok:
		return "no_error"
	case strings.HasPrefix(message, "compilation"):
		return "compile_error"
	case strings.HasPrefix(message, "validation failed due to running out of cost budget"):
		return "out_of_budget"
	}
	return "invalid_error"
}

// Prometheus writes the metrics of one report in the Prometheus text format, with the
// durations of the calls of webhooks that were made for it. The scenario is the one
// that the report is of.
func Prometheus(w io.Writer, s scenario.Scenario, r *report.Report) error {
	one := Summary{actions: bindingActions(s)}
	if r.Request != nil {
		for i := range r.Steps {
			one.metrics.step(&r.Steps[i], r.Request.Operation, one.actions)
		}
	}
	one.metrics.webhooks(r, true)
	return one.Prometheus(w)
}

// Prometheus writes the metrics in the Prometheus text format.
func (s *Summary) Prometheus(w io.Writer) error {
	for i, f := range families {
		samples := s.metrics.samples[f.name]
		if len(samples) == 0 {
			continue
		}
		out := dto.MetricFamily{Name: &families[i].name, Help: &families[i].help, Type: dto.MetricType_COUNTER.Enum()}
		if f.buckets != nil {
			out.Type = dto.MetricType_HISTOGRAM.Enum()
		}
		for _, key := range slices.Sorted(maps.Keys(samples)) {
			out.Metric = append(out.Metric, samples[key].metric(f.buckets))
		}
		if _, err := expfmt.MetricFamilyToText(w, &out); err != nil {
			return fmt.Errorf("writing metrics: %w", err)
		}
	}
	return nil
}

// metric is the sample as Prometheus has it; bounds are those of a histogram.
func (s *sample) metric(bounds []float64) *dto.Metric {
	m := dto.Metric{Counter: &dto.Counter{Value: new(float64(s.value))}}
	if bounds != nil {
		histogram := &dto.Histogram{SampleCount: new(uint64(s.value)), SampleSum: &s.seconds}
		within := uint64(0)
		for i, bound := range bounds {
			within += s.buckets[i]
			histogram.Bucket = append(histogram.Bucket, &dto.Bucket{UpperBound: new(bound), CumulativeCount: new(within)})
		}
		m = dto.Metric{Histogram: histogram}
	}
	for i := 0; i < len(s.labels); i += 2 {
		m.Label = append(m.Label, &dto.LabelPair{Name: &s.labels[i], Value: &s.labels[i+1]})
	}
	return &m
}
