package typecheck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// FuzzCheck checks any expression: findings must lie in the text.
func FuzzCheck(f *testing.F) {
	target := variants.Of(f, 60)
	for _, expression := range []string{
		"object.spec.replica > 1", "has(object.a.b) && object.x.all(c, c.d == '1')", "Object{spec: Object.spex{replicas: '1', a: {'b': {'c': 1}}}}",
		"[JSONPatch{op: 'add', value: Object.x{y: object.z}}]", "object.?spec.?x.orValue(1) + 'a' == [1][0] ? object.q : 1", "object.spec.strategy.type in ['a', 'b']",
	} {
		target.Add(expression)
	}
	cat, err := catalog.For(version.MustParse("1.37"))
	if err != nil {
		f.Fatal(err)
	}
	target.Fuzz(func(t *testing.T, expression string) {
		if strings.ContainsAny(expression, "\n\r") || len(expression) > 1000 {
			return
		}
		text := fmt.Sprintf(header, "Mutating", "apps", "deployments") + "  variables:\n  - name: v\n    expression: |-\n      " + expression +
			"\n  mutations:\n  - patchType: ApplyConfiguration\n    applyConfiguration:\n      expression: |-\n        " + expression + "\n"
		docs, _ := scenario.ParseDocuments(diag.Policies, text)
		found, err := Check(docs, map[diag.Text]string{diag.Policies: text}, checkerOf(t, version.MustParse("1.37")), cat)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range found {
			if d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Span.End > len(text) {
				t.Fatalf("%+v", d)
			}
		}
	})
}
