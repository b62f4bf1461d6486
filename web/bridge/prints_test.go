package bridge

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
)

// TestWhatThePageHasIsLeftOut evaluates a scenario, then others for a page with the first reply.
func TestWhatThePageHasIsLeftOut(t *testing.T) {
	s := scenario.Scenario{Policies: "kind: Nothing\n", Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"}
	evaluated := func(s scenario.Scenario, have Prints) Evaluated {
		t.Helper()
		out, err := evaluate(t.Context(), EvaluateParams{Scenario: s, First: true, Have: have})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := evaluated(s, Prints{})
	if len(first.Report.Diagnostics) == 0 || first.HTML.Problems == "" || first.HTML.Documents == "" {
		t.Fatalf("a part is missing: %+v", first.HTML)
	}
	again := evaluated(s, first.Prints)
	if len(again.Report.Diagnostics) != 0 || again.HTML.Problems != "" || again.HTML.Documents != "" || again.Prints != first.Prints {
		t.Errorf("the page has all parts, but was sent %+v", again.HTML)
	}
	s.Request = strings.Replace(s.Request, "name: a", "name: b", 1)
	renamed := evaluated(s, first.Prints)
	if renamed.HTML.Problems != "" || !strings.Contains(renamed.HTML.Documents, " b<wbr>") {
		t.Errorf("another name changes the documents only, but the problems are %q and the documents %s", renamed.HTML.Problems, renamed.HTML.Documents)
	}
	s.Policies = "\n" + s.Policies
	other := evaluated(s, first.Prints)
	if len(other.Report.Diagnostics) != len(first.Report.Diagnostics) || !strings.Contains(other.HTML.Problems, "Policies, line 2") {
		t.Errorf("the moved problem is not in %s", other.HTML.Problems)
	}
}
