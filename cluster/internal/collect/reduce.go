package collect

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/preadmit/preadmit/cluster/internal/source"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/report"
)

// Reduce drops the policies, bindings and webhook configurations that do not match the request,
// according to the whole scenario's report. It also drops their params and Services.
func Reduce(ctx context.Context, from *source.Cluster, c *Collected, r Request) (*Collected, error) {
	whole, err := engine.Evaluate(ctx, c.Scenario, engine.Options{})
	if err != nil {
		return nil, err
	}
	reached := map[string]bool{}
	for _, s := range whole.Steps {
		if s.Status == report.NotMatched || s.Status == report.Skipped && s.Binding == "" && s.Configuration == "" {
			continue // a policy without a binding is skipped
		}
		if s.Configuration != "" {
			reached[s.Kind+"/"+s.Configuration] = true
			continue
		}
		reached[s.Kind+"/"+s.Policy] = true
		reached[s.Kind+"Binding/"+s.Binding] = true
	}
	again := &collector{ctx: ctx, from: from, out: &Collected{Scenario: c.Scenario, Assumed: c.Assumed}, seen: map[string]bool{}}
	for _, o := range c.policies {
		u := unstructured.Unstructured{Object: o}
		if reached[u.GetKind()+"/"+u.GetName()] {
			again.out.policies = append(again.out.policies, o)
		}
	}
	again.surroundings(r)
	again.params(r)
	again.webhookServices()
	again.rights(r)
	again.plugins(r)
	again.out.Assumed = slices.CompactFunc(slices.SortedFunc(slices.Values(again.out.Assumed), func(a, b report.Assumption) int { return strings.Compare(a.What, b.What) }),
		func(a, b report.Assumption) bool { return a.What == b.What })
	return again.out, again.out.texts()
}
