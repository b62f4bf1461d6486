package engine

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// limited evaluates with so much work.
func limited(t *testing.T, s scenario.Scenario, work int64) *report.Report {
	t.Helper()
	o := Everything()
	o.Limits.Work = work
	r, err := New().Evaluate(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// With less and less work explanations end first and the verdict last: a verdict is
// always the same one, and without one it says what was being done.
func TestVerdictEndsLast(t *testing.T) {
	s := scenario.Scenario{Policies: validating("object.metadata.name == 'x'", "v", "object.metadata.name"), Request: smallPod, Now: "2026-01-01T00:00:00Z"}
	whole := limited(t, s, -1)
	if whole.Outcome.State != report.StateDenied {
		t.Fatalf("the verdict is %s", whole.Outcome.State)
	}
	states := map[report.State]int{}
	explained := map[bool]int{}
	for work := int64(1_000); work < 40_000_000; work = work*3/2 + 1 {
		r := limited(t, s, work)
		states[r.Outcome.State]++
		switch r.Outcome.State {
		case report.StateDenied:
			if r.Outcome.Message != whole.Outcome.Message || len(r.Steps) != len(whole.Steps) {
				t.Errorf("with %d units another verdict: %s", work, r.Outcome.Message)
			}
			explained[len(r.Steps[len(r.Steps)-1].Validations[0].Children) > 0]++
		case report.StateUndecided:
			if !strings.HasPrefix(r.Outcome.StateReason, "stopped at ") || r.Outcome.Allowed {
				t.Errorf("with %d units: %s", work, r.Outcome.StateReason)
			}
			if r.Diagnostics.HasErrors() == false {
				t.Errorf("with %d units there is no error: %s", work, r.Diagnostics)
			}
		default:
			t.Errorf("with %d units the state is %s", work, r.Outcome.State)
		}
	}
	if states[report.StateDenied] == 0 || states[report.StateUndecided] == 0 || explained[true] == 0 {
		t.Errorf("the limits reached nothing: %v, explained %v", states, explained)
	}
}

// A deadline that has passed gives a report; a cancellation gives none.
func TestDeadline(t *testing.T) {
	s := scenario.Scenario{Policies: validating("true"), Request: smallPod}
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	r, err := New().Evaluate(late, s, Options{})
	if err != nil || r.Outcome.State != report.StateUndecided || !strings.Contains(r.Outcome.StateReason, "it took longer than Preadmit's time limit") {
		t.Errorf("after the deadline: %v, %+v", err, r)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := New().Evaluate(gone, s, Options{}); err == nil {
		t.Errorf("after a cancellation: %s", r.Outcome.State)
	}
}

// What a limit cut short is not kept for the next evaluation.
func TestNothingCutIsKept(t *testing.T) {
	s := scenario.Scenario{Policies: validating("object.metadata.name == 'x'"), Request: smallPod, Now: "2026-01-01T00:00:00Z"}
	e := New()
	for _, work := range []int64{2_000, 20_000, 200_000, 2_000_000} {
		if _, err := e.Evaluate(context.Background(), s, Options{Limits: Limits{Work: work}}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := e.Evaluate(context.Background(), s, Options{})
	if err != nil || r.Outcome.State != report.StateDenied {
		t.Fatalf("%v, %+v", err, r.Outcome)
	}
	for _, d := range r.Diagnostics {
		if d.Code == codes.RunLimit {
			t.Errorf("still there: %s", d.Summary)
		}
	}
}

// A free expression is charged to the run that evaluates it, and not to that which
// compiled the policies, whose context may have ended.
func TestExpressionAfterAnotherRun(t *testing.T) {
	s := readExample(t, "../examples/first-look")
	e := New()
	for _, expression := range []string{"", "has(object.spec.paused) && object.spec.paused || object.spec.replicas < 5"} {
		s.Expression = expression
		ctx, cancel := context.WithCancel(context.Background())
		r, err := e.Evaluate(ctx, s, Everything())
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if expression != "" && (r.Expression == nil || r.Expression.Cost == 0) {
			t.Errorf("%s is not evaluated: %v", expression, r.Diagnostics)
		}
	}
}

// A part that is left out is named, whatever step of it was running.
func TestLeftOutNamesThePart(t *testing.T) {
	for _, ended := range []*worklimit.Ended{{Limit: worklimit.Time, Step: "The safety checks"}, {Limit: worklimit.Time, Step: "validating policy p"}} {
		d := compile.LeftOut("The safety checks", ended)
		if d.Summary != "The safety checks are not complete: it took longer than Preadmit's time limit" {
			t.Error(d.Summary)
		}
		if at := strings.Contains(d.Detail, "They ended at validating policy p. "); at != (ended.Step == "validating policy p") {
			t.Error(d.Detail)
		}
	}
}
