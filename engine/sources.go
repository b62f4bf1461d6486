package engine

import (
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/check"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/policy/install"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

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
	out := Sources{Version: c.version, Catalog: c.catalog, Checker: c.checker, Environments: c.environments, Installed: c.installed}
	if c.ended != nil {
		return out // what was not read to its end takes too much to look at
	}
	out.Installed = c.installed
	for _, text := range []diag.Text{diag.Policies, diag.Cluster} {
		for _, d := range c.documents[text] {
			refused := slices.ContainsFunc(c.report.Install, func(in report.Install) bool {
				return in.Code != 0 && in.Text == text && in.Span == d.Span
			})
			if !refused {
				out.Documents = append(out.Documents, d)
			}
		}
	}
	return out
}
