package expect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
)

// sample is a report with a bit of everything.
func sample() *report.Report {
	return &report.Report{
		Kubernetes: "1.37",
		Request:    &report.Request{Operation: "CREATE"},
		Outcome: report.Outcome{
			Code: 422, Reason: "Invalid", Message: "pods \"web\" is forbidden", DecidedBy: 2, Mutated: true,
			Warnings: []string{"first", "second"}, AuditAnnotations: map[string]string{"limit/team": "blue"},
			Patch: []report.PatchOperation{{Op: "add", Path: "/metadata/labels", Value: map[string]any{"a": "b"}}},
		},
		Object:  map[string]any{"spec": map[string]any{"replicas": int64(0), "list": []any{"a", "b"}}},
		Install: []report.Install{{Kind: "ValidatingAdmissionPolicy", Name: "soft", Warnings: []string{"careful"}}},
		Steps: []report.Step{
			{Phase: report.Mutating, Kind: "MutatingAdmissionPolicy", Policy: "label", Binding: "all", Status: report.Evaluated, Verdict: report.Mutate,
				Mutations: []report.Mutation{{Evaluation: report.Evaluation{Cost: 96, Evaluated: true}, PatchType: "ApplyConfiguration", Applied: true}}},
			{Phase: report.Mutating, Pass: 1, Policy: "label", Binding: "all", Status: report.Skipped, Reason: "it did not change"},
			{Phase: report.Validating, Kind: "ValidatingAdmissionPolicy", Policy: "limit", Binding: "strict", Status: report.Evaluated, Verdict: report.Deny,
				Conditions: []report.Evaluation{
					{Name: "prod", Result: true, Cost: 4, Evaluated: true},
					{Name: "team", Result: true, Cost: 7, Evaluated: true},
				},
				Validations: []report.Validation{
					{Evaluation: report.Evaluation{Result: true, Cost: 3, Evaluated: true}, Decision: report.Admit},
					{Evaluation: report.Evaluation{Result: false, Cost: 12, Evaluated: true}, Decision: report.Deny, Message: "too many"},
				}},
			{Phase: report.Validating, Kind: "ValidatingAdmissionPolicy", Policy: "other", Binding: "other", Status: report.NotMatched, Reason: "no rule has this resource"},
			{Phase: report.Validating, Kind: "ValidatingAdmissionPolicy", Policy: "fenced", Binding: "fenced", Status: report.Excluded, Reason: "condition c is false",
				Conditions: []report.Evaluation{{Name: "c", Result: false, Evaluated: true}}},
		},
		NotRun: []report.Unmatched{{Name: "other", Reason: "no rule has this resource", Step: 3}, {Name: "fenced", Reason: "condition c is false", Step: 4}},
	}
}

