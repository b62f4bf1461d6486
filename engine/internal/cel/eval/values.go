package eval

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/types/known/structpb"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/mutation"
	"k8s.io/apiserver/pkg/cel/mutation/dynamic"

	"github.com/preadmit/preadmit/engine/internal/cel/adapt"
)

// value makes a CEL value of an unstructured object; nil gives null.
func value(object map[string]any, t GoType) ref.Val {
	if object == nil {
		return types.NullValue
	}
	return typedValue(object, t)
}

// Values are the CEL values of objects, so that the expressions of many policies share them
// with all that is made of them on the way: their fields, the order of their keys, what is
// shown of them. They are for one goroutine, and for objects that nobody changes meanwhile.
type Values struct{ made []madeValue }

type madeValue struct {
	object map[string]any // it lives as long as this, so its address is no other's
	goType GoType
	value  ref.Val
}

// of is the value of an object, which nil makes anew.
func (v *Values) of(object map[string]any, t GoType) ref.Val {
	if v == nil || object == nil {
		return value(object, t)
	}
	address := reflect.ValueOf(object).Pointer()
	for _, m := range v.made {
		if reflect.ValueOf(m.object).Pointer() == address && m.goType == t {
			return m.value
		}
	}
	made := value(object, t)
	v.made = append(v.made, madeValue{object, t, made})
	return made
}

// orderedAdapter gives maps that are iterated in the order of their keys. The
// server's order is random; ours is one of the possible ones, and the same on
// every run. It implements types.Adapter.
type orderedAdapter struct{}

func (a orderedAdapter) NativeToValue(v any) ref.Val {
	switch v := v.(type) {
	case map[string]any:
		return &orderedMap{Mapper: types.NewStringInterfaceMap(a, v), native: v}
	case []any:
		return &orderedList{Lister: types.NewDynamicList(a, v), native: v}
	}
	return adapt.Default.NativeToValue(v)
}

// orderedMap is a map of an unstructured object. It keeps what is made of its objects and
// lists, as typedMap does. It implements traits.Iterable, traits.Mapper and traits.Indexer.
type orderedMap struct {
	traits.Mapper
	native map[string]any
	made   named
	keys   sortedKeys
	shown  *keptPreviews
}

func (m *orderedMap) Iterator() traits.Iterator { return m.keys.iterator(m.native) }

func (m *orderedMap) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return m.Mapper.Find(key)
	}
	if v := m.made.get(string(name)); v != nil {
		return v, true
	}
	v, found := m.Mapper.Find(key)
	switch v.(type) {
	case *orderedMap, *orderedList: // others are made again as fast as they are found
		m.made.put(string(name), v)
	}
	return v, found
}

func (m *orderedMap) Get(key ref.Val) ref.Val {
	if v, found := m.Find(key); found {
		return v
	}
	return m.Mapper.Get(key)
}

// IsZeroValue implements traits.Zeroer, which optional.ofNonZeroValue asks.
func (m *orderedMap) IsZeroValue() bool { return len(m.native) == 0 }

// orderedList is a list of an unstructured object. It keeps what is made of its items.
// It implements traits.Indexer, traits.Iterable and traits.Zeroer.
type orderedList struct {
	traits.Lister
	native []any
	items  []ref.Val // those made so far; nil before the first
	shown  *keptPreviews
}

func (l *orderedList) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	if !ok || i < 0 || int64(i) >= int64(len(l.native)) {
		return l.Lister.Get(index)
	}
	if l.items == nil {
		l.items = make([]ref.Val, len(l.native))
	}
	if l.items[i] == nil {
		l.items[i] = orderedAdapter{}.NativeToValue(l.native[i])
	}
	return l.items[i]
}

func (l *orderedList) Iterator() traits.Iterator {
	return &orderedItems{Iterator: l.Lister.Iterator(), list: l}
}

// orderedItems iterates over what an orderedList keeps. It implements traits.Iterator.
type orderedItems struct {
	traits.Iterator
	list *orderedList
	next int
}

func (it *orderedItems) HasNext() ref.Val { return types.Bool(it.next < len(it.list.native)) }

func (it *orderedItems) Next() ref.Val {
	if it.next == len(it.list.native) {
		return nil
	}
	it.next++
	return it.list.Get(types.Int(it.next - 1))
}

func (l *orderedList) IsZeroValue() bool { return len(l.native) == 0 }

// sortedKeys are the keys of a map in their order, from the first time on that they are
// asked for: an inner loop iterates over it again and again.
type sortedKeys struct{ list atomic.Pointer[[]ref.Val] }

// of returns the keys of the map, which is always the same one. They are shared.
func (k *sortedKeys) of(native map[string]any) []ref.Val {
	if keys := k.list.Load(); keys != nil {
		return *keys
	}
	sorted := make([]ref.Val, 0, len(native))
	for _, name := range slices.Sorted(maps.Keys(native)) {
		sorted = append(sorted, types.String(name))
	}
	k.list.Store(&sorted)
	return sorted
}

