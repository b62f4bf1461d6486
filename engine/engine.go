// Package engine predicts what the Kubernetes API server does with a request:
// which admission policies and webhooks apply, their values and costs,
// their changes to the object, and the client's answer. It does no I/O.
//
// Three types have three lifetimes. A program creates an [Engine] once: it holds
// the data of the Kubernetes versions, and caches recent texts and compiled
// expressions. A [Configuration] is a set of policies and a cluster, compiled; it does
// not change and may be used by any number of goroutines. A run is one request
// against a configuration; its [report.Report] belongs to the caller.
//
//	files, err := scenario.FromFS(os.DirFS("policies"))
//	...
//	cfg, diags := engine.Compile(files.Scenario, engine.Kubernetes("1.37"))
//	if diags.HasErrors() {
//		return diags
//	}
//	r, err := cfg.Evaluate(ctx, engine.Review(review), engine.Options{})
package engine

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/answer/findings"
	"github.com/preadmit/preadmit/engine/internal/answer/foresight"
	"github.com/preadmit/preadmit/engine/internal/answer/outcome"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/rules"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/internal/repair/trial"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/options"
	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Engine holds the CEL environments of the Kubernetes versions in use, and a bounded
// cache of recent texts, kinds, expressions and configurations. No result depends on the
// cache. An Engine is safe for concurrent use.
type Engine struct{ store *compile.Store }

// New returns an Engine with an empty cache. It builds a version's environment at its
// first use, which takes about 20 ms.
func New() *Engine { return &Engine{compile.NewStore()} }

// standard is the Engine that the package's functions share.
var standard = sync.OnceValue(func() *Engine { return &Engine{compile.Standard()} })

// Use gives the API server's own code for objects of built-in kinds to every Engine made later.
// Without it, the engine knows only a part of what that code rejects, changes and warns of. Call it
// before any other function of this package.
func Use(r registry.Registry) { compile.BuiltIn = r }

// Options select what an evaluation does beyond the answer. The zero value gives only the answer.
type Options = options.Options

// Limits bound the work, bytes and time of one evaluation, so that a hostile text cannot exhaust
// the machine. Zero means the value in [DefaultLimits], a negative number no limit.
type Limits = options.Limits

// DefaultLimits returns the limits for zero values: one or two seconds, and 128 MiB.
func DefaultLimits() Limits { return options.DefaultLimits() }

// Everything returns the options of the page: all explanations, checks and tried repairs.
func Everything() Options { return Options{Explain: true, Safety: true, TryRepairs: true} }

// InternalError is a bug in this library: a panic that it caught. Please report the texts that
// caused it.
type InternalError = guard.InternalError

// ServerKind is the kind of steps that are the server's own checks, not a policy's or a plugin's.
// Their policy names the check.
const ServerKind = evaluate.ServerKind

// Evaluate calls [Engine.Evaluate] of an Engine that all of the package's functions share.
func Evaluate(ctx context.Context, s scenario.Scenario, o Options) (*report.Report, error) {
	return standard().Evaluate(ctx, s, o)
}

// Evaluate compiles a scenario and runs its request and its free expression. The
// report's diagnostics have the problems of the texts. Evaluate fails, without a report, for
// an unknown Kubernetes version or a canceled context. After a deadline or a limit of
// [Options], the report has what was done until then. A bug in this library is a
// diagnostic with the code [codes.Internal], in a report without a verdict.
func (e *Engine) Evaluate(ctx context.Context, s scenario.Scenario, o Options) (r *report.Report, err error) {
	defer answer.Failure(&r, s.Kubernetes)
	run, err := e.begin(ctx, s, o, eval.Options{Trace: o.Explain})
	if err != nil {
		return nil, err
	}
	r, _, err = answer.Of(ctx, run, false)
	return r, err
}

// begin compiles a scenario and starts its run. It fails for an unknown Kubernetes version.
func (e *Engine) begin(ctx context.Context, s scenario.Scenario, o Options, traces eval.Options) (*evaluate.Evaluation, error) {
	traces.Budget = compile.Budget(ctx, o.Limits)
	c, err := e.store.Compile(traces.Budget, s)
	if err != nil {
		return nil, err
	}
	run := evaluate.Begin(ctx, c, o, traces)
	run.Scenario = s
	return run, nil
}

// Rest is the postponed part of an evaluation. It is not safe for concurrent use.
type Rest struct{ run *evaluate.Evaluation }

// AnswerFirst calls [Engine.AnswerFirst] of an Engine that all of the package's functions share.
func AnswerFirst(ctx context.Context, s scenario.Scenario, o Options) (*report.Report, *Rest, error) {
	return standard().AnswerFirst(ctx, s, o)
}

