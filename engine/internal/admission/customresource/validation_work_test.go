package customresource

import (
	"fmt"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/preadmit/preadmit/engine/internal/worklimit"
)

// The pieces of an object have all its values, the first ones first.
func TestPieces(t *testing.T) {
	list := func(n int) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = fmt.Sprint(i)
		}
		return out
	}
	wide := map[string]any{}
	for i := range 5000 {
		wide[fmt.Sprintf("k%04d", i)] = "v"
	}
	lists := make([]any, 150)
	for i := range lists {
		lists[i] = list(150)
	}
	for name, value := range map[string]any{"a list": list(9000), "a map": wide, "lists in a list": lists, "a list in a list": []any{list(7000), "x"}, "small": list(3)} {
		object := map[string]any{"kind": "Widget", "spec": map[string]any{"a": "b", "v": value}}
		all, seen, first := worklimit.Measure(value).Values, 0, ""
		pieces(object, pieceValues, func(piece map[string]any) {
			n := worklimit.Measure(piece).Values
			if n > pieceValues || piece["kind"] != "Widget" {
				t.Errorf("%s: a piece has %d values, kind %v", name, n, piece["kind"])
			}
			v := piece["spec"].(map[string]any)["v"]
			if l, ok := v.([]any); ok && first == "" {
				first = fmt.Sprint(l[0])
			}
			seen += worklimit.Measure(v).Values
		})
		if seen < all || seen > all+all/20 {
			t.Errorf("%s: the pieces have %d values of %d", name, seen, all)
		}
		if name == "a list" && first != "0" {
			t.Errorf("the first piece begins with %s", first)
		}
		if worklimit.Measure(value).Values != all {
			t.Errorf("%s has changed", name)
		}
	}
}

// Enums and patterns are charged for each value that is compared with them, with those of alternatives.
func TestSchemaWork(t *testing.T) {
	enum := make([]schema.JSON, 1000)
	text := func(v schema.ValueValidation) *schema.Structural {
		return &schema.Structural{Items: &schema.Structural{ValueValidation: &v}}
	}
	values := []any{"aaaaaaaaaaaaaaaa", "b"}
	for name, test := range map[string]struct {
		node *schema.Structural
		want int
	}{
		"enum":    {text(schema.ValueValidation{Enum: enum}), 2 * 1000 * enumWork},
		"pattern": {text(schema.ValueValidation{Pattern: string(make([]byte, 160))}), 2*160 + 16*10 + 10},
		"anyOf": {text(schema.ValueValidation{AnyOf: []schema.NestedValueValidation{{ValueValidation: schema.ValueValidation{Enum: enum}}, {}}}),
			2 * (1000*enumWork + 2*alternativeWork)},
	} {
		if got := schemaWork(test.node, values); got != test.want+3*4 {
			t.Errorf("%s: %d units, not %d", name, got, test.want+3*4)
		}
	}
}
