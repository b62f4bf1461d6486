// Package catalogtest generates random objects of the catalog's types, for tests that compare the
// catalog with the API server's own code.
package catalogtest

import (
	"fmt"
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// Generator generates objects. The same seed generates the same objects.
type Generator struct {
	Rand *rand.Rand
	// Mistakes is the chance in a thousand for a value of a wrong type or an unknown field.
	Mistakes int
}

// New returns a generator of valid objects.
func New(seed uint64) *Generator { return &Generator{Rand: rand.New(rand.NewPCG(seed, 1))} }

// maxDepth limits the nesting of generated objects.
const maxDepth = 7

// Object generates an object of a kind.
func (g *Generator) Object(gvk schema.GroupVersionKind, t *catalog.Type) map[string]any {
	object, ok := g.value(t, maxDepth).(map[string]any)
	if !ok { // the whole object has the wrong type
		object = map[string]any{}
	}
	object["apiVersion"], object["kind"] = gvk.GroupVersion().String(), gvk.Kind
	return object
}

func (g *Generator) value(t *catalog.Type, depth int) any {
	if g.Rand.IntN(1000) < g.Mistakes {
		return pick[any](g.Rand, "text", int64(5), 2.5, 3.0, true, nil, []any{}, map[string]any{}, []any{"x", nil},
			map[string]any{"a": "b"}, int64(1)<<40, "1Gi", -1.0)
	}
	switch t.Kind {
	case catalog.Struct:
		return g.structValue(t, depth)
	case catalog.Map:
		out := map[string]any{}
		for i := range g.Rand.IntN(3) {
			out[fmt.Sprint("key", i)] = g.value(t.Elem, depth-1)
		}
		return out
	case catalog.List:
		out := []any{}
		for range g.Rand.IntN(3) {
			out = append(out, g.value(t.Elem, depth-1))
		}
		return out
	case catalog.String:
		return pick[any](g.Rand, "", "some", "Always", "été")
	case catalog.Boolean:
		return g.Rand.IntN(2) == 0
	case catalog.Integer:
		return pick[any](g.Rand, int64(0), int64(1), int64(-3), int64(8080))
	case catalog.Number:
		return 1.5
	case catalog.Bytes:
		return pick[any](g.Rand, "", "aGVsbG8=")
	}
	return g.custom(t)
}

func (g *Generator) structValue(t *catalog.Type, depth int) map[string]any {
	out := map[string]any{}
	for _, f := range t.Fields() {
		if depth > 0 && g.Rand.IntN(3) == 0 || f.Name == "metadata" || f.Name == "spec" {
			out[f.Name] = g.value(f.Type, depth-1)
		}
	}
	if g.Rand.IntN(1000) < g.Mistakes {
		out["unknownField"] = "x"
	}
	return out
}

// custom generates values of types that decode themselves. Without mistakes they are valid.
func (g *Generator) custom(t *catalog.Type) any {
	wrong := g.Mistakes > 0 && g.Rand.IntN(10) == 0
	switch t.ID {
	case "resource.Quantity":
		if wrong {
			return pick[any](g.Rand, "nonsense", "")
		}
		return pick[any](g.Rand, "1", "100m", "1500m", "1Gi", "1024Ki", "0.5", int64(2), "1e3", "+1", "10u")
	case "intstr.IntOrString":
		return pick[any](g.Rand, "25%", "http", int64(3), int64(0), "")
	case "meta/v1.Time":
		if wrong {
			return "soon"
		}
		return pick[any](g.Rand, "2026-01-01T00:00:00Z", "2026-01-01T02:00:00.123+02:00", nil)
	case "meta/v1.MicroTime":
		return pick[any](g.Rand, "2026-01-01T00:00:00.000000Z", "2026-01-01T02:00:00.123456+02:00", nil)
	case "meta/v1.Duration":
		if wrong {
			return "x"
		}
		return pick[any](g.Rand, "90s", "1h")
	}
	return map[string]any{"f:metadata": map[string]any{}}
}

func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }
