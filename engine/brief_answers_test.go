package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// counted is what a brief report has in common with one that says everything.
type counted struct {
	Allowed, Mutated bool
	Code             int
	Message          string
	Warnings         []string
	State            string
	Budgets          []report.Budget
	Steps            []countedStep
}

type countedStep struct {
	Kind, Policy, Binding, Webhook, Status, Verdict, Reason, Error string
	Messages                                                       []string
	Evaluations                                                    []countedEvaluation
}

type countedEvaluation struct {
	Path, Name, Error string
	Evaluated, Is     bool
	Cost              int64
}

func countedOf(r *report.Report) counted {
	o := r.Outcome
	out := counted{Allowed: o.Allowed, Mutated: o.Mutated, Code: o.Code, Message: o.Message, Warnings: o.Warnings, State: string(o.State), Budgets: r.Budgets}
	for i := range r.Steps {
		s := &r.Steps[i]
		step := countedStep{Kind: s.Kind, Policy: s.Policy, Binding: s.Binding, Webhook: s.Webhook, Status: string(s.Status), Verdict: string(s.Verdict), Reason: s.Reason, Error: s.Error, Messages: s.Messages}
		s.Evaluations(func(e *report.Evaluation) {
			step.Evaluations = append(step.Evaluations, countedEvaluation{e.Path, e.Name, e.Error, e.Evaluated, e.Result == true, e.Cost})
		})
		out.Steps = append(out.Steps, step)
	}
	return out
}

// TestBrief: a brief report of any example has the verdict, messages, costs and budgets of the whole one.
func TestBrief(t *testing.T) {
	folders, err := filepath.Glob("../examples/*/scenario.yaml")
	if err != nil || len(folders) < 50 {
		t.Fatal(len(folders), err)
	}
	for _, file := range folders {
		read, err := scenario.FromFS(os.DirFS(filepath.Dir(file)))
		if err != nil || read.Scenario.Request == "" {
			continue
		}
		s := read.Scenario
		s.Now = "2026-01-01T00:00:00Z"
		cfg, _ := engine.Compile(s)
		if cfg == nil {
			continue
		}
		whole, err := cfg.Evaluate(context.Background(), engine.Text(s.Request), engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		brief, err := cfg.Evaluate(context.Background(), engine.Text(s.Request), engine.Options{Brief: true})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := countedOf(brief), countedOf(whole); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", file, got, want)
		}
	}
}