// AnswerFirst is [Engine.Evaluate] for callers that show the answer early. It postpones the
// checks of [Options.Safety] and [Options.Foresee]: [Rest.Complete] adds them to the same report. rest is
// nil if nothing is left, or without a report.
func (e *Engine) AnswerFirst(ctx context.Context, s scenario.Scenario, o Options) (r *report.Report, rest *Rest, err error) {
	defer answer.Failure(&r, s.Kubernetes)
	run, err := e.begin(ctx, s, o, eval.Options{Trace: o.Explain})
	if err != nil {
		return nil, nil, err
	}
	r, left, err := answer.Of(ctx, run, true)
	if err != nil || !left {
		return r, nil, err
	}
	return r, &Rest{run}, nil
}

// Complete adds the postponed findings to the report, and reports whether its diagnostics have changed.
// A second call does nothing. The report says what a deadline of the context left out. Complete
// fails for a canceled context, or with an [*InternalError].
func (r *Rest) Complete(ctx context.Context) (diagnostics bool, err error) {
	defer guard.Error(&err)
	e := r.run
	if e == nil {
		return false, nil
	}
	r.run = nil
	return answer.Later(ctx, e)
}

// TryRepairs calls [Engine.TryRepairs] of an Engine that all of the package's functions share.
func TryRepairs(ctx context.Context, s scenario.Scenario, r *report.Report, o Options) error {
	return standard().TryRepairs(ctx, s, r, o)
}

// TryRepairs does the work of [Options.TryRepairs] for an existing report: it removes repairs that
// lead to another problem. It changes only the report's diagnostics. A canceled context leaves the
// untried repairs. TryRepairs fails for an unknown Kubernetes version, or with an [*InternalError].
func (e *Engine) TryRepairs(ctx context.Context, s scenario.Scenario, r *report.Report, o Options) (err error) {
	defer guard.Error(&err)
	run, err := e.begin(ctx, s, o, eval.Options{})
	if err != nil {
		return err
	}
	run.Report = r
	answer.TryRepairs(ctx, run)
	return nil
}

// Repairable reports whether a report has repairs that can be tried.
func Repairable(r *report.Report) bool { return trial.Repairable(r) }

// Setting changes how a scenario is compiled.
type Setting func(*scenario.Scenario)

// Kubernetes selects the minor version, such as "1.37".
func Kubernetes(version string) Setting {
	return func(s *scenario.Scenario) { s.Kubernetes = version }
}

// Configuration is a set of policies and a cluster, read and compiled. It does
// not change, and may be used by any number of goroutines.
type Configuration struct{ of *compile.Configuration }

// Compile calls [Engine.Compile] of an Engine that all of the package's functions share.
func Compile(files scenario.Scenario, settings ...Setting) (*Configuration, diag.Diagnostics) {
	return standard().Compile(files, settings...)
}

// Compile reads and compiles a scenario's policies and cluster, without its request
// and free expression. The diagnostics are the problems of the texts, with their places.
// A policy that the server would reject is an error among them, and is left out of the
// configuration, because it would not be in the cluster. The configuration is nil only
// for an unknown Kubernetes version or a bug in this library.
func (e *Engine) Compile(files scenario.Scenario, settings ...Setting) (configuration *Configuration, problems diag.Diagnostics) {
	defer func() {
		if reason := recover(); reason != nil {
			configuration, problems = nil, diag.Diagnostics{answer.AsDiagnostic(guard.Of(reason))}
		}
	}()
	for _, set := range settings {
		set(&files)
	}
	c, err := e.store.Compile(compile.Budget(context.Background(), Limits{}), files)
	if err != nil {
		return nil, diag.Diagnostics{{Code: codes.UnknownVersion, Severity: diag.Error, Text: diag.Settings, Path: "kubernetes", Summary: err.Error()}}
	}
	configuration = &Configuration{c}
	return configuration, configuration.Report().Diagnostics
}

// Settings returns the compiled scenario's settings and texts, without its request.
func (c *Configuration) Settings() scenario.Scenario { return c.of.Settings }

// Report returns what needs no request: the problems of the texts, and the server's
// answers to the creation of each document.
func (c *Configuration) Report() *report.Report { return outcome.Problems(c.of) }

// Evaluate runs one request. The report's diagnostics have the request's problems. It
// fails, without a report, if the context ends or the request cannot be written as JSON.
// A bug in this library is a diagnostic with the code [codes.Internal], in a report
// without a verdict.
//
// Requests do not affect each other: none sees what another one would store. See
// [Configuration.Apply].
func (c *Configuration) Evaluate(ctx context.Context, q Request, o Options) (r *report.Report, err error) {
	defer answer.Failure(&r, c.of.Settings.Kubernetes)
	_, r, err = c.run(ctx, q, o)
	return r, err
}

