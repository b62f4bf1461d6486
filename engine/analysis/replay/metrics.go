package replay

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
)

// metrics counts what the API server's own metrics would count (semantics §3.3,
// §6.3, §7.6). Times are not simulated, so the histograms of durations are left
// out.
type metrics struct {
	counters map[string]map[string]int // by name, then by labels
}

// families are the counters, with the help that is printed. The last is ours:
// the server counts exclusions of webhooks only.
var families = []struct{ name, help string }{
	{"apiserver_admission_match_condition_evaluation_errors_total", "Errors of match conditions."},
	{"apiserver_admission_match_condition_exclusions_total", "Requests that match conditions excluded from a webhook."},
	{"apiserver_validating_admission_policy_check_total", "Decisions of validating policies, by the action that was enforced."},
	{"apiserver_mutating_admission_policy_check_total", "Mutations of mutating policies."},
	{"preadmit_policy_match_condition_exclusions_total", "Requests that match conditions excluded from a policy. The API server has no such metric."},
}

func (m *metrics) inc(name string, labels ...string) {
	if m.counters == nil {
		m.counters = map[string]map[string]int{}
	}
	if m.counters[name] == nil {
		m.counters[name] = map[string]int{}
	}
	var b strings.Builder
	for i := 0; i < len(labels); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%s="%s"`, labels[i], escape.Replace(labels[i+1]))
	}
	m.counters[name][b.String()]++
}

// escape is that of label values in the text format.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

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

// Prometheus writes the counters in the Prometheus text format.
func (s *Summary) Prometheus(w io.Writer) error {
	var b strings.Builder
	for _, f := range families {
		values := s.metrics.counters[f.name]
		if len(values) == 0 {
			continue
		}
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s counter\n", f.name, f.help, f.name)
		for _, labels := range slices.Sorted(maps.Keys(values)) {
			fmt.Fprintf(&b, "%s{%s} %d\n", f.name, labels, values[labels])
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing metrics: %w", err)
	}
	return nil
}
