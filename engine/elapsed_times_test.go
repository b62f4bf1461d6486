package engine

import (
	"context"
	"testing"
	"time"

	"github.com/preadmit/preadmit/engine/report"
)

// TestClock: each expression has the time between two readings of the clock, and
// without a clock none has one.
func TestClock(t *testing.T) {
	s := readExample(t, "../examples/first-look")
	for _, measured := range []bool{false, true} {
		var o Options
		if now := time.Unix(0, 0); measured {
			o.Clock = func() time.Time {
				now = now.Add(time.Millisecond)
				return now
			}
		}
		r, err := Evaluate(context.Background(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		ran := 0
		check := func(what string, elapsed time.Duration) {
			ran++
			if (elapsed >= time.Millisecond) != measured {
				t.Errorf("%s took %v; measured: %v", what, elapsed, measured)
			}
		}
		for i := range r.Steps {
			step := &r.Steps[i]
			if len(step.Conditions) > 0 {
				check("the conditions of "+step.Policy, step.ConditionsElapsed)
			}
			step.Evaluations(func(e *report.Evaluation) {
				if e.Evaluated {
					check(e.Path, e.Elapsed)
				}
			})
		}
		if ran < 5 {
			t.Errorf("only %d expressions ran", ran)
		}
	}
}
