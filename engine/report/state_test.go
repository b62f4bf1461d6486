package report

import "testing"

func TestStepState(t *testing.T) {
	for _, c := range []struct {
		step Step
		want StepState
	}{
		{Step{Status: Errored, Verdict: Deny}, "denied"},
		{Step{Status: Errored}, "error ignored"},
		{Step{Status: Evaluated, Verdict: Audit}, "audited"},
		{Step{Status: Evaluated, Verdict: Warn}, "warned"},
		{Step{Status: Evaluated, Mutations: []Mutation{{}}}, "unchanged"},
		{Step{Status: Evaluated, Kind: "MutatingWebhookConfiguration"}, "unchanged"},
		{Step{Status: Evaluated, Verdict: Mutate, Mutations: []Mutation{{}}}, "mutated"},
		{Step{Status: Evaluated, Validations: []Validation{{}}}, "admitted"},
		{Step{Status: NotCalled}, "not called"},
		{Step{Status: Skipped}, "skipped"},
		{Step{Status: Excluded}, "excluded"},
		{Step{Status: NotMatched}, "not matched"},
	} {
		if got := c.step.State(); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.step.Status, c.step.Verdict, got, c.want)
		}
	}
}

func TestUndenied(t *testing.T) {
	for _, c := range []struct {
		step Step
		want string
	}{
		{Step{Binding: "b", Status: Evaluated, Verdict: Audit}, "a validation failed, but the binding b does not have the action Deny"},
		{Step{Binding: "b", Status: Evaluated, Verdict: Warn}, "a validation failed, but the binding b does not have the action Deny"},
		{Step{Binding: "b", Status: Evaluated, Verdict: Deny}, ""},
		{Step{Binding: "b", Status: Errored}, ""},
		{Step{Webhook: "w", Status: Evaluated, Verdict: Warn}, ""},
	} {
		if got := c.step.Undenied(); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.step.Status, c.step.Verdict, got, c.want)
		}
	}
}

func TestDecisivePart(t *testing.T) {
	for _, c := range []struct {
		part *Part
		want [3]string
	}{
		{nil, [3]string{" é && b ", "", ""}},
		{&Part{Start: 6, End: 7}, [3]string{" é && ", "b", " "}},
		{&Part{Start: 1, End: 7}, [3]string{" é && b ", "", ""}}, // all of it
		{&Part{Start: 6, End: 60}, [3]string{" é && b ", "", ""}},
		{&Part{Start: -1, End: 2}, [3]string{" é && b ", "", ""}},
	} {
		e := Evaluation{Expression: " é && b ", Decisive: c.part}
		if before, in, after := e.DecisivePart(); [3]string{before, in, after} != c.want {
			t.Errorf("%+v: %q %q %q", c.part, before, in, after)
		}
	}
}
