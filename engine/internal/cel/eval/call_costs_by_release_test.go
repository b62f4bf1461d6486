package eval

import (
	"context"
	"testing"
)

// TestCostsByVersion: the reference of the conformance module gives these
// figures for 1.36, k8s.io/apiserver 0.37 those for 1.37.
func TestCostsByVersion(t *testing.T) {
	long := "'0123456789012345678901234567890123456789'" // a list item, so that nothing is folded to a constant
	for _, test := range []struct {
		expression         string
		v1_31, v1_36, v137 int64
	}{
		{"[object.metadata.name + " + long + "].exists(x, x.startsWith('01'))", 29, 29, 25},
		{"[object.metadata.name + " + long + "].exists(x, x.endsWith('89'))", 29, 29, 25},
		{"matches(string(object.metadata.name), '^[a-z]+$')", 5, 5, 6},
		{"object.metadata.name.matches('^[a-z]+$')", 5, 5, 5},
	} {
		for minor, want := range map[string]int64{"1.31": test.v1_31, "1.36": test.v1_36, "1.37": test.v137} {
			c := environments(t, minor).NewCompiler(Run, false, false)
			r := NewEvaluator(context.Background(), Options{}).NewListRun(Inputs{Object: deployment}, nil, Budget).Run(c.Compile(test.expression, Condition))
			if r.Err != "" || r.Cost != want {
				t.Errorf("%s in %s: cost %d, error %q; want cost %d", test.expression, minor, r.Cost, r.Err, want)
			}
		}
	}
}
