package replay

import (
	"strings"
	"testing"

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
