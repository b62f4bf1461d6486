package engine

import (
	"context"
	"testing"

	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestKubernetes checks which texts a scenario may have as its version, and that
// the error about others is a sentence.
func TestKubernetes(t *testing.T) {
	for text, want := range map[string]string{"": "1.37", "1.36": "1.36", "1.36.3": "1.36", "v1.36.3": "1.36"} {
		r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: text, Request: "apiVersion: v1\nkind: Pod\n"}, Everything())
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if r.Kubernetes != want {
			t.Errorf("%q: the report is of %q, want %q", text, r.Kubernetes, want)
		}
		if _, err := compile.Kinds(scenario.Scenario{Kubernetes: text}); err != nil {
			t.Errorf("the catalog of %q: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"2.36": "Kubernetes 2.36 is not known; known are 1.30 to 1.37",
		"1.99": "Kubernetes 1.99 is not known; known are 1.30 to 1.37",
		"abc":  `"abc" is not a Kubernetes version such as "1.37"; known are 1.30 to 1.37`,
	} {
		s := scenario.Scenario{Kubernetes: text}
		_, evaluating := Evaluate(context.Background(), s, Everything())
		_, catalog := compile.Kinds(s)
		for what, err := range map[string]error{"Evaluate": evaluating, "Catalog": catalog} {
			if err == nil || err.Error() != want {
				t.Errorf("%s of %q: %v, want %s", what, text, err, want)
			}
		}
	}
}
