package engine

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestDefinitionCosts: the step of a definition in the request says what each rule costs at
// most, whether the server takes it or not, at its place in the text.
func TestDefinitionCosts(t *testing.T) {
	const rule = "self.all(x, x.contains('a'))"
	for name, test := range map[string]struct {
		field    string
		exceeded []bool
		rules    []int
	}{
		"no rule":  {"type: string", nil, nil},
		"cheap":    {`type: string, maxLength: 9, x-kubernetes-validations: [{rule: "self != 'a'"}]`, []bool{false}, []int{0}},
		"too dear": {`type: array, items: {type: string}, x-kubernetes-validations: [{rule: "` + rule + `"}, {rule: "true"}]`, []bool{true, false, true}, []int{0, 0, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			request := strings.Replace(widgets, "FIELD", test.field, 1)
			r, err := Evaluate(context.Background(), scenario.Scenario{Kubernetes: "1.36", Request: request}, Everything())
			if err != nil {
				t.Fatal(err)
			}
			var exceeded []bool
			var rules []int
			var costs []report.RuleCost
			for _, s := range r.Steps {
				costs = append(costs, s.RuleCosts...)
			}
			for _, c := range costs {
				exceeded, rules = append(exceeded, c.Exceeded), append(rules, c.Rules)
				if c.Limit <= 0 || c.Exceeded != (c.Max > c.Limit) {
					t.Errorf("%+v", c)
				}
			}
			if !reflect.DeepEqual(exceeded, test.exceeded) || !reflect.DeepEqual(rules, test.rules) {
				t.Errorf("got %+v", costs)
			}
			if len(costs) > 1 {
				if at := string([]rune(request)[costs[0].Span.Start:costs[0].Span.End]); !strings.Contains(at, rule) {
					t.Errorf("the first is at %q", at)
				}
			}
		})
	}
}
