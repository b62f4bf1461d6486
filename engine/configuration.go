package engine

import (
	"context"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Configuration is a scenario without its request, read and compiled once, for
// those who evaluate many requests against the same policies. It must not be
// used by two goroutines at a time.
type Configuration struct{ prepared prepared }

// Prepare reads the policies and the cluster of a scenario. Its request and its
// free expression are left out. The error is for a Kubernetes version that the
// engine does not know.
func Prepare(ctx context.Context, s scenario.Scenario) (*Configuration, error) {
	s.Request, s.Expression = "", ""
	e, err := prepare(eval.WithTrace(ctx, false), s)
	if err != nil {
		return nil, err
	}
	return &Configuration{e.prepared}, nil
}

// Report is what there is to say without a request: problems of the texts, and
// the server's answers when the documents are created.
func (c *Configuration) Report() *report.Report {
	e := c.evaluation(c.prepared.ctx)
	e.finish()
	return e.report
}

// Evaluate runs one request, as Evaluate does for a whole scenario, but without
// findings and without the parts of expressions. defaulting overrides the
// scenario's option unless it is nil.
func (c *Configuration) Evaluate(ctx context.Context, request string, defaulting *bool) (*report.Report, error) {
	e := c.evaluation(eval.WithTrace(ctx, false))
	e.scenario.Request = request
	if defaulting != nil {
		e.scenario.Options.Defaulting = defaulting
	}
	if e.readRequest() {
		e.run()
	}
	e.finish()
	return e.report, context.Cause(ctx)
}

// evaluation begins with a report of its own and webhooks that have not been
// called.
func (c *Configuration) evaluation(ctx context.Context) *evaluation {
	e := &evaluation{prepared: c.prepared}
	e.ctx = ctx
	e.report = c.prepared.begun()
	e.responses = c.prepared.responses.Fresh()
	return e
}
