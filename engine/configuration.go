package engine

import (
	"context"
	"iter"
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/answer"
	"github.com/preadmit/preadmit/engine/internal/answer/compile"
	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/answer/findings"
	"github.com/preadmit/preadmit/engine/internal/answer/foresight"
	"github.com/preadmit/preadmit/engine/internal/answer/outcome"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

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

// run runs one request.
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

// NewForesight starts a search for problems of future requests. Call [Foresight.Stop] in the end.
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
