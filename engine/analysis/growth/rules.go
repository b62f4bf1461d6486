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

// rules gives the bounds of the rules of a CustomResourceDefinition.
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
		// Where all versions have the same schema the server names it once.
		path := c.Path
		if below, shared := strings.CutPrefix(path, "spec.validation."); shared {
			path = "spec.versions[0].schema." + below
		}
		b := w.bound(path, scope, int64(c.Limit))
		if c.Rules == 0 {
			text, _ := fieldpath.Parse(path).Get(w.document.Value)
			b.Expression, _ = text.(string)
		}
		b.Max, b.Cannot, b.Kind = int64(min(c.Max, math.MaxInt64)), c.Max <= c.Limit, decoded.Spec.Names.Kind
		out = append(out, b)
	}
	return out
}
