// Package engine predicts what the Kubernetes API server does with a request:
// which admission policies and webhooks apply, their values and costs,
// their changes to the object, and the client's answer. It does no I/O.
//
// Three types have three lifetimes. A program creates an [Engine] once: it holds
// the data of the Kubernetes versions, and caches recent texts and compiled expressions. A [Configuration] is a set of policies and a cluster, compiled; it does
// not change and may be used by any number of goroutines. A run is one request
// against a configuration; its [report.Report] belongs to the caller.
//
//	files, problems := scenario.FromFS(os.DirFS("policies"))
//	...
//	cfg, diags := engine.Compile(files, engine.Kubernetes("1.37"))
//	if diags.HasErrors() {
//		return diags
//	}
//	r, err := cfg.Evaluate(ctx, engine.Review(review), engine.Options{})
package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/cache"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/registry"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Engine holds what outlives a configuration: the CEL environments of the
// versions that were asked for, and, bounded in number and size, the texts,
// kinds, expressions and configurations that were used last. No result depends
// on what is kept. An Engine is safe for concurrent use.
type Engine struct {
	texts          *scenario.Reader
	environments   *eval.Set
	kinds          *cache.List[kindsKey, *kinds]
	clusters       *cache.List[clusterKey, *clusterState]
	configurations *cache.List[configurationKey, *compiled]

	// registry is the server's own code for built-in kinds, or nil.
	registry registry.Registry

	mu       sync.Mutex
	checkers map[version.Version]*check.Checker // by version
}

// Bounds on what an Engine keeps, in number and bytes of the texts that it was
// made from. While a request is edited the policies stay as they are, and while
// policies are edited the cluster does.
const (
	keptConfigurations = 4
	keptClusters       = 4
	keptKinds          = 4
	keptBytes          = 1 << 20
)

// New returns an Engine that keeps nothing yet. Environments are built when they
// are first needed, which takes some 20 ms a version.
func New() *Engine {
	return &Engine{
		texts:          scenario.NewReader(),
		environments:   eval.NewSet(),
		kinds:          cache.New[kindsKey, *kinds](keptKinds, keptBytes, kindsKey.size),
		clusters:       cache.New[clusterKey, *clusterState](keptClusters, keptBytes, clusterKey.size),
		configurations: cache.New[configurationKey, *compiled](keptConfigurations, keptBytes, configurationKey.size),
		checkers:       map[version.Version]*check.Checker{},
		registry:       builtInKinds,
	}
}

// standard is the Engine of the package's functions. It lives as long as the
// program.
var standard = sync.OnceValue(New)

// builtInKinds is what Use was given.
var builtInKinds registry.Registry

// Use gives every Engine that is made after it the API server's own code for objects of built-in
// kinds. Without it, what that code rejects, changes and warns of is only partly known. It is for
// the beginning of a program, before any other function of this package.
func Use(r registry.Registry) { builtInKinds = r }

// Compile is [Engine.Compile] of an Engine that lives as long as the program.
func Compile(files scenario.Scenario, settings ...Setting) (*Configuration, diag.Diagnostics) {
	return standard().Compile(files, settings...)
}

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
	defer failure(&r, s.Kubernetes)
	run, r, err := e.begin(ctx, s, o)
	if run == nil {
		return r, err
	}
	return run.evaluate(ctx)
}

// begin compiles a scenario and begins its run. There is none where that fails: the error is for
// a version that the engine does not know, the report for a mistake of this library.
func (e *Engine) begin(ctx context.Context, s scenario.Scenario, o Options) (*evaluation, *report.Report, error) {
	b := o.Limits.budget(ctx)
	c, problems := e.compileWithin(b, s)
	if c == nil && problems[0].Code == codes.Internal {
		return nil, failed(s.Kubernetes, problems[0]), nil
	}
	if c == nil {
		return nil, nil, errors.New(problems[0].Summary)
	}
	run := c.begin(ctx, o, eval.Options{Trace: o.Explain, Budget: b})
	run.scenario = s
	return run, nil, nil
}

// Options say what an evaluation does besides the answer. The zero value gives
// the answer and nothing else.
type Options struct {
	// Explain returns the values and costs of the parts of every expression. Each
	// is run a second time for that.
	Explain bool
	// Safety runs the request again to find mutating policies that are not
	// idempotent or whose order matters, and validations that hold only because
	// of a mutation (KEP-3962).
	Safety bool
	// TryRepairs evaluates the texts once more for each of the first repairs of the report,
	// and takes away those that lead to another problem. The repairs of a configuration's
	// texts are tried only where its texts are at hand, as in [Engine.Evaluate].
	TryRepairs bool
	// Foresee looks for requests that fail in an expression or stop the cluster, whatever the
	// request of the scenario is: see [Configuration.Foresee]. It runs after everything else.
	Foresee bool
	// Defaulting brings the objects of the request into the form in which the
	// server receives them; nil does so for bare objects only, as captured
	// requests have that form. It overrides the option of the scenario.
	Defaulting *bool
	// Brief leaves out what only a person reads of a report: the values of expressions, except
	// booleans, the changes of each step, notes, diagnostics about the request, assumptions and what
	// was checked. Verdicts, messages, warnings, costs and budgets are the same. It is for counting
	// many requests, and ends Explain and Safety.
	Brief bool
	// AdmissionOnly leaves out what a server does around admission: authorization,
	// the escalation check of RBAC, the validation of built-in kinds and what the
	// storage strategies of single kinds change. It is for comparing with the code
	// of the server's admission alone.
	AdmissionOnly bool
	// Clock measures how long expressions take, for [report.Evaluation]; nil measures
	// nothing. Times are those of the machine that runs the engine, and of no server.
	// With Explain they contain the second run of variables.
	Clock func() time.Time
	// Limits bound what the evaluation may take.
	Limits Limits
}

// Everything are the options of a page: all that there is to say.
func Everything() Options { return Options{Explain: true, Safety: true, TryRepairs: true} }

// Kinds returns the kinds that a scenario's server knows: the built-in ones and
// those of the CustomResourceDefinitions in its cluster text.
func Kinds(s scenario.Scenario) (*catalog.Catalog, error) {
	c, problems := standard().Compile(scenario.Scenario{Kubernetes: s.Kubernetes, Cluster: s.Cluster})
	if c == nil {
		return nil, errors.New(problems[0].Summary)
	}
	return c.catalog, nil
}

// checkerFor is the type checker of a version for its built-in kinds.
func (e *Engine) checkerFor(v version.Version) (*check.Checker, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.checkers[v]; c != nil {
		return c, nil
	}
	c, err := check.New(v)
	if err == nil {
		e.checkers[v] = c
	}
	return c, err
}
