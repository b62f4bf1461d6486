package engine

import (
	"context"
	"time"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Configuration is a set of policies and a cluster, read and compiled. It does
// not change, and may be used by any number of goroutines.
type Configuration struct {
	*compiled
	engine *Engine
	// cluster is that of the text, or what requests made of it (see Apply).
	cluster *cluster.Cluster
	// settings are those of the scenario, and its policies and cluster texts.
	settings scenario.Scenario
}

// Settings are those of the scenario that was compiled, and its texts, without
// the request.
func (c *Configuration) Settings() scenario.Scenario { return c.settings }

// Report is what there is to say without a request: problems of the texts, and
// the server's answers when the documents are created.
func (c *Configuration) Report() *report.Report {
	e := c.begin(context.Background(), Options{}, eval.Options{Budget: Limits{}.budget(context.Background())})
	e.finish()
	return e.report
}

// Evaluate runs one request. What is wrong with it is in the report's
// diagnostics. The error is for a context that ended, and for a request that
// cannot be written as JSON; then there is no report. A mistake of this library is
// a diagnostic of the code [codes.Internal] in a report without a verdict.
//
// Every request meets the cluster of the configuration: what one would store is
// not there for the next (see Apply).
func (c *Configuration) Evaluate(ctx context.Context, q Request, o Options) (r *report.Report, err error) {
	defer failure(&r, c.settings.Kubernetes)
	if q.err != nil {
		return nil, q.err
	}
	e := c.begin(ctx, o, o.traces(ctx))
	e.scenario.Request, e.once = q.text, true
	return e.evaluate(ctx)
}

// traces are the options of the expressions of a run.
func (o Options) traces(ctx context.Context) eval.Options {
	return eval.Options{Trace: o.Explain && !o.Brief, Brief: o.Brief, Budget: o.Limits.budget(ctx)}
}

// Apply runs one request and returns also the configuration as it is after it:
// what an admitted request stored is in the cluster, what it deleted is not.
// Policies, webhooks and kinds stay as they are. For a request that stores nothing
// the configuration is c itself.
func (c *Configuration) Apply(ctx context.Context, q Request, o Options) (r *report.Report, after *Configuration, err error) {
	after = c
	defer failure(&r, c.settings.Kubernetes)
	if q.err != nil {
		return nil, c, q.err
	}
	e := c.begin(ctx, o, o.traces(ctx))
	e.scenario.Request, e.once = q.text, true
	r, err = e.evaluate(ctx)
	if err != nil || e.chain == nil || !r.Outcome.Allowed {
		return r, c, err
	}
	return r, c.after(&e.chain.Attributes), nil
}

// after is the configuration after an admitted request.
func (c *Configuration) after(a *run.Attributes) *Configuration {
	resource, known := c.catalog.ResourceForKind(a.Kind)
	if a.DryRun || a.SubResource != "" || !known {
		return c
	}
	namespace := a.Namespace
	if !resource.Namespaced {
		namespace = ""
	}
	out := *c
	switch a.Operation {
	case request.Create, request.Update:
		out.cluster = c.cluster.Put(cluster.Object{GVK: a.Kind, Namespace: namespace, Name: a.Name, Value: a.Object, Builtin: resource.Builtin})
	case request.Delete:
		out.cluster = c.cluster.Without(a.Kind.GroupKind(), namespace, a.Name)
	default:
		return c
	}
	return &out
}

// now is the time that stored objects get.
func now(s scenario.Scenario) string {
	if s.Now != "" {
		return s.Now
	}
	return time.Now().UTC().Format(time.RFC3339)
}
