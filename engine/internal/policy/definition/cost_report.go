package definition

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/kube/crd"
)

// Cost is what a rule of a schema, or all rules of one, cost at most by the server's
// estimate when the definition is created, in CEL cost units.
type Cost struct {
	// Path is that of the rule or its messageExpression, or of the schema.
	Path string
	Max  uint64
	// Limit is that from which the server rejects the definition.
	Limit uint64
	// Rules is how many expressions a total has; 0 for one of them.
	Rules int
}

// Costs are the estimates of the rules of a definition in their order, and the total of
// each schema with more than one after its rules.
func Costs(ctx context.Context, d *crd.Definition, environments *eval.Environments) []Cost {
	type schema struct {
		total *totalCost
		costs []Cost
	}
	var schemas []*schema
	v := &validator{Definition: d, ctx: ctx, environments: environments, version: environments.Version()}
	v.keep = func(total *totalCost, path *field.Path, cost uint64) {
		if len(schemas) == 0 || schemas[len(schemas)-1].total != total {
			schemas = append(schemas, &schema{total: total})
		}
		s := schemas[len(schemas)-1]
		s.costs = append(s.costs, Cost{Path: path.String(), Max: cost, Limit: RuleLimit})
	}
	v.spec(field.NewPath("spec"))
	var out []Cost
	for _, s := range schemas {
		out = append(out, s.costs...)
		if n := len(s.costs); n > 1 {
			out = append(out, Cost{Path: s.total.path.String(), Max: s.total.sum, Limit: SchemaLimit, Rules: n})
		}
	}
	return out
}
