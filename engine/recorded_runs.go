package engine

import (
	"context"

	"github.com/preadmit/preadmit/engine/internal/answer"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Recorded is an evaluated scenario together with what its expressions were run
// on, for programs that run them again on other objects.
type Recorded struct {
	Report  *report.Report
	Catalog *catalog.Catalog // the kinds that the scenario's server knows
	Checker *check.Checker   // of expressions about these kinds
	Lists   []RecordedList   // of policies and webhooks, in the order of execution
	Rules   []RecordedRules  // of custom resources
}

// RecordedList is one list of expressions that share a budget and their
// variables.
type RecordedList struct {
	*eval.ListRecord
	Step int // the index in the report's Steps
}

// RecordedRules are the schema rules that were asked about one object.
type RecordedRules struct {
	rules.Record
	// Catalog knows the kind of the object.
	Catalog *catalog.Catalog
	// Step is the index in the report's Steps; -1 for rules that no definition has, which
	// the report has in its Rules.
	Step int
	// Inside is the field of the object that holds the value, where it is not the object.
	Inside string
}

// EvaluateRecorded is [Evaluate] with a record of what ran. Its report is the
// same.
func EvaluateRecorded(ctx context.Context, s scenario.Scenario, o Options) (_ *Recorded, err error) {
	defer guard.Error(&err)
	out := &Recorded{}
	var e *evaluate.Evaluation // lists begin only when it runs
	record := func(p *eval.ListRecord) {
		out.Lists = append(out.Lists, RecordedList{p, e.Chain.Current()})
	}
	if e, err = standard().begin(ctx, s, o, eval.Options{Trace: o.Explain, Record: record}); err != nil {
		return nil, err
	}
	out.Catalog, out.Checker = e.Catalog, e.Checker
	e.RecordRules = func(asked rules.Record, kinds *catalog.Catalog, step int, inside string) {
		out.Rules = append(out.Rules, RecordedRules{asked, kinds, step, inside})
	}
	if out.Report, _, err = answer.Of(ctx, e, false); err != nil {
		return nil, err
	}
	return out, nil
}