func (k *sortedKeys) iterator(native map[string]any) traits.Iterator {
	return types.NewRefValList(adapt.Default, k.of(native)).Iterator()
}

// Limits on a value in the report. An expression builds a value of any size at
// almost no cost, by nesting one list in itself again and again.
const (
	jsonParts = 10_000  // scalars, lists and maps
	jsonBytes = 1 << 20 // of texts
)

// JSON renders a CEL value for the report: plain JSON where the value has a
// JSON form, and the CEL notation as a string for what has none. It never
// fails. cut reports whether something was left out of a large value; the places
// say so by an ellipsis.
func JSON(v ref.Val) (value any, cut bool) {
	r := &renderer{parts: jsonParts, bytes: jsonBytes}
	return r.value(v, 0), r.cut
}

// jsonValue is JSON for the parts of a preview.
func jsonValue(v ref.Val) any {
	value, _ := JSON(v) // a preview is cut far below
	return value
}

// renderer is what is left of the limits.
type renderer struct {
	parts, bytes int
	cut          bool
}

// maxDepth bounds the rendering of nested values.
const maxDepth = 64

// ellipsis is what is shown for what was left out.
const ellipsis = "…"

// spent takes one part, and reports whether none is left.
func (r *renderer) spent(depth int) bool {
	if r.parts <= 0 || r.bytes <= 0 || depth > maxDepth {
		r.cut = true
		return true
	}
	r.parts--
	return false
}

func (r *renderer) text(s string) string {
	r.bytes -= len(s)
	if r.bytes >= 0 {
		return s
	}
	r.cut = true
	return strings.ToValidUTF8(s[:len(s)+r.bytes], "") + ellipsis
}

func (r *renderer) value(v ref.Val, depth int) any {
	if r.spent(depth) {
		return ellipsis
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
		return r.text(string(v))
	case *types.Err:
		return r.text("error: " + v.String())
	case *types.Optional:
		if !v.HasValue() {
			return "optional.none()"
		}
		return map[string]any{"optional.of": r.value(v.GetValue(), depth+1)}
	case *mutation.JSONPatchVal:
		return r.patch(v, depth)
	case *dynamic.ObjectVal:
		return r.object(v)
	case traits.Lister:
		return r.list(v, depth)
	case traits.Mapper:
		return r.mapper(v, depth)
	}
	if s, ok := scalar(v).(string); ok {
		return r.text(s)
	}
	return scalar(v)
}

func double(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Sprint(f)
	}
	return f
}

func (r *renderer) patch(v *mutation.JSONPatchVal, depth int) any {
	out := map[string]any{"op": v.Op, "path": v.Path}
	if v.From != "" {
		out["from"] = v.From
	}
	if v.Val != nil {
		out["value"] = r.value(v.Val, depth+1)
	}
	return out
}

func (r *renderer) object(v *dynamic.ObjectVal) any {
	native, err := v.ConvertToNative(reflect.TypeFor[map[string]any]())
	if err != nil {
		return "error: " + err.Error()
	}
	return r.plain(native, 0)
}

func (r *renderer) list(l traits.Lister, depth int) any {
	out := []any{}
	for it := l.Iterator(); it.HasNext() == types.True; {
		out = append(out, r.value(it.Next(), depth+1))
		if r.parts <= 0 || r.bytes <= 0 {
			return r.rest(out, it.HasNext() == types.True)
		}
	}
	return out
}

// rest marks a list that does not go on although there is more.
func (r *renderer) rest(list []any, more bool) []any {
	if !more || len(list) > 0 && list[len(list)-1] == ellipsis {
		return list
	}
	r.cut = true
	return append(list, ellipsis)
}

func (r *renderer) mapper(m traits.Mapper, depth int) any {
	out := map[string]any{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		if r.parts <= 0 || r.bytes <= 0 {
			out[ellipsis], r.cut = ellipsis, true
			break
		}
		out[fmt.Sprint(r.value(k, depth+1))] = r.value(m.Get(k), depth+1)
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
	case *types.Err: // what only has functions, such as an authorizer, has no value to show
	case fmt.Stringer:
		return n.String()
	}
	return v.Type().TypeName()
}

// plain makes JSON of what ObjectVal.ConvertToNative leaves: it keeps CEL
// values inside nested literals (semantics §6.5b).
func (r *renderer) plain(v any, depth int) any {
	if r.spent(depth) {
		return ellipsis
	}
	switch v := v.(type) {
	case ref.Val:
		return r.value(v, depth)
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = r.plain(e, depth+1)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = r.plain(e, depth+1)
		}
		return out
	case goMap:
		return r.plain(map[string]any(v), depth)
	case goList:
		return r.plain([]any(v), depth)
	case map[ref.Val]ref.Val:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[fmt.Sprint(r.value(k, depth+1))] = r.value(e, depth+1)
		}
		return out
	case []ref.Val:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = r.value(e, depth+1)
		}
		return out
	case string:
		return r.text(v)
	case nil, bool, int64, float64, uint64:
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