// Apply is [Configuration.Evaluate] that also returns the configuration after the request:
// its cluster has what an admitted request stored, and lacks what it deleted. Policies,
// webhooks and kinds do not change. For a request that stores nothing, after is c.
func (c *Configuration) Apply(ctx context.Context, q Request, o Options) (r *report.Report, after *Configuration, err error) {
	after = c
	defer answer.Failure(&r, c.of.Settings.Kubernetes)
	e, r, err := c.run(ctx, q, o)
	if err != nil || e.Chain == nil || !r.Outcome.Allowed {
		return r, c, err
	}
	if of := c.of.After(&e.Chain.Attributes); of != c.of {
		after = &Configuration{of}
	}
	return r, after, nil
}

func (c *Configuration) run(ctx context.Context, q Request, o Options) (*evaluate.Evaluation, *report.Report, error) {
	if q.err != nil {
		return nil, nil, q.err
	}
	e := evaluate.Begin(ctx, c.of, o, evaluate.Traces(ctx, o))
	e.Scenario.Request, e.Once = q.text, true
	r, _, err := answer.Of(ctx, e, false)
	return e, r, err
}

// Foresee returns problems of future requests: expressions that fail for a request that
// their rules match, and policies that deny requests that a healthy cluster makes itself. The
// engine has evaluated a request for each. A canceled context or a limit ends the search early.
func (c *Configuration) Foresee(ctx context.Context, o Options) diag.Diagnostics {
	found, _ := foresight.Find(ctx, c.of, o, func() {})
	return found
}

// WithForeseen adds the problems that [Foresight] found to those of a report, in a report's order. It leaves out
// those at a place where the report has a problem already; the same problem gets the example.
func WithForeseen(problems, found diag.Diagnostics) diag.Diagnostics {
	return findings.WithForeseen(problems, found)
}

// Foresight is [Configuration.Foresee] in steps, for a caller that has other work between them.
type Foresight struct {
	cancel context.CancelFunc
	pause  func() bool
	next   func() (struct{}, bool)
	stop   func()
	found  diag.Diagnostics
	// Stops is the graph of cluster components that policies stop, once the search has ended; nil if they
	// stop none.
	Stops *report.Graph
}

// NewForesight starts a search for problems of future requests. Call [Foresight.Stop] when it is no longer needed.
func NewForesight(c *Configuration, o Options) *Foresight {
	f := &Foresight{}
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	f.next, f.stop = iter.Pull(func(yield func(struct{}) bool) {
		f.found, f.Stops = foresight.Find(ctx, c.of, o, func() {
			if ctx.Err() == nil && f.pause() && !yield(struct{}{}) {
				cancel()
			}
		})
	})
	return f
}

// Step continues the search until pause, which it calls between two requests, reports true. done says
// that the search has ended, and found is its result.
func (f *Foresight) Step(pause func() bool) (found diag.Diagnostics, done bool) {
	f.pause = pause
	if _, more := f.next(); more {
		return nil, false
	}
	return f.found, true
}

// Stop ends the search.
func (f *Foresight) Stop() {
	f.cancel()
	f.stop()
}

// Sources are the parts that a configuration was made from, for programs that inspect
// policies without a request. Do not change them.
type Sources struct {
	Version version.Version
	// Documents are the documents of the policies and cluster texts that the server accepts;
	// none if the texts reached a limit.
	Documents []*scenario.Document
	Catalog   *catalog.Catalog // the kinds that the scenario's server knows
	Checker   *check.Checker   // of expressions about these kinds
	// Environments compile the rules of CustomResourceDefinitions.
	Environments *eval.Environments
	// Installed has the policies, bindings and webhooks that the server accepts; nil if the texts reached
	// a limit.
	Installed *install.Result
}

// Sources returns the parts that the configuration was made from.
func (c *Configuration) Sources() Sources {
	out := Sources{Version: c.of.Version, Catalog: c.of.Catalog, Checker: c.of.Checker, Environments: c.of.Environments, Installed: c.of.Installed}
	if c.of.Ended != nil {
		return out // the texts reached a limit, and looking at them takes too much as well
	}
	for _, text := range []diag.Text{diag.Policies, diag.Cluster} {
		for _, d := range c.of.Documents[text] {
			refused := slices.ContainsFunc(c.of.Report.Install, func(in report.Install) bool {
				return in.Code != 0 && in.Text == text && in.Span == d.Span
			})
			if !refused {
				out.Documents = append(out.Documents, d)
			}
		}
	}
	return out
}

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
