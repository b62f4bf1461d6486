package replay

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// metrics counts what the API server's own metrics would count (semantics §3.3,
// §6.3, §7.6). Times are not simulated: durations are those of real calls.
type metrics struct {
	samples map[string]map[string]*sample // by name, then by labels
}

// durations is the histogram of webhooks, buckets its upper bounds in seconds.
const durations = "apiserver_admission_webhook_admission_duration_seconds"

var buckets = []float64{0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25}

// families are the counters, with the help that is printed. The last is ours:
// the server counts exclusions of webhooks only.
var families = []struct{ name, help string }{
	{"apiserver_admission_match_condition_evaluation_errors_total", "Errors of match conditions."},
	{"apiserver_admission_match_condition_exclusions_total", "Requests that match conditions excluded from a webhook."},
	{"apiserver_admission_webhook_request_total", "Calls of webhooks."},
	{durations, "Durations of calls of webhooks that were really made, as measured here."},
	{"apiserver_admission_webhook_rejection_count", "Requests that webhooks, or failures to call them, rejected."},
	{"apiserver_admission_webhook_fail_open_count", "Failed calls of webhooks that failurePolicy Ignore let pass."},
	{"apiserver_validating_admission_policy_check_total", "Decisions of validating policies, by the action that was enforced."},
	{"apiserver_mutating_admission_policy_check_total", "Mutations of mutating policies."},
	{"preadmit_policy_match_condition_exclusions_total", "Requests that match conditions excluded from a policy. The API server has no such metric."},
}

// sample is one counter: its labels, names and values in turn, and its value.
type sample struct {
	labels []string
	value  int
	// seconds are the times that were measured, for a histogram.
	seconds []float64
}

// inc counts one more of the labels, which are names and values in turn.
func (m *metrics) inc(name string, labels ...string) {
	if m.samples == nil {
		m.samples = map[string]map[string]*sample{}
	}
	if m.samples[name] == nil {
		m.samples[name] = map[string]*sample{}
	}
	key := strings.Join(labels, "\x00")
	if m.samples[name][key] == nil {
		m.samples[name][key] = &sample{labels: labels}
	}
	m.samples[name][key].value++
}

// webhooks counts what one report counts of webhooks. Times are left out unless they
// are asked for: many requests may have the answer of one call.
func (m *metrics) webhooks(r *report.Report, times bool) {
	for _, metric := range r.Metrics {
		if len(metric.Seconds) > 0 && !times {
			continue
		}
		var labels []string
		for _, name := range slices.Sorted(maps.Keys(metric.Labels)) {
			labels = append(labels, name, metric.Labels[name])
		}
		for range metric.Value {
			m.inc(metric.Name, labels...)
		}
		if s := m.samples[metric.Name][strings.Join(labels, "\x00")]; s != nil {
			s.seconds = append(s.seconds, metric.Seconds...)
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
				m.inc("apiserver_mutating_admission_policy_check_total", "policy", s.Policy, "policy_binding", s.Binding, "error_type", errorType(mutation.Error == "", mutation.Error))
			}
		}
	}
}

// conditions counts errors up to the first condition that is false, and
// exclusions. The types are the server's: it calls mutating policies "validate"
// too.
func (m *metrics) conditions(s *report.Step, operation string) {
	name, kind, errorStep, step := s.Policy, "policy", "validate", "validate"
	if s.Webhook != "" {
		name, kind = s.Webhook, "webhook"
		errorStep, step = "validating", "validate"
		if s.Phase == report.Mutating {
			errorStep, step = "admit", "admit"
		}
	}
	for _, c := range s.Conditions {
		if c.Error != "" {
			m.inc("apiserver_admission_match_condition_evaluation_errors_total", "name", name, "kind", kind, "type", errorStep, "operation", operation)
		}
		if c.Error == "" && c.Result == false {
			break
		}
	}
	switch {
	case s.Status != report.Excluded:
	case kind == "webhook":
		m.inc("apiserver_admission_match_condition_exclusions_total", "name", name, "kind", kind, "type", step, "operation", operation)
	default:
		m.inc("preadmit_policy_match_condition_exclusions_total", "policy", s.Policy, "policy_binding", s.Binding, "operation", operation)
	}
}

// validating counts the decisions of a validating policy: every one against the
// request once for each action of the binding, and the errors that failurePolicy
// Ignore let pass. A validation that holds is not counted at all.
func (m *metrics) validating(s *report.Step, actions []string) {
	check := func(action, message string, failed bool) {
		m.inc("apiserver_validating_admission_policy_check_total", "policy", s.Policy, "policy_binding", s.Binding,
			"error_type", errorType(!failed, message), "enforcement_action", action)
	}
	deny := func(message string) {
		for _, action := range actions {
			check(strings.ToLower(action), message, true)
		}
	}
	ran := len(s.Conditions)+len(s.Validations) > 0 // errors of the configuration are not counted
	if s.Status == report.Errored {
		if ran && s.FailurePolicy != "Ignore" {
			deny(s.Error)
		} else if ran {
			check("allow", s.Error, true)
		}
		return
	}
	for _, v := range s.Validations {
		switch {
		case v.Decision == report.Deny:
			deny(cmp.Or(v.Message, v.Error))
		case v.Error != "":
			check("allow", v.Error, true)
		}
	}
	for _, a := range s.AuditAnnotations {
		if a.Error != "" && s.FailurePolicy != "Ignore" {
			check("deny", a.Error, true)
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

// Prometheus writes the counters in the Prometheus text format.
func (s *Summary) Prometheus(w io.Writer) error {
	for _, f := range families {
		samples := s.metrics.samples[f.name]
		if len(samples) == 0 {
			continue
		}
		family := dto.MetricFamily{Name: &f.name, Help: &f.help, Type: dto.MetricType_COUNTER.Enum()}
		if f.name == durations {
			family.Type = dto.MetricType_HISTOGRAM.Enum()
		}
		for _, key := range slices.Sorted(maps.Keys(samples)) {
			family.Metric = append(family.Metric, samples[key].metric())
		}
		if _, err := expfmt.MetricFamilyToText(w, &family); err != nil {
			return fmt.Errorf("writing metrics: %w", err)
		}
	}
	return nil
}

// histogram counts times in the buckets that the server has for webhooks.
func histogram(seconds []float64) *dto.Histogram {
	out := &dto.Histogram{SampleCount: new(uint64(len(seconds))), SampleSum: new(0.0)}
	for _, t := range seconds {
		*out.SampleSum += t
	}
	for _, bound := range buckets {
		n := uint64(0)
		for _, t := range seconds {
			if t <= bound {
				n++
			}
		}
		out.Bucket = append(out.Bucket, &dto.Bucket{UpperBound: new(bound), CumulativeCount: new(n)})
	}
	return out
}

func (s *sample) metric() *dto.Metric {
	m := dto.Metric{Counter: &dto.Counter{Value: new(float64(s.value))}}
	if s.seconds != nil {
		m = dto.Metric{Histogram: histogram(s.seconds)}
	}
	for i := 0; i < len(s.labels); i += 2 {
		m.Label = append(m.Label, &dto.LabelPair{Name: &s.labels[i], Value: &s.labels[i+1]})
	}
	return &m
}
