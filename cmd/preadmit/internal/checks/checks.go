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

// Result is what one version says to configuration. Places count in the texts of the scenario.
type Result struct {
	Kubernetes  string           `json:"kubernetes"`  // the minor version
	Diagnostics diag.Diagnostics `json:"diagnostics"` // of all texts
	Install     []report.Install `json:"install"`     // refused documents, and those with warnings
	Costs       []growth.Bound   `json:"costs"`       // what expressions and budgets cost at most
}

// HugeCost is the cost from which an estimate says nothing: it multiplies lengths that
// mostly do not fit into one request of 3 MiB together.
const HugeCost = 1_000_000_000_000

// Options say what a check does besides the diagnostics.
type Options struct {
	// TryRepairs drops repairs that only replace one problem with another.
	TryRepairs bool
	// Foresee looks for requests that fail in an expression or stop the cluster.
	Foresee bool
	// Mutations runs generated requests to find mutating policies that are not safe.
	Mutations bool
	// Costs estimates what expressions cost at most.
	Costs  bool
	Limits engine.Limits
}

// Everything is what the command shows.
func Everything() Options {
	return Options{TryRepairs: true, Foresee: true, Mutations: true, Costs: true}
}

// Of checks the policies and the cluster of a scenario. Its request counts only if it writes a
// CustomResourceDefinition, which is configuration as policies are. The error is that of an
// unknown version or of a context that ended.
func Of(ctx context.Context, s scenario.Scenario, o Options) (*Result, error) {
	alone := s
	alone.Request = ""
	r, err := engine.Evaluate(ctx, alone, engine.Options{TryRepairs: o.TryRepairs, Foresee: o.Foresee, Limits: o.Limits})
	if err != nil {
		return nil, fmt.Errorf("checking: %w", err)
	}
	out := &Result{Kubernetes: r.Kubernetes, Diagnostics: r.Diagnostics, Install: r.Install, Costs: []growth.Bound{}}
	if err := out.addCompiled(ctx, alone, o); err != nil {
		return nil, err
	}
	if err := out.addWritten(ctx, s, o); err != nil {
		return nil, err
	}
	out.Diagnostics = slices.DeleteFunc(out.Diagnostics, func(d diag.Diagnostic) bool {
		return d.Code == codes.NoRequest || d.Code == codes.ClusterDocument && s.Request == "" // files are of any text here
	})
	return out, nil
}

// Refused reports whether the server rejects a document, or a text has an error.
func (r *Result) Refused() bool { return report.Wrong(r.Install, r.Diagnostics) }

// checkedMutations is how many requests are run to find mutating policies that are not safe.
const checkedMutations = 100

// addCompiled adds what takes the compiled policies: costs, and runs of mutating policies.
func (r *Result) addCompiled(ctx context.Context, s scenario.Scenario, o Options) error {
	if !o.Costs && !o.Mutations {
		return nil
	}
	compiled, _ := engine.Compile(s) // what is wrong with it is among the problems
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
	diag.Locate(unsafe, map[diag.Text]string{diag.Policies: s.Policies, diag.Cluster: s.Cluster})
	r.Diagnostics = append(r.Diagnostics, unsafe...)
	return nil
}

const definitionKind = "CustomResourceDefinition"

// addWritten adds what the server says to a definition that is the request of a scenario:
// it is configuration, whichever text it is in.
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
		return nil // it cannot be read, which is said
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

// byServer reports whether it is the server itself that refuses the request, and no
// policy or webhook.
func byServer(r *report.Report) bool {
	by := r.Outcome.DecidedBy
	return by < 0 || by < len(r.Steps) && !r.Steps[by].OfPolicy()
}

// DefinitionErrors makes errors of the mistakes in a definition that is the request. Where a
// request is tried they are its answer, and make no text wrong.
func DefinitionErrors(list diag.Diagnostics) {
	for i := range list {
		if d := &list[i]; slices.Contains(ofDefinition, d.Code) && d.Text == diag.Request && d.Severity == diag.Warning {
			d.Severity = diag.Error
		}
	}
}

// ofDefinition are the codes of what the server rejects a definition for.
var ofDefinition = []string{codes.CRD, codes.CELCompile, codes.CELReturnType, codes.LaterVersion}
