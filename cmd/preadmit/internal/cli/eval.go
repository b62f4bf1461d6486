package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/growth"
	"github.com/preadmit/preadmit/engine/analysis/replay"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

type evalFlags struct {
	parts                               *parts
	request                             *requestFlags
	settings                            *settings
	calls                               *calls
	expression, context, format, failOn string
	explain, limits, pods               bool
	work                                int
}

func (a *app) evalCommand() *cobra.Command {
	e := &evalFlags{}
	c, f := a.newCommand("eval [PATH...]", "Evaluate a scenario: verdict, steps, costs, the object", func(args []string) (int, error) { return a.eval(args, e) })
	e.parts, e.request = f.parts(), f.request()
	f.text(&e.expression, "expression", "e", "another CEL `EXPRESSION` to evaluate")
	f.context(&e.context)
	f.output(&e.format, evalForms, append([]string{"text", "json", "yaml", "sent", "defaulted", "object", "diff", "review", "prometheus", reviewRequest + "NAME"}, graphForms...)...)
	f.BoolVar(&e.explain, "explain", false, "print the values of sub-expressions under their parts")
	f.BoolVar(&e.limits, "limits", false, "find the length of a list at which a cost limit is exceeded; takes seconds")
	f.count(&e.work, "limit-work", "", "stop after `N` units of work, about ten nanoseconds each, 80000000 by default, -1 for no limit; the report has the results so far")
	f.failOn(&e.failOn, "`WHAT`: also exit with 1: unmatched, when no policy ran; findings, for errors in accepted configuration, such as a webhook that blocks its own start", failOnUnmatched, failOnFindings)
	f.BoolVar(&e.pods, "pods", false, "also exit with 1 when the Pods that a controller creates for the object are denied")
	e.settings, e.calls = f.settings(true), f.calls()
	return c
}

// evalForms describes eval's output.
const evalForms = "`FORMAT`:\n" +
	"text: verdict, steps, costs and problems.\n" +
	"json, yaml: the whole report, for any exit code.\n" +
	"sent, defaulted, object: the object as sent, as policies first see it, as stored.\n" +
	"diff: a unified diff of the object before and after.\n" +
	"review: the AdmissionReview response with the same effect.\n" +
	"review-request=NAME: the AdmissionReviews that the webhook NAME receives.\n" +
	"prometheus: the server's metrics that the request changes.\n" +
	"graph, graph=dot, graph=json: webhook dependencies, and the fields that mutating policies read and write"

// eval runs a scenario and prints the report.
func (a *app) eval(args []string, e *evalFlags) (int, error) {
	a.limits.Work = int64(e.work)
	in, err := a.input(args, e.parts)
	if err != nil {
		return 0, err
	}
	e.settings.apply(&in.Scenario)
	if err := a.change(in, e.request); err != nil {
		return 0, err
	}
	if e.expression != "" {
		in.setExpression(e.expression, e.context, "-e")
	}
	if err := e.calls.check(); err != nil {
		return 0, err
	}
	if e.calls.given() {
		if e.settings.kubernetes == "all" {
			return 0, badInput("eval: --kubernetes all does not work with calls to webhooks; choose one version")
		}
		if err := a.callWebhooks(in, e.calls); err != nil {
			return 0, err
		}
	}
	if e.settings.kubernetes == "all" {
		return a.allVersions(in, e.format, e.failOn)
	}
	if slices.Contains(graphForms, e.format) {
		r, err := a.evaluateConfiguration(in)
		if err != nil {
			return 0, err
		}
		return graphExit(e.failOn, r), a.printGraph(in, r, e.format)
	}
	run := a.evaluateOnce
	if e.limits {
		run = a.evaluateWithLimits
	}
	r, err := a.evaluateBy(run, in)
	if err != nil {
		return 0, err
	}
	code := failOn(e.failOn, r)
	if w := r.Workload; e.pods && code == exitOK && w != nil && !w.Outcome.Allowed {
		code = exitDenied
	}
	return code, a.printReport(in, r, e.format, e.explain)
}

func (in *input) setExpression(expression, context, file string) {
	in.Expression, in.ExpressionContext = expression, context
	delete(in.sources, diag.Expression)
	in.add(diag.Expression, file, expression, 1)
}

// limitsWork is --limits' budget for evaluations, in CEL cost units: some tens of seconds at most.
const limitsWork = 60_000_000

// evaluateWithLimits also looks for objects that exceed the cost limits.
func (a *app) evaluateWithLimits(ctx context.Context, s scenario.Scenario) (*report.Report, error) {
	recorded, err := engine.EvaluateRecorded(ctx, s, a.everything())
	if err != nil {
		return nil, err
	}
	search := growth.New(recorded, limitsWork)
	defer search.Stop()
	search.Step(func() bool { return ctx.Err() != nil })
	return recorded.Report, context.Cause(ctx)
}

// evaluate runs the engine. The report's diagnostics include the files', with places as the user
// knows them.
func (a *app) evaluate(in *input) (*report.Report, error) { return a.evaluateBy(a.evaluateOnce, in) }

func (a *app) evaluateOnce(ctx context.Context, s scenario.Scenario) (*report.Report, error) {
	return engine.Evaluate(ctx, s, a.everything())
}

// everything returns the options for a full report, with the run's limits.
func (a *app) everything() engine.Options {
	o := engine.Everything()
	o.Limits = a.limits
	return o
}

