// Package engine predicts what the Kubernetes API server does with a request:
// which admission policies and webhooks apply, their values and costs,
// their changes to the object, and the client's answer. It does no I/O.
//
// Three types have three lifetimes. A program creates an [Engine] once: it holds
// the data of the Kubernetes versions, and caches recent texts and compiled expressions. A [Configuration] is a set of policies and a cluster, compiled; it does
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

// Engine holds what outlives a configuration: the CEL environments of the
// versions that were asked for, and, bounded in number and size, the texts,
// kinds, expressions and configurations that were used last. No result depends
// on what is kept. An Engine is safe for concurrent use.
type Engine struct{ store *compile.Store }

// New returns an Engine that keeps nothing yet. Environments are built when they
// are first needed, which takes some 20 ms a version.
func New() *Engine { return &Engine{compile.NewStore()} }

// standard is the Engine of the package's functions. It lives as long as the
// program.
var standard = sync.OnceValue(func() *Engine { return &Engine{compile.Standard()} })

// Use gives every Engine that is made after it the API server's own code for objects of built-in
// kinds. Without it, what that code rejects, changes and warns of is only partly known. It is for
// the beginning of a program, before any other function of this package.
func Use(r registry.Registry) { compile.BuiltIn = r }

// Options say what an evaluation does besides the answer. The zero value gives
// the answer and nothing else.
type Options = options.Options

// Limits bound what one evaluation may take, so that a text of a stranger cannot
// take all of a machine. Zero is the default of [DefaultLimits], a negative number
// no limit.
type Limits = options.Limits

// DefaultLimits are those of Limits that are zero: one or two seconds, and 128 MiB.
func DefaultLimits() Limits { return options.DefaultLimits() }

// Everything are the options of a page: all that there is to say.
func Everything() Options { return Options{Explain: true, Safety: true, TryRepairs: true} }

// InternalError is a mistake of this library: a panic in it, which does not reach
// the caller. The texts that it came for are worth a report.
type InternalError = guard.InternalError

// ServerKind is the kind of the steps that are neither a policy's nor a
// plugin's: the server's own checks, which their policy names.
const ServerKind = evaluate.ServerKind

// Evaluate is [Engine.Evaluate] of an Engine that lives as long as the program.
func Evaluate(ctx context.Context, s scenario.Scenario, o Options) (*report.Report, error) {
	return standard().Evaluate(ctx, s, o)
}

// Evaluate compiles a scenario and runs its request and its free expression.
// Whatever is wrong with the texts is in the report's diagnostics; the error is
// for a Kubernetes version that the engine does not know, and for a context that
// was canceled, and then there is no report. At a deadline, and at a limit of
// [Options], the report has what was done by then. A mistake of this library is a
// diagnostic of the code [codes.Internal] in a report without a verdict.
func (e *Engine) Evaluate(ctx context.Context, s scenario.Scenario, o Options) (r *report.Report, err error) {
	defer answer.Failure(&r, s.Kubernetes)
	run, err := e.begin(ctx, s, o, eval.Options{Trace: o.Explain})
	if err != nil {
		return nil, err
	}
	r, _, err = answer.Of(ctx, run, false)
	return r, err
}

// begin compiles a scenario and begins its run. The error is for a version that the engine does not know.
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

// Rest is what an evaluation has left for later. It is for one goroutine.
type Rest struct{ run *evaluate.Evaluation }

// AnswerFirst is [Engine.AnswerFirst] of an Engine that lives as long as the program.
func AnswerFirst(ctx context.Context, s scenario.Scenario, o Options) (*report.Report, *Rest, error) {
	return standard().AnswerFirst(ctx, s, o)
}

// AnswerFirst is [Engine.Evaluate] for callers that show the answer before all that there is to
// say about it: the checks of [Options.Safety] and [Options.Foresee] are left for [Rest.Complete], which completes the
// report that this returns. There is no Rest where nothing is left, and none without a report.
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

// Complete adds to the report what was left: its findings, with what belongs to them among the
// steps' notes, the diagnostics and what is not simulated. It reports whether the diagnostics are others now.
// Called again it does nothing. What a deadline of the context leaves out the report says. The error
// is for a context that was canceled, or an [*InternalError].
func (r *Rest) Complete(ctx context.Context) (diagnostics bool, err error) {
	defer guard.Error(&err)
	e := r.run
	if e == nil {
		return false, nil
	}
	r.run = nil
	return answer.Later(ctx, e)
}

// TryRepairs is [Engine.TryRepairs] of an Engine that lives as long as the program.
func TryRepairs(ctx context.Context, s scenario.Scenario, r *report.Report, o Options) error {
	return standard().TryRepairs(ctx, s, r, o)
}

// TryRepairs does for a report on a scenario what [Options.TryRepairs] would have done when it
// was made, for callers that show the answer first: it takes repairs away that lead to another
// problem. It changes the report's diagnostics and nothing else of it. What a canceled context
// leaves untried stays. The error is for a Kubernetes version that the engine does not know, or an
// [*InternalError].
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
