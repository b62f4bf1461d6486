package repairs

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestLimitedEvaluations: policies with many fixes, whose evaluation reaches the limit of work each
// time, are not evaluated once for each fix.
func TestLimitedEvaluations(t *testing.T) {
	var policies strings.Builder
	for i := range 12 {
		fmt.Fprintf(&policies, "---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: p%d}\nspec:\n  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}\n  validations: [{expression: \"objct.metadata.name != 'a' && object.metadata.name != 'b'\"}]\n", i)
	}
	for _, c := range []struct {
		work    int64
		limited bool
	}{{300_000, true}, {0, false}} {
		f := &fixer{ctx: context.Background(), options: tried, Result: Result{Scenario: scenario.Scenario{Policies: policies.String()}}, failed: map[string]bool{}}
		f.options.Limits = engine.Limits{Work: c.work}
		if err := f.all(); err != nil {
			t.Fatal(err)
		}
		if c.limited && f.limited != maxLimited || !c.limited && (f.limited > 0 || len(f.Applied) != 12) {
			t.Errorf("work %d: %d evaluations reached the limit, %d fixes applied", c.work, f.limited, len(f.Applied))
		}
	}
}