func (a *app) evaluateBy(run func(context.Context, scenario.Scenario) (*report.Report, error), in *input) (*report.Report, error) {
	r, err := a.runScenario(run, in)
	if err != nil {
		return nil, err
	}
	if r.Request == nil && in.Expression == "" && !diag.HasErrors(r.Diagnostics) {
		r.Diagnostics = append(r.Diagnostics, diag.Diagnostic{
			Code: codes.NoRequest, Severity: diag.Error, Text: diag.Request, Summary: "there is no request",
			Detail: "Give an AdmissionReview, an AdmissionRequest, or an object, which means CREATE: in request.yaml, or with -r.",
		})
	}
	in.place(r.Diagnostics)
	return r, nil
}

// evaluateConfiguration is evaluate without the need for a request.
func (a *app) evaluateConfiguration(in *input) (*report.Report, error) {
	run := func(ctx context.Context, s scenario.Scenario) (*report.Report, error) {
		o := a.everything()
		o.Foresee = true // finds what policies stop
		return engine.Evaluate(ctx, s, o)
	}
	r, err := a.runScenario(run, in)
	if err == nil {
		in.place(r.Diagnostics)
	}
	return r, err
}

// runScenario runs the engine. The diagnostics include the files'.
func (a *app) runScenario(run func(context.Context, scenario.Scenario) (*report.Report, error), in *input) (*report.Report, error) {
	r, err := run(a.ctx, in.Scenario)
	if err != nil {
		return nil, fmt.Errorf("evaluating: %w", err)
	}
	if len(in.problems) > 0 {
		r.Diagnostics = append(slices.Clone(in.problems), r.Diagnostics...)
	}
	return r, nil
}

// failOn returns a report's exit code, with the failures from --fail-on.
func failOn(what string, r *report.Report) int {
	if what == failOnUnmatched && (r.Outcome.State == report.StateNoPolicyRan || r.Outcome.State == report.StateNoPolicies) {
		return exitDenied
	}
	found := func(d diag.Diagnostic) bool { return d.Severity == diag.Error }
	if what == failOnFindings && !report.Wrong(r.Install, r.Diagnostics) && slices.ContainsFunc(r.Diagnostics, found) {
		return exitDenied
	}
	return r.ExitCode()
}

func (a *app) printReport(in *input, r *report.Report, format string, explain bool) error {
	switch format {
	case "json":
		return writeJSON(a.stdout, r)
	case "yaml":
		return writeYAML(a.stdout, r)
	case "text":
		p := a.printer(a.stdout)
		p.Sources, p.Explain = in.sources, explain
		return p.Report(a.stdout, r)
	}
	// The other formats only hold the result: problems go to standard error.
	if err := a.complain(in, r.Diagnostics); err != nil {
		return err
	}
	if r.Request == nil {
		return nil // the diagnostics say why
	}
	if name, ok := strings.CutPrefix(format, reviewRequest); ok {
		return a.printSent(r, name)
	}
	switch format {
	case "prometheus":
		return replay.Prometheus(a.stdout, in.Scenario, r)
	case "sent":
		return writeYAML(a.stdout, r.Sent)
	case "defaulted":
		return writeYAML(a.stdout, r.Input)
	case "object":
		return a.printObject(r)
	case "diff":
		text, err := a.printer(a.stdout).Diff("request", r.Input, "admitted", withoutStorage(r.Input, r.Object))
		if err != nil {
			return err
		}
		if !r.Outcome.Allowed {
			fmt.Fprintln(a.stderr, r.Outcome.Message)
		}
		_, err = io.WriteString(a.stdout, text)
		return err
	}
	return a.printReview(r)
}

// reviewRequest is the output format that names a webhook.
const reviewRequest = "review-request="

// printSent writes the AdmissionReviews sent to a webhook, one per call.
func (a *app) printSent(r *report.Report, name string) error {
	var names []string
	why, sent := "", false
	for _, s := range r.Steps {
		switch {
		case s.Webhook != name:
			if s.Webhook != "" && !slices.Contains(names, s.Webhook) {
				names = append(names, s.Webhook)
			}
		case s.Sent == nil:
			why = cmp.Or(s.Error, s.Reason)
		default:
			sent = true
			if !s.Called {
				fmt.Fprintf(a.stderr, "the webhook %s is not reached: %s\n", name, s.Error)
			}
			if err := writeJSON(a.stdout, s.Sent); err != nil {
				return err
			}
		}
	}
	switch {
	case sent:
		return nil
	case why != "":
		fmt.Fprintf(a.stderr, "the webhook %s is not called: %s\n", name, why)
		return nil
	case len(names) == 0:
		return badInput("eval: this request reaches no webhook, so there is none called %s", name)
	}
	return badInput("eval: no webhook is called %s; there are %s", name, strings.Join(names, ", "))
}

// printObject writes the object as stored. A denied object is not stored.
func (a *app) printObject(r *report.Report) error {
	if !r.Outcome.Allowed {
		fmt.Fprintln(a.stderr, r.Outcome.Message)
		return nil
	}
	if r.Object == nil {
		fmt.Fprintf(a.stderr, "there is no object: the operation is %s\n", r.Request.Operation)
		return nil
	}
	return writeYAML(a.stdout, r.Object)
}

// withoutStorage removes what storage adds to a new object, because no policy did that.
func withoutStorage(before, after map[string]any) map[string]any {
	meta, ok := after["metadata"].(map[string]any)
	if !ok {
		return after
	}
	old, _ := before["metadata"].(map[string]any)
	after, meta = maps.Clone(after), maps.Clone(meta)
	for _, field := range []string{"uid", "creationTimestamp", "generation"} {
		if _, had := old[field]; !had {
			delete(meta, field)
		}
	}
	after["metadata"] = meta
	return after
}
