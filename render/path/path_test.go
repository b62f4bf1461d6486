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

// TestOf draws examples' paths, gate by gate: those that did nothing are left out.
func TestOf(t *testing.T) {
	for _, test := range []struct{ example, states, stop string }{
		// A validating policy denies after a mutating one ran.
		{"first-look", "request:passed defaults:passed policies:changed storage:passed validating:stopped answer:stopped", "denied here"},
		{"set-a-label", "request:passed policies:changed storage:passed answer:changed", ""},
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

// TestStopped: the path ends at the denying step's gate, behind which only the answer follows.
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
	g := gates[len(gates)-2]
	if g.State != Stopped || g.Target != StepTarget || g.Step != r.Outcome.DecidedBy {
		t.Errorf("%s is %s and leads to %s %d, not to step %d, which denied", g.ID, g.State, g.Target, g.Step, r.Outcome.DecidedBy)
	}
	if of := Of(&report.Report{}); of != nil {
		t.Errorf("without a request there is a way: %v", of)
	}
}

// TestAnswer: the last gate states the verdict, and is only passed if the request is admitted by
// what was evaluated.
func TestAnswer(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nspec: {containers: [{name: a, image: b}]}\n"
	for _, test := range []struct{ policies, says, state string }{
		{"", "admitted, no policies", string(Hollow)},
		{"kind: [", "undecided", string(Hollow)},
		{"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: a}\nspec: {validations: [{expression: 'nope'}]}\n", "admitted without the rejected documents", string(Hollow)},
		{"apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: a}\nspec:\n  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}\n  validations: [{expression: 'false'}]\n", "admitted, no policy ran", string(Hollow)},
	} {
		s := scenario.Scenario{Policies: test.policies, Request: pod}
		s.Options.Plugins = scenario.Exactly()
		r, err := engine.Evaluate(context.Background(), s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		gates := Of(r)
		if answer := gates[len(gates)-1]; !strings.HasPrefix(answer.Says, test.says) || string(answer.State) != test.state {
			t.Errorf("the answer is %s, %q; the verdict is %s", answer.State, answer.Says, r.Outcome.State)
		}
	}
}
