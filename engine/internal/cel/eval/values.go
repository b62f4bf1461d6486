package eval

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/types/known/structpb"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/mutation"
	"k8s.io/apiserver/pkg/cel/mutation/dynamic"
)

// value makes a CEL value of an unstructured object; nil gives null.
func value(object map[string]any, t GoType) ref.Val {
	if object == nil {
		return types.NullValue
	}
	return typedValue(object, t)
}

// orderedAdapter gives maps that are iterated in the order of their keys. The
// server's order is random; ours is one of the possible ones, and the same on
// every run.
type orderedAdapter struct{}

// NativeToValue implements types.Adapter.
func (a orderedAdapter) NativeToValue(v any) ref.Val {
	switch v := v.(type) {
	case map[string]any:
		return &orderedMap{Mapper: types.NewStringInterfaceMap(a, v), native: v}
	case []any:
		return types.NewDynamicList(a, v)
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

type orderedMap struct {
	traits.Mapper
	native map[string]any
}

// Iterator implements traits.Iterable.
func (m *orderedMap) Iterator() traits.Iterator {
	keys := slices.Sorted(maps.Keys(m.native))
	return types.NewStringList(types.DefaultTypeAdapter, keys).Iterator()
}

// IsZeroValue implements traits.Zeroer, which optional.ofNonZeroValue asks.
func (m *orderedMap) IsZeroValue() bool { return len(m.native) == 0 }

// JSON renders a CEL value for the report: plain JSON where the value has a
// JSON form, and the CEL notation as a string for what has none. It never
// fails.
func JSON(v ref.Val) any { return jsonValue(v, 0) }

// maxDepth bounds the rendering of nested values.
const maxDepth = 64

func jsonValue(v ref.Val, depth int) any {
	if depth > maxDepth {
		return "..."
	}
	switch v := v.(type) {
	case nil, types.Null:
		return nil
	case types.Bool:
		return bool(v)
	case types.Int:
		return int64(v)
	case types.Uint:
		return uint64(v)
	case types.Double:
		return double(float64(v))
	case types.String:
		return string(v)
	case *types.Err:
		return "error: " + v.String()
	case *types.Optional:
		if !v.HasValue() {
			return "optional.none()"
		}
		return map[string]any{"optional.of": jsonValue(v.GetValue(), depth+1)}
	case *mutation.JSONPatchVal:
		return patchValue(v, depth)
	case *dynamic.ObjectVal:
		return objectValue(v)
	case traits.Lister:
		return listValue(v, depth)
	case traits.Mapper:
		return mapValue(v, depth)
	}
	return scalar(v)
}

func double(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Sprint(f)
	}
	return f
}

func patchValue(v *mutation.JSONPatchVal, depth int) any {
	out := map[string]any{"op": v.Op, "path": v.Path}
	if v.From != "" {
		out["from"] = v.From
	}
	if v.Val != nil {
		out["value"] = jsonValue(v.Val, depth+1)
	}
	return out
}

func objectValue(v *dynamic.ObjectVal) any {
	native, err := v.ConvertToNative(reflect.TypeFor[map[string]any]())
	if err != nil {
		return "error: " + err.Error()
	}
	return plain(native, 0)
}

func listValue(l traits.Lister, depth int) any {
	out := []any{}
	for it := l.Iterator(); it.HasNext() == types.True; {
		out = append(out, jsonValue(it.Next(), depth+1))
	}
	return out
}

func mapValue(m traits.Mapper, depth int) any {
	out := map[string]any{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		out[fmt.Sprint(jsonValue(k, depth+1))] = jsonValue(m.Get(k), depth+1)
	}
	return out
}

// scalar renders timestamps, durations, quantities and the like.
func scalar(v ref.Val) any {
	switch v.Type() {
	case types.TimestampType, types.DurationType, types.BytesType:
		if s, err := v.ConvertToNative(reflect.TypeFor[*structpb.Value]()); err == nil {
			return s.(*structpb.Value).AsInterface()
		}
	}
	if t, ok := v.(ref.Type); ok {
		return t.TypeName()
	}
	switch n := v.Value().(type) {
	case string, bool, int64, float64:
		return n
	case fmt.Stringer:
		return n.String()
	}
	return v.Type().TypeName()
}

// plain makes JSON of what ObjectVal.ConvertToNative leaves: it keeps CEL
// values inside nested literals (semantics §6.5b).
func plain(v any, depth int) any {
	if depth > maxDepth {
		return "..."
	}
	switch v := v.(type) {
	case ref.Val:
		return jsonValue(v, depth)
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = plain(e, depth+1)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = plain(e, depth+1)
		}
		return out
	case map[ref.Val]ref.Val:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[fmt.Sprint(jsonValue(k, depth+1))] = jsonValue(e, depth+1)
		}
		return out
	case []ref.Val:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = jsonValue(e, depth+1)
		}
		return out
	case nil, string, bool, int64, float64, uint64:
		return v
	}
	return fmt.Sprint(v)
}

// TypeName names the type of a value as a reader of CEL knows it.
func TypeName(v ref.Val) string {
	switch v := v.(type) {
	case nil:
		return ""
	case *dynamic.ObjectVal:
		return v.Type().TypeName()
	case traits.Lister:
		return "list"
	case apiservercel.Quantity:
		return "quantity"
	}
	name := v.Type().TypeName()
	return strings.TrimPrefix(strings.TrimPrefix(name, "google.protobuf."), "kubernetes.")
}
