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
	"sync"

	"github.com/preadmit/preadmit/engine/internal/answer"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/answer/tryrepairs"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/options"
	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/report"
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
	tryrepairs.Withhold(ctx, run)
	return nil
}

// Repairable reports whether a report has repairs that can be tried.
func Repairable(r *report.Report) bool { return tryrepairs.Repairable(r) }
