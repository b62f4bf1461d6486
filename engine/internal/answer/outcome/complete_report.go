// Package outcome decides the state of an outcome, lists what ran and what was not checked, and puts
// the report into its final form.
package outcome

import (
	"context"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/admission/noeffect"
	"github.com/preadmit/preadmit/engine/internal/answer/assumptions"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/answer/expression"
	"github.com/preadmit/preadmit/engine/internal/answer/findings"
	"github.com/preadmit/preadmit/engine/internal/answer/refusals"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/repair/failures"
	"github.com/preadmit/preadmit/engine/internal/repair/trial"
	"github.com/preadmit/preadmit/engine/internal/worklimit"
	"github.com/preadmit/preadmit/engine/options"
	"github.com/preadmit/preadmit/engine/report"
)

// Shares of the budget, in hundredths, of what the answer does not need.
const (
	safetyShare       = 20
	expressionShare   = 40
	explanationsShare = 15
	noEffectShare     = 5
)

// Evaluate runs the request, if there is one, and completes the report, apart from
// the checks of safety. There is none for a context that was canceled.
func Evaluate(ctx context.Context, e *evaluate.Evaluation) (*report.Report, error) {
	ran := false
	if e.Ended = e.Compiled.Ended; e.Ended == nil {
		if ended := e.Budget.Run(func() {
			e.Budget.Enter("reading the request")
			if ran = e.ReadRequest(); ran {
				e.Run()
				if e.Options.Brief {
					return
				}
				refusals.Add(e)
				assumptions.MissingNamespace(e)
				assumptions.MissingParams(e)
				assumptions.UnboundParams(e)
				assumptions.MissingParamKinds(e)
				assumptions.Existing(e)
			} else {
				refusals.AddEarly(e)
			}
		}); ended != nil {
			e.Cut(ended)
		}
	}
	if e.Ended == nil && !e.Options.Brief {
		e.Optional("The expression's values", expressionShare, func() { expression.Evaluate(e) })
	}
	finish(e)
	e.HadRequest = ran
	if worklimit.Canceled(ctx) {
		return nil, context.Cause(ctx)
	}
	return e.Report, nil
}

// CheckSafety runs the request again with something changed, and adds what it finds to the report,
// which is complete otherwise.
func CheckSafety(e *evaluate.Evaluation) {
	if !e.HadRequest || !e.Options.Safety {
		return
	}
	before := len(e.Report.Diagnostics)
	e.Optional("The safety checks", safetyShare, func() {
		e.Safety().Check()
		e.CheckPlaceholders()
	})
	e.Optional("The object's Pods", workloadShare, func() { makePods(e) })
	if added := e.Report.Diagnostics[before:]; len(added) > 0 {
		trial.MarkSure(added)
		diag.Locate(added, e.Texts())
		findings.InOrder(e.Report.Diagnostics)
	}
}

// Problems is what there is to say of a configuration without a request: problems of the texts, and
// the server's answers when the documents are created.
func Problems(c *compile.Configuration) *report.Report {
	e := evaluate.Begin(context.Background(), c, options.Options{}, eval.Options{Budget: compile.Budget(context.Background(), options.Limits{})})
	finish(e)
	return e.Report
}

// finish puts the report into its final form.
func finish(e *evaluate.Evaluation) {
	if e.Options.Brief && e.Report.Request != nil {
		callBudgets(e)
		decideState(e)
		return
	}
	if r := e.Report; e.Options.Explain || len(r.Diagnostics) > 0 || r.Rules != nil || r.Expression != nil {
		explainProblems(e)
	} else {
		failures.Steps(r)
	}
	expression.WithoutRequest(e)
	callBudgets(e)
	decideState(e)
	e.Report.NotRun = notRun(e)
	e.Report.Assumed = assumptions.List(e)
	if e.Chain != nil {
		rests(e)
	}
}

// explainProblems explains what went wrong, and puts the diagnostics into their final form.
func explainProblems(e *evaluate.Evaluation) {
	texts := e.Texts()
	e.Optional("The explanations", explanationsShare, func() {
		failedForKind(e)
		failures.Report(e.Report, texts, e.Parsed)
	})
	e.Optional("The findings about parts without effect", noEffectShare, func() { withoutEffect(e) })
	e.Report.Diagnostics = findings.WithoutWaiting(findings.JoinCauses(findings.JoinSame(e.Report.Diagnostics)))
	findings.FromCopying(e.Report.Diagnostics)
	findings.SortRequest(e.Scenario, e.Report.Diagnostics)
	trial.MarkSure(e.Report.Diagnostics)
	findings.ExplainNext(e.Report.Diagnostics)
	findings.InOrder(e.Report.Diagnostics)
	diag.Locate(e.Report.Diagnostics, texts)
}

// callBudgets reports the most expensive single call of each step against the
// limit of a call.
func callBudgets(e *evaluate.Evaluation) {
	for i := range e.Report.Steps {
		s := &e.Report.Steps[i]
		var most *report.Evaluation
		s.Evaluations(func(ev *report.Evaluation) {
			if ev.Evaluated && (most == nil || ev.Cost > most.Cost) {
				most = ev
			}
		})
		if most != nil {
			e.Report.Budgets = append(e.Report.Budgets, report.Budget{Scope: report.CallScope, Limit: eval.PerCallLimit, Used: most.Cost, Exceeded: most.Cost > eval.PerCallLimit, Step: i, Policy: s.Policy, Name: most.Name})
		}
	}
}

// withoutEffect reports what had no effect in the finished run.
func withoutEffect(e *evaluate.Evaluation) {
	if !e.Options.Explain || e.Chain == nil || e.Ended != nil || e.Options.AdmissionOnly {
		return
	}
	final := e.Chain.Attributes
	run := &noeffect.Run{Report: e.Report, Initial: &e.Initial, Final: &final, Plain: e.Texts(), Parsed: e.Parsed}
	if namespace, assumed, found := e.Cluster.Namespace(e.Initial.Namespace); found && !assumed {
		run.Namespace = namespace
	}
	if d := e.Customs.Definitions[e.Initial.Resource.GroupResource()]; d != nil {
		run.Definition, run.Document = d.Definition, d.Document
	}
	e.Diagnose(noeffect.Diagnose(run))
	serverEffects(e)
	expression.ResultsElsewhere(e)
}
