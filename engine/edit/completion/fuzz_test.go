package completion

import (
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// FuzzComplete asks at any place of any text: texts come from strangers.
func FuzzComplete(f *testing.F) {
	target := variants.Of(f, 30)
	for _, expression := range []string{
		"object.spec.", "Object{spec: Object.spec{", "a ? b : c.d", "['x', \"y\"].all(i, i.", "x in ['", "{?'a': b.?c[?0].", "object.items.sortBy(e, e.", "`a`.b",
	} {
		for _, s := range []scenario.Scenario{validation(expression), mutation("JSONPatch", "jsonPatch", expression)} {
			target.Add(s.Policies, len(s.Policies)-1)
		}
	}
	target.Add("params.data['", 13)
	target.Add("{\"a\": [", 7)
	target.Add("- - ? a\n  : &b *b\n", 5)
	c := completer(f, "1.37")
	target.Fuzz(func(t *testing.T, text string, offset int) {
		if len(text) > 1<<14 {
			return
		}
		r, err := c.Complete(scenario.Scenario{Policies: text, Cluster: "", Request: ""}, diag.Policies, offset)
		if err != nil {
			t.Fatal(err)
		}
		if offset >= 0 && offset <= len(text) && (r.From < 0 || r.From > r.To || r.To > len(text)) {
			t.Fatalf("from %d to %d of %d", r.From, r.To, len(text))
		}
		if _, err := c.Complete(scenario.Scenario{Expression: text, ExpressionContext: "mutation"}, diag.Expression, offset); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Call(scenario.Scenario{Expression: text}, diag.Expression, offset); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Hover(scenario.Scenario{Expression: text}, diag.Expression, offset); err != nil {
			t.Fatal(err)
		}
	})
}
