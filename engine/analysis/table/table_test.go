package table

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/capture"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Every state of a step has a place in the order.
func TestStrength(t *testing.T) {
	for _, s := range []report.StepState{
		report.StepNotMatched, report.StepExcluded, report.StepSkipped, report.StepNotCalled, report.StepDenied, report.StepFailed,
		report.StepMutated, report.StepWarned, report.StepAudited, report.StepUnchanged, report.StepAdmitted,
	} {
		if !slices.Contains(strength, CellState(s)) {
			t.Errorf("%q has no place", s)
		}
	}
}

// Several bindings of one policy are one cell, with the strongest of them.
func TestStrongest(t *testing.T) {
	var r Row
	for _, s := range []CellState{CellNotMatched, CellDenied, CellAdmitted} {
		r.cell(Cell{Kind: "ValidatingAdmissionPolicy", Name: "p", State: s, Reason: string(s)})
	}
	r.cell(Cell{Kind: "MutatingAdmissionPolicy", Name: "p", State: CellUnchanged})
	if len(r.Cells) != 2 || r.Cells[0].State != CellDenied || r.Cells[0].Reason != "denied" {
		t.Errorf("got %+v", r.Cells)
	}
}

// A record that cannot be evaluated has a row that says why.
func TestNoRequest(t *testing.T) {
	c, problems := engine.Compile(scenario.Scenario{})
	if c == nil {
		t.Fatal(problems)
	}
	for _, record := range []capture.Record{{Line: 3, Bad: "x"}, {Line: 3, Skip: "x"}, {Line: 3, Request: "just a text"}} {
		row, err := Evaluate(context.Background(), c, record)
		if err != nil || row.State != "" || row.Line != 3 || row.Problem == "" && row.Skipped == "" {
			t.Errorf("%+v gives %+v, %v", record, row, err)
		}
	}
}

// The row of an example has its verdict, and a cell for each of its policies.
func TestExample(t *testing.T) {
	read, err := scenario.FromFS(os.DirFS("../../../examples/first-look"))
	if err != nil {
		t.Fatal(err)
	}
	request := read.Scenario.Request
	read.Scenario.Request = ""
	c, problems := engine.Compile(read.Scenario)
	if c == nil {
		t.Fatal(problems)
	}
	row, err := Evaluate(context.Background(), c, capture.Record{Line: 1, Request: request})
	if err != nil {
		t.Fatal(err)
	}
	if row.State != report.StateDenied || row.Kind != "Deployment.apps" || row.Code != 422 || row.Message == "" {
		t.Errorf("got %+v", row)
	}
	i := slices.IndexFunc(row.Cells, func(c Cell) bool { return c.Name == "replica-limit" })
	if i < 0 || row.Cells[i].State != CellDenied {
		t.Errorf("cells %+v", row.Cells)
	}
}

// Without policies no row is green: nothing was asked of it.
func TestNoPolicies(t *testing.T) {
	c, problems := engine.Compile(scenario.Scenario{})
	if c == nil {
		t.Fatal(problems)
	}
	row, err := Evaluate(context.Background(), c, capture.Record{Line: 1, Request: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"})
	if err != nil || row.State != report.StateNoPolicies || row.Message == "" {
		t.Errorf("got %+v, %v", row, err)
	}
}
