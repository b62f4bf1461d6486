package bridge

import (
	"context"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/html"
)

// An evaluation whose time is up gives what there is, and says so.
func TestEvaluateDeadline(t *testing.T) {
	before := evaluationTime
	defer func() { evaluationTime = before }()
	evaluationTime = -1
	s := scenario.Scenario{Request: "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: b}]}\n"}
	out, err := evaluate(context.Background(), EvaluateParams{Scenario: s, Parts: []html.Part{html.StepsPart}})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Report.Diagnostics) == 0 || !strings.Contains(out.Report.Diagnostics[0].Summary, "the time is up") {
		t.Errorf("the problems are %v", out.Report.Diagnostics)
	}
}
