package cli

import (
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/growth"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

const definitionKind = "CustomResourceDefinition"

// writtenDefinition is what the server says to a CustomResourceDefinition that is the
// request of a scenario: it is configuration as policies are, whichever text it is in.
type writtenDefinition struct {
	diagnostics diag.Diagnostics
	install     []report.Install
	costs       []costOf
}

// writtenDefinition evaluates the request of a scenario if it writes a definition; nil
// for any other.
func (a *app) writtenDefinition(set *manifestSet, version string) (*writtenDefinition, error) {
	if !strings.Contains(set.Request, definitionKind) {
		return nil, nil
	}
	s := set.Scenario
	s.Kubernetes = version
	r, err := engine.Evaluate(a.ctx, s, engine.Options{TryRepairs: true})
	if err != nil {
		return nil, fmt.Errorf("checking: %w", err)
	}
	if r.Request != nil && !writesDefinition(r) {
		return nil, nil
	}
	out := &writtenDefinition{}
	definitionErrors(r.Diagnostics)
	for _, d := range r.Diagnostics {
		if d.Text == diag.Request {
			out.diagnostics = append(out.diagnostics, d)
		}
	}
	if r.Request == nil {
		return out, nil // it cannot be read, which is said
	}
	if o := r.Outcome; !o.Allowed && byServer(r) {
		out.install = append(out.install, report.Install{Kind: definitionKind, Name: r.Request.Name, Text: diag.Request, Code: o.Code, Reason: o.Reason, Message: o.Message})
	}
	for _, b := range growth.Written(r) {
		out.costs = append(out.costs, set.placedCost(b))
	}
	return out, nil
}

// writesDefinition reports whether the request creates or updates a definition.
func writesDefinition(r *report.Report) bool {
	return strings.HasSuffix(r.Request.Kind, "Kind="+definitionKind) && (r.Request.Operation == "CREATE" || r.Request.Operation == "UPDATE")
}

// byServer reports whether it is the server itself that refuses the request, and no
// policy or webhook.
func byServer(r *report.Report) bool {
	by := r.Outcome.DecidedBy
	return by < 0 || by < len(r.Steps) && !r.Steps[by].OfPolicy()
}

// definitionErrors makes errors of the mistakes in a definition that is the request. Where a
// request is tried they are its answer, and make no text wrong.
func definitionErrors(list diag.Diagnostics) {
	for i := range list {
		if d := &list[i]; d.Code == codes.CRD && d.Text == diag.Request && d.Severity == diag.Warning {
			d.Severity = diag.Error
		}
	}
}
