package engine

import (
	"context"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Recorded is an evaluated scenario together with what its expressions were run
// on, for those who run them again on other objects.
type Recorded struct {
	Report  *report.Report
	Catalog *catalog.Catalog // the kinds that the scenario's server knows
	Lists   []RecordedList   // of policies and webhooks, in the order of execution
}

// RecordedList is one list of expressions that share a budget and their
// variables.
type RecordedList struct {
	*eval.ListRecord
	Step int // the index in the report's Steps
}

// EvaluateRecorded is Evaluate, with a record of what ran. Its report is the
// same.
func EvaluateRecorded(ctx context.Context, s scenario.Scenario) (*Recorded, error) {
	out := &Recorded{}
	var e *evaluation // lists begin only when it runs
	record := func(p *eval.ListRecord) {
		out.Lists = append(out.Lists, RecordedList{p, e.chain.Current()})
	}
	e, err := prepare(eval.WithRecords(traced(ctx), record), s)
	if err != nil {
		return nil, err
	}
	e.evaluate()
	out.Report, out.Catalog = e.report, e.catalog
	return out, context.Cause(ctx)
}
