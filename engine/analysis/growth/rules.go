package growth

import (
	"context"
	"math"
	"strings"

	definitions "github.com/preadmit/preadmit/engine/internal/kube/crd"
	"github.com/preadmit/preadmit/engine/internal/policy/definition"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report"
)

// rules returns the bounds of the rules of a CustomResourceDefinition.
func (w *worst) rules() []Bound {
	decoded, err := definitions.Decode(w.document.Value)
	if err != nil {
		return nil // it is refused, which is said elsewhere
	}
	decoded.PrepareForCreate(w.Version)
	var out []Bound
	for _, c := range definition.Costs(context.Background(), decoded, w.Environments) {
		scope := report.CallScope
		if c.Rules > 0 {
			scope = report.RulesScope
		}
		path := inVersion(c.Path)
		b := w.bound(path, scope, int64(c.Limit))
		if c.Rules == 0 {
			b.Expression = fieldpath.As[string](fieldpath.Parse(path).Get(w.document.Value))
		}
		b.Max, b.Cannot, b.Kind = int64(min(c.Max, math.MaxInt64)), c.Max <= c.Limit, decoded.Spec.Names.Kind
		out = append(out, b)
	}
	return out
}

// inVersion is the path of a rule in the definition: where all versions have the same schema
// the server names it once.
func inVersion(path string) string {
	if below, shared := strings.CutPrefix(path, "spec.validation."); shared {
		return "spec.versions[0].schema." + below
	}
	return path
}

// Written returns the bounds of the rules of a CustomResourceDefinition that the request of
// a report writes: those of its steps, in the form of [Worst].
func Written(r *report.Report) []Bound {
	var out []Bound
	for _, step := range r.Steps {
		for _, c := range step.RuleCosts {
			b := Bound{Document: step.Kind + "/" + step.Policy, Path: inVersion(c.Path), Scope: report.CallScope,
				Max: c.Max, Limit: c.Limit, Cannot: !c.Exceeded, Text: c.Text, Span: c.Span}
			if c.Rules > 0 {
				b.Scope = report.RulesScope
			} else {
				b.Expression = fieldpath.As[string](fieldpath.Parse(b.Path).Get(r.Input))
			}
			b.Kind = fieldpath.As[string](fieldpath.Parse("spec.names.kind").Get(r.Input))
			out = append(out, b)
		}
	}
	return out
}
