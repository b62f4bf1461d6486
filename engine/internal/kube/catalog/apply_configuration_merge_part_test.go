package catalog

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// made returns a random value of a type. A patch has no atomic lists and maps; few of them are
// tried.
func made(r *rand.Rand, t *Type, depth int) any {
	switch t.Kind {
	case Struct:
		out := map[string]any{}
		for _, f := range t.Fields() {
			if depth > 0 && f.Name != "apiVersion" && f.Name != "kind" && r.Intn(3) == 0 {
				out[f.Name] = made(r, f.Type, depth-1)
			}
		}
		return out
	case Map:
		out := map[string]any{}
		for range r.Intn(3) {
			out[fmt.Sprint("k", r.Intn(3))] = made(r, t.Elem, depth-1)
		}
		return out
	case List:
		out := []any{}
		for range r.Intn(3) {
			out = append(out, made(r, t.Elem, depth-1))
		}
		return out
	case Boolean:
		return r.Intn(2) == 0
	case Integer:
		return int64(r.Intn(3))
	case Number:
		return float64(r.Intn(3)) + 0.5
	case Bytes:
		return "YQ=="
	case Custom:
		switch t.ID {
		case "resource.Quantity":
			return fmt.Sprint(1 + r.Intn(3))
		case "meta/v1.Time", "meta/v1.MicroTime":
			return time.Unix(int64(r.Intn(3)), 0).UTC().Format(time.RFC3339)
		case "meta/v1.Duration":
			return "1s"
		}
	}
	return fmt.Sprint("v", r.Intn(3))
}

// letters returns an error's letters, sorted: the library lists several errors in Go map order.
func letters(err error) string {
	out := []byte(fmt.Sprint(err))
	slices.Sort(out)
	return string(out)
}

// TestPartMerges: merging the part that a patch touches equals merging the whole object, for random
// objects and patches of all built-in kinds.
func TestPartMerges(t *testing.T) {
	c, err := For(version.MustParse("1.37"))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewSource(1))
	merged, rejected, parts, plainOnes := 0, 0, 0, 0
	for gvk, id := range c.resources.typeIDs {
		whole, ok := c.builtinMerger(id).(partMerger)
		if !ok {
			continue
		}
		parts++
		typ, _ := c.TypeOf(gvk)
		for range 60 {
			live, ok := made(r, typ, 6).(map[string]any)
			if !ok {
				continue
			}
			live["apiVersion"], live["kind"] = gvk.ToAPIVersionAndKind()
			normal, err := c.FromUnstructured(gvk, live)
			if err != nil {
				continue // a value that does not fit, for example of a self-decoding type
			}
			patch := made(r, typ, 1+r.Intn(5)).(map[string]any) // the smallest have only scalars
			before, err := json.Marshal(normal)
			if err != nil {
				t.Fatal(err)
			}
			if plain(typ, patch) {
				plainOnes++
			}
			got, gotErr := whole.Merge(normal, runtime.DeepCopyJSON(patch))
			want, wantErr := whole.whole.Merge(normal, runtime.DeepCopyJSON(patch))
			if letters(gotErr) != letters(wantErr) || gotErr == nil && !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %v with %v\ngot  %v, %v\nwant %v, %v", gvk, normal, patch, got, gotErr, want, wantErr)
			}
			if after, _ := json.Marshal(normal); !slices.Equal(before, after) {
				t.Fatalf("%s: the object was changed", gvk)
			}
			if gotErr == nil {
				merged++
			} else {
				rejected++
			}
		}
	}
	if parts < 50 || merged < 1000 || rejected < 300 || plainOnes < 500 {
		t.Errorf("%d kinds, %d merged, %d of them plain, %d rejected", parts, merged, plainOnes, rejected)
	}
}
