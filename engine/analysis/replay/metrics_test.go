package replay

import (
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/preadmit/preadmit/engine/report"
)

func TestMetrics(t *testing.T) {
	const validating = "ValidatingAdmissionPolicy"
	outOfBudget := "validation failed due to running out of cost budget, no further validation rules will be run"
	denied := report.Validation{Evaluation: report.Evaluation{Result: false}, Decision: report.Deny, Message: "no"}
	for _, test := range []struct {
		name string
		step report.Step
		want []string
	}{
		{"what holds is not counted", report.Step{Kind: validating, Policy: "p", Binding: "b", Status: report.Evaluated, Validations: []report.Validation{{Decision: report.Admit}}}, nil},
		{"a denial, once for each action", report.Step{Kind: validating, Policy: "p", Binding: "b", Status: report.Evaluated, Validations: []report.Validation{denied}}, []string{
			`apiserver_validating_admission_policy_check_total{policy="p",policy_binding="b",error_type="invalid_error",enforcement_action="audit"} 1`,
			`apiserver_validating_admission_policy_check_total{policy="p",policy_binding="b",error_type="invalid_error",enforcement_action="deny"} 1`,
		}},
		{"an ignored error", report.Step{Kind: validating, Policy: "p", Binding: "b", Status: report.Evaluated, FailurePolicy: "Ignore",
			Validations: []report.Validation{{Evaluation: report.Evaluation{Error: "compilation error: x"}, Decision: report.Admit}}}, []string{
			`apiserver_validating_admission_policy_check_total{policy="p",policy_binding="b",error_type="compile_error",enforcement_action="allow"} 1`,
		}},
		{"out of budget", report.Step{Kind: validating, Policy: "p", Binding: "b", Status: report.Errored, Error: outOfBudget, Validations: []report.Validation{{}}}, []string{
			`apiserver_validating_admission_policy_check_total{policy="p",policy_binding="b",error_type="out_of_budget",enforcement_action="audit"} 1`,
			`apiserver_validating_admission_policy_check_total{policy="p",policy_binding="b",error_type="out_of_budget",enforcement_action="deny"} 1`,
		}},
		{"an error of the configuration is not counted", report.Step{Kind: validating, Policy: "p", Binding: "b", Status: report.Errored, Error: "failed to configure policy: x"}, nil},
		{"mutations", report.Step{Kind: "MutatingAdmissionPolicy", Policy: "p", Binding: "b", Status: report.Evaluated, Mutations: []report.Mutation{
			{Evaluation: report.Evaluation{Evaluated: true}}, {Evaluation: report.Evaluation{Evaluated: true, Error: "x"}}, {}}}, []string{
			`apiserver_mutating_admission_policy_check_total{policy="p",policy_binding="b",error_type="invalid_error"} 1`,
			`apiserver_mutating_admission_policy_check_total{policy="p",policy_binding="b",error_type="no_error"} 1`,
		}},
		{"errors up to the first false, and the exclusion", report.Step{Kind: "ValidatingWebhookConfiguration", Webhook: `w"x`, Phase: report.Validating, Status: report.Excluded,
			Conditions: []report.Evaluation{{Error: "e"}, {Result: false}, {Error: "not counted"}}}, []string{
			`apiserver_admission_match_condition_evaluation_errors_total{name="w\"x",kind="webhook",type="validating",operation="CREATE"} 1`,
			`apiserver_admission_match_condition_exclusions_total{name="w\"x",kind="webhook",type="validate",operation="CREATE"} 1`,
		}},
		{"a mutating webhook", report.Step{Kind: "MutatingWebhookConfiguration", Webhook: "w", Phase: report.Mutating, Status: report.Excluded, Conditions: []report.Evaluation{{Result: false}}}, []string{
			`apiserver_admission_match_condition_exclusions_total{name="w",kind="webhook",type="admit",operation="CREATE"} 1`,
		}},
		{"the server does not count exclusions of policies", report.Step{Kind: "MutatingAdmissionPolicy", Policy: "p", Binding: "b", Phase: report.Mutating, Status: report.Excluded, Conditions: []report.Evaluation{{Error: "e"}, {Result: false}}}, []string{
			`apiserver_admission_match_condition_evaluation_errors_total{name="p",kind="policy",type="validate",operation="CREATE"} 1`,
			`preadmit_policy_match_condition_exclusions_total{policy="p",policy_binding="b",operation="CREATE"} 1`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Summary
			s.metrics.step(&test.step, "CREATE", map[string][]string{"b": {"Deny", "Audit"}})
			var b strings.Builder
			if err := s.Prometheus(&b); err != nil {
				t.Fatal(err)
			}
			var got []string
			for line := range strings.Lines(b.String()) {
				if !strings.HasPrefix(line, "#") {
					got = append(got, strings.TrimSuffix(line, "\n"))
				}
			}
			checkFormat(t, b.String(), len(test.want))
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestTimes: the histograms have the server's names, labels and buckets, and what is
// not measured is not in them.
func TestTimes(t *testing.T) {
	step := report.Step{Kind: "ValidatingAdmissionPolicy", Policy: "p", Binding: "b", Status: report.Evaluated, ConditionsElapsed: 2 * time.Millisecond,
		Conditions: []report.Evaluation{{Evaluated: true, Result: true}},
		Validations: []report.Validation{
			{Evaluation: report.Evaluation{Evaluated: true, Result: true, Elapsed: time.Second}, Decision: report.Admit},
			{Evaluation: report.Evaluation{Evaluated: true, Result: false, Elapsed: 20 * time.Millisecond}, Decision: report.Deny, Message: "no"},
		}}
	excluded := report.Step{Kind: "MutatingWebhookConfiguration", Webhook: "w", Phase: report.Mutating, Status: report.Excluded, ConditionsElapsed: 300 * time.Millisecond,
		Conditions: []report.Evaluation{{Evaluated: true, Result: false}}}
	mutating := report.Step{Kind: "MutatingAdmissionPolicy", Policy: "m", Binding: "mb", Status: report.Evaluated,
		Mutations: []report.Mutation{{Evaluation: report.Evaluation{Evaluated: true, Elapsed: 400 * time.Nanosecond}}}}
	for _, times := range []bool{false, true} {
		s := Summary{metrics: metrics{times: times}}
		for _, step := range []report.Step{step, excluded, mutating} {
			s.metrics.step(&step, "CREATE", map[string][]string{"b": {"Deny"}})
		}
		var b strings.Builder
		if err := s.Prometheus(&b); err != nil {
			t.Fatal(err)
		}
		if !times {
			if strings.Contains(b.String(), "seconds") {
				t.Errorf("times that nothing measured:\n%s", &b)
			}
			continue
		}
		for _, line := range []string{
			`apiserver_admission_match_condition_evaluation_seconds_bucket{name="w",kind="webhook",type="admit",operation="CREATE",le="0.25"} 0`,
			`apiserver_admission_match_condition_evaluation_seconds_bucket{name="w",kind="webhook",type="admit",operation="CREATE",le="+Inf"} 1`,
			`apiserver_validating_admission_policy_check_duration_seconds_bucket{policy="p",policy_binding="b",error_type="invalid_error",enforcement_action="deny",le="0.01"} 0`,
			`apiserver_validating_admission_policy_check_duration_seconds_bucket{policy="p",policy_binding="b",error_type="invalid_error",enforcement_action="deny",le="0.1"} 1`,
			`apiserver_validating_admission_policy_check_duration_seconds_sum{policy="p",policy_binding="b",error_type="invalid_error",enforcement_action="deny"} 0.02`,
			`apiserver_mutating_admission_policy_check_duration_seconds_bucket{policy="m",policy_binding="mb",error_type="no_error",le="5e-07"} 1`,
			"Measured by preadmit on this machine, not by an API server.",
		} {
			if !strings.Contains(b.String(), line+"\n") {
				t.Errorf("missing: %s", line)
			}
		}
		if strings.Contains(b.String(), `name="p",kind="policy"`) {
			t.Error("conditions that all hold are measured, which the server does not do")
		}
		parser := expfmt.NewTextParser(model.LegacyValidation)
		if _, err := parser.TextToMetricFamilies(strings.NewReader(b.String())); err != nil {
			t.Error(err)
		}
	}
}

// What reports count of webhooks is added up, with its labels in order.
func TestWebhookMetrics(t *testing.T) {
	var s Summary
	call := func(code string) report.Metric {
		return report.Metric{Name: "apiserver_admission_webhook_request_total", Labels: map[string]string{"type": "admit", "name": "w", "operation": "CREATE", "code": code, "rejected": "false"}, Value: 1}
	}
	twice := call("200")
	twice.Value = 2
	s.metrics.webhooks(&report.Report{Metrics: []report.Metric{twice, call("503")}}, false)
	s.metrics.webhooks(&report.Report{Metrics: []report.Metric{call("200")}}, false)
	var b strings.Builder
	if err := s.Prometheus(&b); err != nil {
		t.Fatal(err)
	}
	checkFormat(t, b.String(), 2)
	want := `apiserver_admission_webhook_request_total{code="200",name="w",operation="CREATE",rejected="false",type="admit"} 3
apiserver_admission_webhook_request_total{code="503",name="w",operation="CREATE",rejected="false",type="admit"} 1
`
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// checkFormat reads the text as a Prometheus server does.
func checkFormat(t *testing.T, text string, samples int) {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	read, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, family := range read {
		if family.GetType() != dto.MetricType_COUNTER || family.GetHelp() == "" || !strings.HasSuffix(name, "_total") {
			t.Errorf("%s is %s with the help %q", name, family.GetType(), family.GetHelp())
		}
		samples -= len(family.Metric)
	}
	if samples != 0 {
		t.Errorf("%d samples were not read", samples)
	}
}

func TestDistributionOfTimes(t *testing.T) {
	var d *Distribution
	d.finish() // of what never ran
	for _, elapsed := range []time.Duration{123456 * time.Nanosecond, 99 * time.Nanosecond, 2 * time.Second} {
		addTime(&d, elapsed)
	}
	d.finish()
	if d.Min != 99 || d.Median != 123000 || d.Max != 2_000_000_000 {
		t.Errorf("got %d %d %d", d.Min, d.Median, d.Max)
	}
}

func TestDistribution(t *testing.T) {
	var d Distribution
	for _, cost := range []int64{9, 1, 5, 7} {
		d.add(cost)
	}
	d.finish()
	if d.Min != 1 || d.Median != 5 || d.Max != 9 {
		t.Errorf("got %d %d %d", d.Min, d.Median, d.Max)
	}
}
