// Package checks reports the API server's answer to creating configuration:
// rejections, type checks, expressions' highest costs, and likely mistakes.
// The command check, the language server, the HTTP server and the server for agents
// all use it.
package checks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/ask"
	"github.com/preadmit/preadmit/engine/analysis/growth"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Result is one version's result for a configuration. Places count in the scenario's texts.
type Result struct {
	Kubernetes  string           `json:"kubernetes"`  // the minor version
	Diagnostics diag.Diagnostics `json:"diagnostics"` // of all texts
	Install     []report.Install `json:"install"`     // refused documents, and those with warnings
	Costs       []growth.Bound   `json:"costs"`       // highest costs of expressions and budgets
	// NotSimulated says what was not looked at.
	NotSimulated []string `json:"notSimulated,omitempty"`
}

// HugeCost is the cost from which an estimate is meaningless: it multiplies lengths that usually do
// not fit together into one 3 MiB request.
const HugeCost = 1_000_000_000_000

// Options select checks besides the diagnostics.
type Options struct {
	// TryRepairs drops repairs that only replace one problem with another.
	TryRepairs bool
	// Foresee looks for requests that fail in an expression or stop the cluster.
	Foresee bool
	// Mutations runs generated requests to find mutating policies that are not safe.
	Mutations bool
	// Costs estimates the expressions' highest costs.
	Costs  bool
	Limits engine.Limits
}

// Everything selects what the command shows.
func Everything() Options {
	return Options{TryRepairs: true, Foresee: true, Mutations: true, Costs: true}
}

// Of checks a scenario's policies and cluster. The request only counts if it writes a
// CustomResourceDefinition, which is configuration like policies. The error is an unknown version
// or an ended context.
func Of(ctx context.Context, s scenario.Scenario, o Options) (*Result, error) {
	alone := s
	alone.Request = ""
	r, err := engine.Evaluate(ctx, alone, engine.Options{TryRepairs: o.TryRepairs, Foresee: o.Foresee, Limits: o.Limits})
	if err != nil {
		return nil, fmt.Errorf("checking: %w", err)
	}
	out := &Result{Kubernetes: r.Kubernetes, Diagnostics: r.Diagnostics, Install: r.Install, Costs: []growth.Bound{}, NotSimulated: r.NotSimulated}
	if err := out.addCompiled(ctx, alone, o); err != nil {
		return nil, err
	}
	if err := out.addWritten(ctx, s, o); err != nil {
		return nil, err
	}
	out.Diagnostics = slices.DeleteFunc(out.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Code == codes.NoRequest || d.Code == codes.ClusterDocument && s.Request == "" // files may belong to any text here
	})
	return out, nil
}

// Refused reports whether the server rejects a document, or a text has an error.
func (r *Result) Refused() bool { return report.Wrong(r.Install, r.Diagnostics) }

// checkedMutations is how many requests test the mutating policies.
const checkedMutations = 100

// addCompiled adds results that need compiled policies: costs, and runs of mutating policies.
func (r *Result) addCompiled(ctx context.Context, s scenario.Scenario, o Options) error {
	if !o.Costs && !o.Mutations {
		return nil
	}
	compiled, _ := engine.Compile(s) // its problems are already diagnostics
	if compiled == nil {
		return nil
	}
	if o.Costs {
		r.Costs = append(r.Costs, growth.Worst(compiled)...)
	}
	if !o.Mutations {
		return nil
	}
	unsafe, err := ask.Mutations(ctx, compiled, checkedMutations)
	if err != nil {
		return fmt.Errorf("checking the mutations: %w", err)
	}
	unsafe = slices.DeleteFunc(unsafe, func(d diag.Diagnostic) bool { // what the second run does to the object says more
		return d.Code == codes.NotIdempotent && slices.ContainsFunc(r.Diagnostics, func(o diag.Diagnostic) bool { return o.Code == codes.MutationRejected && o.Document == d.Document })
	})
	diag.Locate(unsafe, map[diag.Text]string{diag.Policies: s.Policies, diag.Cluster: s.Cluster})
	r.Diagnostics = append(r.Diagnostics, unsafe...)
	return nil
}

const definitionKind = "CustomResourceDefinition"

// addWritten adds the server's result for a definition that is the scenario's request: it is
// configuration in any text.
func (r *Result) addWritten(ctx context.Context, s scenario.Scenario, o Options) error {
	if !strings.Contains(s.Request, definitionKind) {
		return nil
	}
	written, err := engine.Evaluate(ctx, s, engine.Options{TryRepairs: o.TryRepairs, Limits: o.Limits})
	if err != nil {
		return fmt.Errorf("checking: %w", err)
	}
	if written.Request != nil && !writesDefinition(written) {
		return nil
	}
	DefinitionErrors(written.Diagnostics)
	for _, d := range written.Diagnostics {
		if d.Text == diag.Request {
			r.Diagnostics = append(r.Diagnostics, d)
		}
	}
	if written.Request == nil {
		return nil // unreadable, which is reported
	}
	if o := written.Outcome; !o.Allowed && byServer(written) {
		r.Install = append(r.Install, report.Install{Kind: definitionKind, Name: written.Request.Name, Text: diag.Request, Code: o.Code, Reason: o.Reason, Message: o.Message})
	}
	if o.Costs {
		r.Costs = append(r.Costs, growth.Written(written)...)
	}
	return nil
}

// writesDefinition reports whether the request creates or updates a definition.
func writesDefinition(r *report.Report) bool {
	return strings.HasSuffix(r.Request.Kind, "Kind="+definitionKind) && (r.Request.Operation == "CREATE" || r.Request.Operation == "UPDATE")
}

// byServer reports whether the server itself rejects the request, and not a policy or webhook.
func byServer(r *report.Report) bool {
	by := r.Outcome.DecidedBy
	return by < 0 || by < len(r.Steps) && !r.Steps[by].OfPolicy()
}

// DefinitionErrors turns mistakes in a definition that is the request into errors. When a request
// is evaluated, they are part of the verdict and not errors in a text.
func DefinitionErrors(list diag.Diagnostics) {
	for i := range list {
		if d := &list[i]; slices.Contains(ofDefinition, d.Code) && d.Text == diag.Request && d.Severity == diag.Warning {
			d.Severity = diag.Error
		}
	}
}

// ofDefinition are the codes for which the server rejects a definition.
var ofDefinition = []string{codes.CRD, codes.CELCompile, codes.CELReturnType, codes.LaterVersion}
