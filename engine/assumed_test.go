package engine_test

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestAssumedNamespace: a selector that looks at a Namespace that no text gives
// says so, and each fix leads to the state that its title promises.
func TestAssumedNamespace(t *testing.T) {
	s := scenario.Scenario{Policies: policyOf("s", "namespaceSelector: {matchLabels: {env: prod}}", "true", "false"), Request: statePod}
	evaluate := func(s scenario.Scenario) *report.Report {
		t.Helper()
		r, err := engine.Evaluate(context.Background(), s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := evaluate(s)
	if want := "no Namespace payments is given; assumed without labels: namespaceSelector wants env=prod"; len(r.Outcome.Unmatched) != 1 || r.Outcome.Unmatched[0].Reason != want {
		t.Errorf("got %v, want %q", r.Outcome.Unmatched, want)
	}
	if len(r.Assumed) != 1 || len(r.Assumed[0].Fixes) != 2 {
		t.Fatalf("assumed: %+v", r.Assumed)
	}
	for i, want := range []report.State{report.StateNoPolicyRan, report.StateDenied} {
		for _, before := range []string{"", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}"} {
			s.Cluster = before
			fix := evaluate(s).Assumed[0].Fixes[i]
			fixed := s
			fixed.Cluster += fix.Edits[0].New
			if got := evaluate(fixed); got.Outcome.State != want || len(got.Assumed) > 0 || len(got.Diagnostics.Errors()) > 0 {
				t.Errorf("%s: got %s, want %s; assumed %v, %v", fix.Title, got.Outcome.State, want, got.Assumed, got.Diagnostics)
			}
		}
	}
	if !strings.Contains(r.Assumed[0].Fixes[1].Title, "env=prod") {
		t.Errorf("title %q", r.Assumed[0].Fixes[1].Title)
	}
}
