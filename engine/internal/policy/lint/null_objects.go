package lint

import (
	"fmt"
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/outcomes"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// nullObjects finds conditions and validations that always fail for an operation, because object or oldObject is null,
// where a rule matches resources that the catalogue does not have. Requests for others are tried.
func nullObjects(p *policy) {
	var operations []string
	for i := range p.match.ResourceRules {
		rule := &p.match.ResourceRules[i]
		found, all := p.ofRule(&rule.RuleWithOperations)
		if !all && len(found) == 0 && !slices.Contains(rule.Resources, "*") && !slices.Contains(rule.APIGroups, "*") {
			operations = append(operations, expanded(rule.Operations)...)
		}
	}
	for _, operation := range operations {
		name := map[string]string{"DELETE": "object", "CREATE": "oldObject"}[operation]
		if name == "" {
			continue
		}
		world := []*outcomes.World{p.world(target{operation: operation}, nil)}
		for i, c := range p.conditions {
			others := slices.Delete(slices.Clone(p.conditions), i, i+1)
			if p.failsForNull(world, others, c, name, operation) {
				return
			}
		}
		for _, v := range p.validations {
			if p.failsForNull(world, p.conditions, v.expression, name, operation) {
				return
			}
		}
	}
}

func (p *policy) failsForNull(world []*outcomes.World, conditions []expression, e expression, name, operation string) bool {
	if e.read == nil || !slices.Contains(p.reads(e.read), name) || p.said(p.document, e.path) || p.seen(world, conditions, e) != outcomes.Failed {
		return false
	}
	out := p.report(p.document, codes.FailsWhenNull, diag.Warning, e.path, fmt.Sprintf("the expression fails for %s: %s is null", operation, name),
		"By failurePolicy Fail, the server then denies the request. Test the operation first, or do not match it."+p.proof())
	p.within(out, p.document, e.path, e.read.Root().Start, e.read.Root().End)
	return true
}
