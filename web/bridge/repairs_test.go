package bridge

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// TestRepairsAreTriedLater: the first reply has all repairs. repairs then drops the bad ones, on
// the page and in later renderings.
func TestRepairsAreTriedLater(t *testing.T) {
	s := scenario.Scenario{Request: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n",
		Policies: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: rule}\nspec:\n  matchConstraints:\n    resourceRules:\n" +
			"    - apiGroups: ['']\n      apiVersions: [v1]\n      operations: [CREATE]\n      resources: ['configmaps'\n  validations:\n  - expression: 'true'\n"}
	first := evaluated(t, EvaluateParams{Scenario: s})
	const withheld, kept = "Put it in quotes", "Close the bracket"
	if !first.Untried || !strings.Contains(first.HTML.Problems, withheld) {
		t.Fatalf("untried is %v, the problems are %s", first.Untried, first.HTML.Problems)
	}
	var tried Repaired
	if msg := callWith(t, "repairs", RepairsParams{ID: first.ID, Scenario: s}, &tried); msg != "" {
		t.Fatal(msg)
	}
	if strings.Contains(tried.Problems, withheld) || !strings.Contains(tried.Problems, kept) || fixes(tried.Diagnostics) != fixes(first.Report.Diagnostics)-1 {
		t.Errorf("after the trials the problems are %s", tried.Problems)
	}
	var again Repaired
	if msg := callWith(t, "repairs", RepairsParams{ID: first.ID, Scenario: s}, &again); msg != "" || again.Problems != "" {
		t.Errorf("tried twice: %s%s", msg, again.Problems)
	}
	if view, ok := results.find(first.ID); !ok || fixes(view.Report.Diagnostics) != fixes(tried.Diagnostics) {
		t.Error("what is rendered later has other repairs than the page")
	}
	fine := evaluated(t, EvaluateParams{Scenario: many(1), Parts: []html.Part{html.StepsPart}})
	if fine.Untried {
		t.Error("there are repairs to try in a text without problems")
	}
}