func TestCompare(t *testing.T) {
	for _, test := range []struct{ name, expected, want string }{
		{"subset", "outcome: {allowed: false, code: 422}", ""},
		{"scalar differs", "outcome:\n  allowed: true\n  code: 403", "2 outcome.allowed want true got false\n3 outcome.code want 403 got 422"},
		{"steps in any order", "steps:\n- {policy: limit, verdict: deny}\n- {policy: label, pass: 0, verdict: mutate}", ""},
		{"the right one of several", "steps: [{policy: label, status: skipped}, {policy: label, verdict: mutate}]", ""},
		{"each step once", "steps: [{policy: limit}, {policy: limit}]",
			"1 steps[limit] want map[policy:limit] got <nil>: the report has none; it has label all, pass 1 label all, limit strict, other other, fenced fenced"},
		{"no such step", "steps: [{policy: limit, binding: lax}]",
			"1 steps[limit lax] want map[binding:lax policy:limit] got <nil>: the report has none; it has label all, pass 1 label all, limit strict, other other, fenced fenced"},
		{"a step that does not match", "steps: [{policy: other}]",
			"1 steps[other] want <nil> got notMatched: it does not match the request: no rule has this resource. If that is intended, write status: notMatched"},
		{"not matching is expected", "steps: [{policy: other, status: notMatched}]", ""},
		{"a condition that excludes is expected", "steps: [{policy: fenced, conditions: [{name: c, result: false}]}]", ""},
		{"a step that was excluded", "steps: [{policy: fenced, conditions: [{name: c}]}]",
			"1 steps[fenced] want <nil> got excluded: it did not run: condition c is false. If that is intended, write status: excluded"},
		{"a second pass that was skipped", "steps: [{policy: label, pass: 1}]",
			"1 steps[1 label] want <nil> got skipped: it did not run: it did not change. If that is intended, write status: skipped"},
		{"conditions by name", "steps: [{policy: limit, conditions: [{name: team, cost: 7}]}]", ""},
		{"validations in order, a prefix", "steps: [{policy: limit, validations: [{result: true}]}]", ""},
		{"validations in order", "steps: [{policy: limit, validations: [{}, {result: true}, {result: true}]}]",
			"1 steps[limit].validations[0] want map[] got map[cost:3 decision:admit evaluated:true expression: result:true span:map[end:0 start:0]]\n" +
				"1 steps[limit].validations[1].result want true got false\n1 steps[limit].validations[2] want map[result:true] got <nil>: there are only 2"},
		{"embedded fields", "steps: [{policy: label, mutations: [{cost: 96, applied: true, patchType: ApplyConfiguration}]}]", ""},
		{"left out because zero", "steps: [{policy: limit, called: false, error: '', messages: []}]", ""},
		{"lists are exact", "outcome: {warnings: [first]}", "1 outcome.warnings want [first] got [first second]: 2 items instead of 1"},
		{"empty means none", "outcome: {warnings: [], causes: []}", "1 outcome.warnings want [] got [first second]"},
		{"a map of strings", "outcome: {auditAnnotations: {limit/team: red}}", "1 outcome.auditAnnotations[limit/team] want red got blue"},
		{"patch", "outcome: {patch: [{op: add, path: /metadata/labels, value: {a: b}}]}", ""},
		{"object", "object: {spec: {replicas: 0.0, paused: null, list: [a, b]}}", ""},
		{"zero is not absent in an object", "object: {spec: {paused: false}}", "1 object.spec.paused want false got <nil>"},
		{"list in an object", "object: {spec: {list: [a]}}", "1 object.spec.list want [a] got [a b]: 2 items instead of 1"},
		{"warning at installation", "install: [{kind: ValidatingAdmissionPolicy, name: soft, warnings: [careful]}]", ""},
		{"anchors", "outcome: &o {code: 422}\nexpression: null", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := differences(t, test.expected, sample()); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func differences(t *testing.T, expected string, r *report.Report) string {
	t.Helper()
	e, err := Parse([]byte(expected))
	if err != nil {
		t.Fatal(err)
	}
	list, err := Compare(e, r)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, d := range list {
		line := fmt.Sprintf("%d %s want %v got %v", d.Line, d.Path, d.Want, d.Got)
		if d.Problem != "" {
			line += ": " + d.Problem
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestNothingPassesInSilence(t *testing.T) {
	broken := sample()
	broken.Install = append(broken.Install, report.Install{Kind: "MutatingAdmissionPolicy", Name: "bad", Code: 422, Message: "is invalid"})
	broken.Diagnostics = []diag.Diagnostic{
		{Code: "install", Severity: diag.Error, Document: "MutatingAdmissionPolicy/bad", Summary: "about the refused document"},
		{Code: "yaml-syntax", Severity: diag.Error, Text: diag.Cluster, Line: 3, Summary: "broken"},
		{Code: "unused", Severity: diag.Warning, Text: diag.Cluster, Line: 9, Summary: "a warning may pass"},
	}
	idle := sample()
	idle.Steps = idle.Steps[3:]
	idle.Outcome.State, idle.Outcome.Allowed = report.StateNoPolicyRan, true
	idle.NotRun = []report.Unmatched{{Name: "other", Reason: "no rule has this resource"}}
	unanswered := sample()
	unanswered.Steps = []report.Step{{Webhook: "w.example.com", Status: report.Evaluated, Verdict: report.Admit, Called: true}}
	unanswered.Outcome.State, unanswered.Outcome.Allowed = report.StateAdmitted, true
	unanswered.NotRun = []report.Unmatched{{Name: "w.example.com", Reason: "its answer is assumed", Step: 0}}
	before := sample() // denied before any policy was evaluated
	before.Steps, before.Outcome.State = []report.Step{{Policy: "NamespaceLifecycle", Kind: "plugin", Status: report.Evaluated, Verdict: report.Deny}}, report.StateDenied
	before.NotRun = []report.Unmatched{{Name: "limit", Reason: "the request was denied earlier", Step: -1}}
	unasked := sample()
	unasked.Request, unasked.Steps, unasked.NotRun = nil, nil, nil
	unasked.Outcome = report.Outcome{State: report.StateNoRequest, StateReason: "there is no request"}
	for _, test := range []struct {
		name     string
		report   *report.Report
		expected string
		want     []string // a part of each difference
	}{
		{"refusal and error", broken, "outcome: {code: 422}",
			[]string{"the API server rejects MutatingAdmissionPolicy bad: is invalid", `an error in the text "cluster", line 3: broken`}},
		{"both written", broken, "install: [{name: bad, code: 422}]\ndiagnostics: [{code: yaml-syntax}]", nil},
		{"nothing matches", idle, "outcome: {allowed: true, code: 422}", []string{"no policy or webhook matched"}},
		{"nothing matches, as the state says", idle, "outcome: {state: noPolicyRan}", nil},
		{"nothing matches, and another state is expected", idle, "outcome: {state: admitted}", []string{"outcome.state", "no policy or webhook matched"}},
		{"a webhook that nobody answers for", unanswered, "outcome: {allowed: true}", []string{"Give the webhook an answer with a WebhookResponse"}},
		{"a webhook that nobody answers for, which is named", unanswered, "outcome: {allowed: true}\nsteps: [{webhook: w.example.com, called: true}]", nil},
		{"denied by something else", before, "outcome: {allowed: false}", []string{"something else denied it"}},
		{"denied by something else, with its message", before, "outcome: {message: 'pods \"web\" is forbidden'}", nil},
		{"denied by something else, which is named", before, "steps: [{policy: NamespaceLifecycle, verdict: deny}]", nil},
		{"a policy that was not asked", before, "steps: [{policy: limit}]", []string{"the report has none"}},
		{"all have to run", before, "steps: [{policy: NamespaceLifecycle}]\nnotRun: []", []string{"notRun"}},
		{"it is known which did not run", before, "notRun: [{name: limit}]", nil},
		{"no request", unasked, "outcome: {allowed: false}", []string{"there is no answer to the request: there is no request"}},
		{"no request, as the state says", unasked, "outcome: {state: noRequest}", nil},
		{"a refused document is named, but not as refused", broken, "install: [{name: bad}]\ndiagnostics: [{code: yaml-syntax}]", []string{"the API server rejects"}},
		{"nothing matches, as expected", idle, "steps: [{policy: other, status: notMatched}]", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := differences(t, test.expected, test.report)
			lines := strings.Split(got, "\n")
			if got == "" {
				lines = nil
			}
			if len(lines) != len(test.want) {
				t.Fatalf("got\n%s\nwant %d differences", got, len(test.want))
			}
			for i, part := range test.want {
				if !strings.Contains(lines[i], part) {
					t.Errorf("difference %d: got %s, want %s", i, lines[i], part)
				}
			}
		})
	}
}

// A passing test names the policies that did not run and that it does not mention.
func TestSilent(t *testing.T) {
	for expected, want := range map[string]string{
		"outcome: {allowed: false}":                    "2 policies did not run: other: no rule has this resource; fenced: condition c is false",
		"steps: [{policy: limit}]":                     "2 policies did not run: other: no rule has this resource; fenced: condition c is false",
		"steps: [{policy: other, status: notMatched}]": "1 policy did not run: fenced: condition c is false",
		"notRun: [{name: other}, {name: fenced}]":      "",
		"outcome: {state: noPolicyRan}":                "",
	} {
		e, err := Parse([]byte(expected))
		if err != nil {
			t.Fatal(err)
		}
		if got := report.DidNotRun(e.Silent(sample())); got != want {
			t.Errorf("%s: got %q, want %q", expected, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, test := range []struct{ name, expected, want string }{
		{"nothing", "# only a comment\n", "expected.yaml expects nothing"},
		{"null", "null", "expected.yaml expects nothing"},
		{"empty mapping", "{}", "expected.yaml expects nothing"},
		{"unknown field", "outcome:\n  allow: true", "expected.yaml:2: reports have no field outcome.allow; outcome has allowed, "},
		{"a field of the outcome", "allowed: true", "expected.yaml:1: reports have no field allowed; write it below outcome, as outcome.allowed"},
		{"unknown field of a step", "steps:\n- policy: a\n  condition: []", "expected.yaml:3: reports have no field steps[0].condition"},
		{"a map for a list", "steps: {policy: a}", "expected.yaml:1: steps must be a list"},
		{"a list for a value", "outcome: {code: [1]}", "expected.yaml:1: outcome.code must be a single value"},
		{"two documents", "outcome: {code: 1}\n---\noutcome: {code: 2}", "expected.yaml: it must be one document"},
		{"broken YAML", "outcome: [", "expected.yaml: yaml: line 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse([]byte(test.expected))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// TestOf: the written expectation matches its report, pins the verdict, and is stable when written
// again.
func TestOf(t *testing.T) {
	text, err := Of(sample()).YAML()
	if err != nil {
		t.Fatal(err)
	}
	if got := differences(t, string(text), sample()); got != "" {
		t.Errorf("a report does not meet its own expectation:\n%s\n%s", got, text)
	}
	changed := sample()
	changed.Steps[2].Validations[1].Cost++
	if got := differences(t, string(text), changed); !strings.HasSuffix(got, "steps[limit strict].validations[1].cost want 12 got 13") {
		t.Errorf("another cost gives %q", got)
	}
	again, err := Update(text, sample())
	if err != nil || string(again) != string(text) {
		t.Errorf("written again it changes: %v\n%s", err, again)
	}
}

func TestUpdateKeepsWhatAPersonWrote(t *testing.T) {
	const text = `# why this matters
steps:
- policy: limit # the strict one
  verdict: admit
  error: gone
  validations:
  - result: true
  - {result: true, cost: 1}
- policy: removed
- policy: other
outcome:
  # the code, not the text
  code: 403
`
	const want = `# why this matters
steps:
- policy: limit # the strict one
  verdict: deny
  validations:
  - result: true
  - {result: false, cost: 12}
- policy: other
  status: notMatched
outcome:
  # the code, not the text
  code: 422
`
	got, err := Update([]byte(text), sample())
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if d := differences(t, string(got), sample()); d != "" {
		t.Errorf("the updated file is not met:\n%s", d)
	}
	same, err := Update(got, sample())
	if err != nil || string(same) != want {
		t.Errorf("a second update changes the file: %v\n%s", err, same)
	}
}
