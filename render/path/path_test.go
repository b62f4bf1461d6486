package path

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestOf draws the ways of examples, which are written down gate by gate: the
// first letter of each state.
func TestOf(t *testing.T) {
	for _, test := range []struct{ example, states, stop string }{
		// A validating policy denies after a mutating one had a say.
		{"first-look", "request:passed defaults:changed policies:changed webhooks:hollow again:hollow storage:changed validating:stopped answer:stopped", "denied here"},
		{"set-a-label", "request:passed defaults:hollow policies:changed webhooks:hollow again:hollow storage:changed validating:hollow answer:changed", ""},
		{"webhook-denies", "", "denied here"},
	} {
		t.Run(test.example, func(t *testing.T) {
			read, err := scenario.FromFS(os.DirFS("../../examples/" + test.example))
			if err != nil {
				t.Fatal(err)
			}
			r, err := engine.Evaluate(context.Background(), read.Scenario, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			gates := Of(r)
			var states []string
			for _, g := range gates {
				states = append(states, g.ID+":"+string(g.State))
			}
			if got := strings.Join(states, " "); test.states != "" && got != test.states {
				t.Errorf("the gates are\n%s, not\n%s", got, test.states)
			}
			if words := Words(gates); !strings.Contains(words, test.stop) {
				t.Errorf("%q does not say %q", words, test.stop)
			}
		})
	}
}

// TestStopped puts the end at the gate of the step that denied, and nothing after
// it is reached.
func TestStopped(t *testing.T) {
	read, err := scenario.FromFS(os.DirFS("../../examples/webhook-denies"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := engine.Evaluate(context.Background(), read.Scenario, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	gates := Of(r)
	stopped := false
	for _, g := range gates[:len(gates)-1] {
		switch {
		case stopped && g.State != Unreached:
			t.Errorf("%s is %s after the end", g.ID, g.State)
		case g.State == Stopped:
			stopped = true
			if g.Target != StepTarget || g.Step != r.Outcome.DecidedBy {
				t.Errorf("%s leads to %s %d, not to step %d, which denied", g.ID, g.Target, g.Step, r.Outcome.DecidedBy)
			}
		}
	}
	if !stopped {
		t.Errorf("no gate stopped: %s", Words(gates))
	}
	if of := Of(&report.Report{}); of != nil {
		t.Errorf("without a request there is a way: %v", of)
	}
}
