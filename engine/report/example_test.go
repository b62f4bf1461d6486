package report_test

import (
	"encoding/json"
	"fmt"

	"github.com/preadmit/preadmit/engine/report"
)

// A null value is written if an operation needs one.
func ExamplePatchOperation_MarshalJSON() {
	for _, p := range []report.PatchOperation{
		{Op: "add", Path: "/metadata/labels/team"},
		{Op: "remove", Path: "/metadata/labels/team"},
	} {
		text, err := json.Marshal(p)
		fmt.Println(string(text), err)
	}
	// Output:
	// {"op":"add","path":"/metadata/labels/team","value":null} <nil>
	// {"op":"remove","path":"/metadata/labels/team"} <nil>
}

// Evaluations visits every expression of a step, including nested ones.
func ExampleStep_Evaluations() {
	step := report.Step{
		Conditions: []report.Evaluation{{Expression: "object.kind == 'Pod'", Cost: 3}},
		Validations: []report.Validation{{
			Evaluation:        report.Evaluation{Expression: "object.spec.replicas <= 5", Cost: 4},
			MessageExpression: &report.Evaluation{Expression: "'at most 5'", Cost: 1},
		}},
	}
	var cost int64
	step.Evaluations(func(e *report.Evaluation) {
		fmt.Println(e.Expression)
		cost += e.Cost
	})
	fmt.Println(cost)
	// Output:
	// object.kind == 'Pod'
	// object.spec.replicas <= 5
	// 'at most 5'
	// 8
}

// A patch's paths are converted to those in the API server's messages.
func ExampleFieldPath() {
	fmt.Println(report.FieldPath("/spec/containers/0/image"))
	// Output: spec.containers[0].image
}

func ExampleLookup() {
	object := map[string]any{"metadata": map[string]any{"labels": map[string]any{"example.com/team": "shop"}}}
	fmt.Println(report.Lookup(object, "/metadata/labels/example.com~1team"))
	fmt.Println(report.Lookup(object, "/metadata/annotations"))
	// Output:
	// shop true
	// <nil> false
}

func ExampleNumber() {
	fmt.Println(report.Number(10_000_000), report.Number(-1234), report.Number(999))
	// Output: 10,000,000 -1,234 999
}
