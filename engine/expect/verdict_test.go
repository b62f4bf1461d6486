package expect

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// A verdict matches its report, whatever the report, and has no costs.
func TestVerdict(t *testing.T) {
	read, err := scenario.FromFS(os.DirFS("../../examples/first-look"))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*scenario.Scenario){
		"as it is":       func(*scenario.Scenario) {},
		"refused":        func(s *scenario.Scenario) { s.Policies = strings.Replace(s.Policies, "object.spec", "object..spec", 1) },
		"no policy":      func(s *scenario.Scenario) { s.Policies = "" },
		"nothing runs":   func(s *scenario.Scenario) { s.Policies = strings.ReplaceAll(s.Policies, "deployments", "secrets") },
		"cannot be read": func(s *scenario.Scenario) { s.Policies = "kind: [" },
	} {
		t.Run(name, func(t *testing.T) {
			s := read.Scenario
			change(&s)
			r, err := engine.Evaluate(context.Background(), s, engine.Everything())
			if err != nil {
				t.Fatal(err)
			}
			text, err := Verdict(r).YAML()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "cost:") || strings.Contains(string(text), "validations:") {
				t.Errorf("it says too much:\n%s", text)
			}
			expected, err := Parse(text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if differences, err := Compare(expected, r); err != nil || len(differences) > 0 {
				t.Errorf("%v %v\n%s", differences, err, text)
			}
		})
	}
}
