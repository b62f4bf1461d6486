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

// Compile is [Engine.Compile] of an Engine that lives as long as the program.
func Compile(files scenario.Scenario, settings ...Setting) (*Configuration, diag.Diagnostics) {
	return standard().Compile(files, settings...)
}

// Compile reads and compiles the policies and the cluster of a scenario. Its
// request and its free expression are left out. The diagnostics are those of the
// texts, places included; a policy that the server would reject is an error among
// them and is left out of the configuration, as it would be missing in the
// cluster. The configuration is nil only when the Kubernetes version is unknown, and
// when there is a mistake in this library.
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

// Settings are those of the scenario that was compiled, and its texts, without
// the request.
func (c *Configuration) Settings() scenario.Scenario { return c.of.Settings }

// Report is what there is to say without a request: problems of the texts, and
// the server's answers when the documents are created.
func (c *Configuration) Report() *report.Report { return outcome.Problems(c.of) }

// Evaluate runs one request. What is wrong with it is in the report's
// diagnostics. The error is for a context that ended, and for a request that
// cannot be written as JSON; then there is no report. A mistake of this library is
// a diagnostic of the code [codes.Internal] in a report without a verdict.
//
// Every request meets the cluster of the configuration: what one would store is
// not there for the next (see Apply).
func (c *Configuration) Evaluate(ctx context.Context, q Request, o Options) (r *report.Report, err error) {
	defer answer.Failure(&r, c.of.Settings.Kubernetes)
	_, r, err = c.run(ctx, q, o)
	return r, err
}

// Apply runs one request and returns also the configuration as it is after it:
// what an admitted request stored is in the cluster, what it deleted is not.
// Policies, webhooks and kinds stay as they are. For a request that stores nothing
// the configuration is c itself.
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

// Foresee returns the problems that requests will meet in the configuration: expressions that
// fail for a request which their rules match, and policies that deny what a healthy cluster
// asks for by itself. The engine evaluates each request before it is reported. What a canceled
// context or a limit leaves out is not reported.
func (c *Configuration) Foresee(ctx context.Context, o Options) diag.Diagnostics {
	found, _ := foresight.Find(ctx, c.of, o, func() {})
	return found
}

// WithForeseen returns the problems of a report and those that [Foresight] found, in a report's order. What the answer
// to the request says of a place is not repeated. A problem that the report has already gets the example.
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
	// Stops is what policies stop of what a healthy cluster asks for, when all has been looked at; nil for
	// nothing.
	Stops *report.Graph
}

// NewForesight begins to look for what requests will meet in a configuration. Stop has to be called.
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

// Step goes on until pause reports true. It reports whether all has been looked at, and then what was
// found. pause is called between two requests.
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

// Sources are what a configuration was made from, for programs that look at
// policies without a request. Nothing of it may be changed.
type Sources struct {
	Version version.Version
	// Documents are those of the policies and cluster texts that the server does not
	// reject; none where the texts reached a limit.
	Documents []*scenario.Document
	Catalog   *catalog.Catalog // the kinds that the scenario's server knows
	Checker   *check.Checker   // of expressions about these kinds
	// Environments compile the rules of CustomResourceDefinitions.
	Environments *eval.Environments
	// Installed is what the server accepts of the policies, bindings and webhooks; nil where the texts
	// were not read to their end.
	Installed *install.Result
}

// Sources returns what the configuration was made from.
func (c *Configuration) Sources() Sources {
	out := Sources{Version: c.of.Version, Catalog: c.of.Catalog, Checker: c.of.Checker, Environments: c.of.Environments, Installed: c.of.Installed}
	if c.of.Ended != nil {
		return out // what was not read to its end takes too much to look at
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
